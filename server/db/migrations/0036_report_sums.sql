CREATE TABLE "actor_days" (
	"organization_id" uuid,
	"day" date NOT NULL,
	"actor_id" uuid NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "actor_days_once" UNIQUE NULLS NOT DISTINCT("organization_id","day","actor_id")
);
--> statement-breakpoint
CREATE TABLE "audit_days" (
	"organization_id" uuid,
	"day" date NOT NULL,
	"action" text NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "audit_days_once" UNIQUE NULLS NOT DISTINCT("organization_id","day","action")
);
--> statement-breakpoint
CREATE TABLE "transmission_viewing" (
	"transmission_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"opened" bigint NOT NULL,
	"started" bigint NOT NULL,
	"completed" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reach_sums" DROP CONSTRAINT "reach_sums_kind_organization_id_day_before_subject_pk";--> statement-breakpoint
ALTER TABLE "reach_sums" ADD CONSTRAINT "reach_sums_kind_organization_id_before_day_subject_pk" PRIMARY KEY("kind","organization_id","before","day","subject");--> statement-breakpoint
CREATE INDEX "viewer_days_of_people" ON "viewer_days" USING btree ("organization_id","video_id","day","user_id") WHERE user_id is not null;--> statement-breakpoint
CREATE INDEX "viewer_days_forgotten" ON "viewer_days" USING btree ("organization_id","day") WHERE viewer_key like 'gone:%';--> statement-breakpoint
SELECT raise_wall('actor_days'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('audit_days'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('transmission_viewing'::regclass, 'organization_id');--> statement-breakpoint
-- What changes in these rows stands in no index: a new version of a row finds room beside the old one.
ALTER TABLE reach_sums SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE viewer_reach SET (fillfactor = 80);--> statement-breakpoint
-- The sum of each day and month, beside what it is made of.
INSERT INTO reach_sums (kind, organization_id, subject, day, before, n, forgotten, known, finished, seen_ms, covered_ms, watch_ms)
  SELECT kind, organization_id, subject, day, 'infinity', sum(n), sum(forgotten), sum(known), sum(finished), sum(seen_ms), sum(covered_ms), sum(watch_ms)
  FROM reach_sums GROUP BY 1, 2, 3, 4;--> statement-breakpoint
-- Those who write about one transmission have the lock of its video, so they do not wait for each other here.
CREATE FUNCTION count_delivery_viewing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, count(opened_at), count(first_play_at), count(completed_at) FROM new_rows GROUP BY 1, 2 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, sum(opened), sum(started), sum(completed) FROM (
        SELECT transmission_id, organization_id, (opened_at IS NOT NULL)::int AS opened, (first_play_at IS NOT NULL)::int AS started, (completed_at IS NOT NULL)::int AS completed FROM new_rows
        UNION ALL SELECT transmission_id, organization_id, -(opened_at IS NOT NULL)::int, -(first_play_at IS NOT NULL)::int, -(completed_at IS NOT NULL)::int FROM old_rows) changed
      GROUP BY 1, 2 HAVING sum(opened) <> 0 OR sum(started) <> 0 OR sum(completed) <> 0 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  ELSE
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, -count(opened_at), -count(first_play_at), -count(completed_at) FROM old_rows GROUP BY 1, 2 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER count_inserted AFTER INSERT ON delivery_viewing REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();--> statement-breakpoint
CREATE TRIGGER count_updated AFTER UPDATE ON delivery_viewing REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();--> statement-breakpoint
CREATE TRIGGER count_deleted AFTER DELETE ON delivery_viewing REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();--> statement-breakpoint
INSERT INTO transmission_viewing (transmission_id, organization_id, opened, started, completed)
  SELECT transmission_id, organization_id, count(opened_at), count(first_play_at), count(completed_at) FROM delivery_viewing GROUP BY 1, 2;--> statement-breakpoint
-- An entry is counted when it gets its link: by one at a time, so that whoever writes entries never waits for these sums.
CREATE FUNCTION count_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_days AS d (organization_id, day, action, n)
    SELECT a.organization_id, (a.at AT TIME ZONE 'UTC')::date, a.action, count(*) FROM old_rows s JOIN audit a ON a.id = s.audit_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, day, action) DO UPDATE SET n = d.n + excluded.n;
  INSERT INTO actor_days AS d (organization_id, day, actor_id, n)
    SELECT a.organization_id, (a.at AT TIME ZONE 'UTC')::date, a.actor_id, count(*) FROM old_rows s JOIN audit a ON a.id = s.audit_id WHERE a.actor_id IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, day, actor_id) DO UPDATE SET n = d.n + excluded.n;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER count_sealed AFTER DELETE ON audit_unsealed REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_sealed();--> statement-breakpoint
INSERT INTO audit_days (organization_id, day, action, n)
  SELECT organization_id, (at AT TIME ZONE 'UTC')::date, action, count(*) FROM audit a WHERE NOT EXISTS (SELECT FROM audit_unsealed u WHERE u.audit_id = a.id) GROUP BY 1, 2, 3;--> statement-breakpoint
INSERT INTO actor_days (organization_id, day, actor_id, n)
  SELECT organization_id, (at AT TIME ZONE 'UTC')::date, actor_id, count(*) FROM audit a
  WHERE actor_id IS NOT NULL AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE u.audit_id = a.id) GROUP BY 1, 2, 3;
