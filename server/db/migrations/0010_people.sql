CREATE EXTENSION IF NOT EXISTS unaccent;
--> statement-breakpoint
-- Text as people search for it: lower case, without accents (`Ångström` is found by `angstrom`). unaccent() calls itself STABLE because
-- its rules are a file; with the rules named, and a file that nobody changes, the answer never does.
CREATE FUNCTION fold_text(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT lower(public.unaccent('public.unaccent'::regdictionary, given)) $$;
--> statement-breakpoint
-- As in 0003: behind row-level security an index serves only what cannot tell anything about a hidden row.
DO $$ BEGIN
  ALTER FUNCTION fold_text(text) LEAKPROOF;
  ALTER FUNCTION word_similarity_op(text, text) LEAKPROOF;
  ALTER FUNCTION word_similarity_commutator_op(text, text) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
--> statement-breakpoint
CREATE TABLE "imports" (
	"operation_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	"content" text NOT NULL,
	"delimiter" text NOT NULL,
	"header" text[] NOT NULL,
	"mapping" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operation_rows" (
	"operation_id" uuid NOT NULL,
	"organization_id" uuid,
	"position" integer NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid,
	"group_id" uuid,
	"label" text NOT NULL,
	"input" jsonb,
	"outcome" text,
	"reason" text,
	"before" jsonb,
	"after" jsonb,
	"undo" text,
	CONSTRAINT "operation_rows_operation_id_position_pk" PRIMARY KEY("operation_id","position")
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"kind" text NOT NULL,
	"state" text NOT NULL,
	"params" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"total" integer DEFAULT 0 NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"undo_counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"error" text,
	"created_by" uuid,
	"created_by_name" text NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"undo_until" timestamp (3) with time zone,
	"undone_at" timestamp (3) with time zone,
	"undone_by" uuid,
	"undone_by_name" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "custom_fields" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"key" text NOT NULL,
	"label" text NOT NULL,
	"type" text NOT NULL,
	"options" text[] DEFAULT '{}' NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "membership_log" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"change" text NOT NULL,
	"cause" text NOT NULL,
	"actor_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "membership_stale" (
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "membership_stale_organization_id_user_id_pk" PRIMARY KEY("organization_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "pictures" (
	"key" text PRIMARY KEY NOT NULL,
	"organization_id" uuid,
	"type" text NOT NULL,
	"data" "bytea" NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"owner_id" uuid NOT NULL,
	"list" text NOT NULL,
	"name" text NOT NULL,
	"search" jsonb NOT NULL,
	"shared" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
DROP INDEX "groups_search";--> statement-breakpoint
DROP INDEX "organizations_search";--> statement-breakpoint
ALTER TABLE "users" drop column "search";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "search" text GENERATED ALWAYS AS (fold_text(name || ' ' || email || ' ' || coalesce(external_id, ''))) STORED;--> statement-breakpoint
ALTER TABLE "group_members" ADD COLUMN "by_rule" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "logo" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "avatar" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "role_since" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "erased_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_operation_id_operations_id_fk" FOREIGN KEY ("operation_id") REFERENCES "public"."operations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operation_rows" ADD CONSTRAINT "operation_rows_operation_id_operations_id_fk" FOREIGN KEY ("operation_id") REFERENCES "public"."operations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_fields" ADD CONSTRAINT "custom_fields_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pictures" ADD CONSTRAINT "pictures_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operation_rows_by_entity" ON "operation_rows" USING btree ("entity_id");--> statement-breakpoint
CREATE INDEX "operation_rows_by_outcome" ON "operation_rows" USING btree ("operation_id","outcome","position");--> statement-breakpoint
CREATE INDEX "operations_newest" ON "operations" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "operations_by_person" ON "operations" USING btree ("created_by","created_at");--> statement-breakpoint
CREATE INDEX "operations_at_work" ON "operations" USING btree ("state") WHERE state in ('queued', 'running', 'cancelling', 'undoing');--> statement-breakpoint
CREATE UNIQUE INDEX "custom_fields_key" ON "custom_fields" USING btree ("organization_id","key") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "custom_fields_label" ON "custom_fields" USING btree ("organization_id",lower("label")) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "membership_log_by_group" ON "membership_log" USING btree ("group_id","created_at","id");--> statement-breakpoint
CREATE INDEX "membership_log_by_user" ON "membership_log" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "pictures_of_organization" ON "pictures" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "saved_views_of_list" ON "saved_views" USING btree ("organization_id","list");--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_name" ON "saved_views" USING btree ("owner_id",coalesce("organization_id", "owner_id"),"list",lower("name"));--> statement-breakpoint
CREATE INDEX "users_by_last_seen" ON "users" USING btree ("organization_id",coalesce("last_seen_at", '-infinity'),"id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_with_role" ON "users" USING btree ("organization_id","role") WHERE role is not null and deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_custom_fields" ON "users" USING gin ("organization_id","custom_fields" jsonb_path_ops);--> statement-breakpoint
CREATE INDEX "groups_search" ON "groups" USING gin ("organization_id",fold_text("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "organizations_search" ON "organizations" USING gin (fold_text("name") gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("organization_id","search" gin_trgm_ops);
--> statement-breakpoint
SELECT raise_wall(name::regclass, 'organization_id') FROM unnest(ARRAY['operations', 'operation_rows', 'imports', 'membership_log', 'membership_stale', 'custom_fields', 'saved_views', 'pictures']) name;
--> statement-breakpoint
-- History: written once, read, never changed.
REVOKE UPDATE, DELETE ON membership_log FROM sendreel_app;
--> statement-breakpoint
CREATE FUNCTION keep_role_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.role_since := now();
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER role_since BEFORE UPDATE OF role ON users FOR EACH ROW WHEN (NEW.role IS DISTINCT FROM OLD.role) EXECUTE FUNCTION keep_role_since();
--> statement-breakpoint
-- One INSERT per statement, whoever changes the memberships, so that the history of a group cannot have a hole.
CREATE FUNCTION log_membership() RETURNS trigger LANGUAGE plpgsql AS $$
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
    SELECT n.organization_id, n.group_id, n.user_id, CASE WHEN n.groupadmin THEN 'groupadmin' ELSE 'no_groupadmin' END, why, actor
    FROM new_rows n JOIN old_rows o USING (group_id, user_id) WHERE n.groupadmin <> o.groupadmin;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Everything that the rule of a group may ask about marks the person, so that a change that forgets to work out the rules is found by
-- the next one that does, and by the worker.
CREATE FUNCTION mark_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'group_members' THEN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO membership_stale SELECT DISTINCT n.organization_id, n.user_id FROM new_rows n
        WHERE EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = n.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING;
    ELSE
      INSERT INTO membership_stale SELECT DISTINCT o.organization_id, o.user_id FROM old_rows o
        WHERE EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = o.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING;
    END IF;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO membership_stale SELECT n.organization_id, n.id FROM new_rows n
      WHERE EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = n.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL)
      ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO membership_stale SELECT n.organization_id, n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
      WHERE (n.email, n.role, n.state, n.custom_fields, n.deleted_at) IS DISTINCT FROM (o.email, o.role, o.state, o.custom_fields, o.deleted_at)
        AND EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = n.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL)
      ORDER BY 1, 2 ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER log_inserted AFTER INSERT ON group_members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();
--> statement-breakpoint
CREATE TRIGGER log_updated AFTER UPDATE ON group_members REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();
--> statement-breakpoint
CREATE TRIGGER log_deleted AFTER DELETE ON group_members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION log_membership();
--> statement-breakpoint
CREATE TRIGGER stale_inserted AFTER INSERT ON group_members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
--> statement-breakpoint
CREATE TRIGGER stale_deleted AFTER DELETE ON group_members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
--> statement-breakpoint
CREATE TRIGGER stale_inserted AFTER INSERT ON users REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
--> statement-breakpoint
CREATE TRIGGER stale_updated AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
--> statement-breakpoint
-- What was there before has a history too: it begins with the day on which each membership began.
INSERT INTO membership_log (organization_id, group_id, user_id, change, cause, created_at)
  SELECT organization_id, group_id, user_id, 'added', 'system', created_at FROM group_members;
