ALTER TABLE "membership_stale" DROP CONSTRAINT "membership_stale_organization_id_user_id_pk";--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "rule_stale" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "membership_stale" ADD COLUMN "id" bigint PRIMARY KEY NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "membership_stale_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
CREATE INDEX "groups_by_rule" ON "groups" USING btree ("organization_id") WHERE kind = 'rule' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "groups_stale" ON "groups" USING btree ("organization_id") WHERE rule_stale;--> statement-breakpoint
CREATE INDEX "membership_stale_in_order" ON "membership_stale" USING btree ("organization_id","id");--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_rule" CHECK (("groups"."kind" = 'rule') = ("groups"."rule" is not null));
--> statement-breakpoint
-- Marks people whose rule groups have to be worked out again. Whoever works them out says so, and marks nobody. What has changed is
-- found with EXCEPT: a join of both sides keeps the plan of its first call, which was about one row, and is quadratic for many.
CREATE OR REPLACE FUNCTION mark_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('app.settling', true) = 'on'
    OR NOT EXISTS (SELECT 1 FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL) THEN RETURN NULL; END IF;
  IF TG_TABLE_NAME = 'group_members' THEN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO membership_stale (organization_id, user_id) SELECT DISTINCT organization_id, user_id FROM new_rows
        WHERE organization_id IN (SELECT g.organization_id FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL);
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO membership_stale (organization_id, user_id) SELECT DISTINCT organization_id, user_id FROM old_rows
        WHERE organization_id IN (SELECT g.organization_id FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL);
    ELSE
      INSERT INTO membership_stale (organization_id, user_id)
        SELECT DISTINCT organization_id, user_id FROM (
          SELECT organization_id, group_id, user_id, by_rule FROM new_rows
          EXCEPT SELECT organization_id, group_id, user_id, by_rule FROM old_rows) changed
        WHERE organization_id IN (SELECT g.organization_id FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL);
    END IF;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO membership_stale (organization_id, user_id) SELECT organization_id, id FROM new_rows
      WHERE organization_id IN (SELECT g.organization_id FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL);
  ELSE
    INSERT INTO membership_stale (organization_id, user_id)
      SELECT organization_id, id FROM (
        SELECT organization_id, id, email, role, state, custom_fields, deleted_at FROM new_rows
        EXCEPT SELECT organization_id, id, email, role, state, custom_fields, deleted_at FROM old_rows) changed
      WHERE organization_id IN (SELECT g.organization_id FROM groups g WHERE g.kind = 'rule' AND g.deleted_at IS NULL);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION log_membership() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor uuid := nullif(current_setting('app.actor', true), '')::uuid;
  given text := nullif(current_setting('app.cause', true), '');
  why text := coalesce(given, CASE WHEN actor IS NULL THEN 'system' ELSE 'manual' END);
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id, created_at)
    SELECT organization_id, group_id, user_id, 'added', CASE WHEN by_rule THEN 'rule' ELSE why END, CASE WHEN by_rule THEN NULL ELSE actor END, created_at FROM new_rows
    UNION ALL SELECT organization_id, group_id, user_id, 'groupadmin', why, actor, created_at FROM new_rows WHERE groupadmin;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id)
    SELECT organization_id, group_id, user_id, 'removed', CASE WHEN by_rule AND given IS NULL THEN 'rule' ELSE why END, CASE WHEN by_rule AND given IS NULL THEN NULL ELSE actor END FROM old_rows;
  ELSE
    INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, actor_id)
    SELECT organization_id, group_id, user_id, CASE WHEN groupadmin THEN 'groupadmin' ELSE 'no_groupadmin' END, why, actor FROM (
      SELECT organization_id, group_id, user_id, groupadmin FROM new_rows
      EXCEPT SELECT organization_id, group_id, user_id, groupadmin FROM old_rows) changed;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER stale_updated AFTER UPDATE ON group_members REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
--> statement-breakpoint
CREATE FUNCTION mark_rule_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rule_stale := NEW.kind = 'rule' AND NEW.deleted_at IS NULL;
  RETURN NEW;
END $$;
--> statement-breakpoint
-- A rule that is new or another, and one that comes back after its group was removed.
CREATE TRIGGER rule_stale_inserted BEFORE INSERT ON groups FOR EACH ROW WHEN (NEW.kind = 'rule') EXECUTE FUNCTION mark_rule_stale();
--> statement-breakpoint
CREATE TRIGGER rule_stale_updated BEFORE UPDATE OF kind, rule, deleted_at ON groups FOR EACH ROW
  WHEN ((NEW.kind, NEW.rule, NEW.deleted_at) IS DISTINCT FROM (OLD.kind, OLD.rule, OLD.deleted_at)) EXECUTE FUNCTION mark_rule_stale();
--> statement-breakpoint
-- Nobody is a member of a removed group: rules that ask about it look at its members again.
CREATE FUNCTION mark_members_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO membership_stale (organization_id, user_id) SELECT m.organization_id, m.user_id FROM group_members m
    WHERE m.group_id = NEW.id
      AND EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = NEW.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER members_stale AFTER UPDATE OF deleted_at ON groups FOR EACH ROW
  WHEN (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at) EXECUTE FUNCTION mark_members_stale();
