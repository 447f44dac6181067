-- A row of reach_sums without its organization: what one viewer adds to it.
CREATE TYPE reach_part AS (kind smallint, subject uuid, day date, before date, forgotten int, known int, finished int, seen_ms int, covered_ms int, watch_ms bigint);--> statement-breakpoint
CREATE TABLE "reach_marks" (
	"organization_id" uuid NOT NULL,
	"viewer" text NOT NULL,
	"user_id" uuid
);
--> statement-breakpoint
CREATE TABLE "reach_sums" (
	"kind" smallint NOT NULL,
	"organization_id" uuid NOT NULL,
	"subject" uuid NOT NULL,
	"day" date NOT NULL,
	"before" date NOT NULL,
	"n" bigint NOT NULL,
	"forgotten" bigint NOT NULL,
	"known" bigint NOT NULL,
	"finished" bigint NOT NULL,
	"seen_ms" bigint NOT NULL,
	"covered_ms" bigint NOT NULL,
	"watch_ms" bigint NOT NULL,
	CONSTRAINT "reach_sums_kind_organization_id_day_before_subject_pk" PRIMARY KEY("kind","organization_id","day","before","subject")
);
--> statement-breakpoint
CREATE TABLE "viewer_reach" (
	"organization_id" uuid NOT NULL,
	"viewer" text NOT NULL,
	"parts" "reach_part"[] NOT NULL,
	CONSTRAINT "viewer_reach_organization_id_viewer_pk" PRIMARY KEY("organization_id","viewer")
);
--> statement-breakpoint
CREATE INDEX "users_removed" ON "users" USING btree ("organization_id","id") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "viewer_days_by_nobody" ON "viewer_days" USING btree ("organization_id","viewer_key") WHERE user_id is null;--> statement-breakpoint
CREATE INDEX "viewer_videos_by_nobody" ON "viewer_videos" USING btree ("viewer_key") WHERE user_id is null;
--> statement-breakpoint
SELECT raise_wall('reach_sums'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('viewer_reach'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('reach_marks'::regclass, 'organization_id');--> statement-breakpoint
-- Marks are written and deleted all the time, and few are ever there: dead ones must not be walked through for long.
ALTER TABLE reach_marks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);--> statement-breakpoint
CREATE FUNCTION mark_reach() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reach_marks (organization_id, viewer, user_id)
    SELECT DISTINCT organization_id, coalesce(user_id::text, viewer_key), user_id FROM changed;
  RETURN NULL;
END $$;--> statement-breakpoint
-- A viewer who is there on a day already moves nothing by staying longer, only by playing for the first time.
CREATE FUNCTION mark_reach_of_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reach_marks (organization_id, viewer, user_id)
    SELECT DISTINCT c.organization_id, coalesce(c.user_id::text, c.viewer_key), c.user_id FROM changed c
    JOIN former f ON f.organization_id = c.organization_id AND f.day = c.day AND f.video_id = c.video_id AND f.viewer_key = c.viewer_key
    WHERE (f.plays > 0) <> (c.plays > 0);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER mark_reach_of_new AFTER INSERT ON viewer_days REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();--> statement-breakpoint
CREATE TRIGGER mark_reach_of_changed AFTER UPDATE ON viewer_days REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach_of_days();--> statement-breakpoint
CREATE TRIGGER mark_reach_of_gone AFTER DELETE ON viewer_days REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();--> statement-breakpoint
CREATE TRIGGER mark_reach_of_new AFTER INSERT ON viewer_videos REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();--> statement-breakpoint
CREATE TRIGGER mark_reach_of_changed AFTER UPDATE ON viewer_videos REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();--> statement-breakpoint
CREATE TRIGGER mark_reach_of_gone AFTER DELETE ON viewer_videos REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();--> statement-breakpoint
-- Everybody is new to these sums: the fold counts them at its next turns, and until then reports count them by themselves.
INSERT INTO reach_marks (organization_id, viewer, user_id)
  SELECT organization_id, coalesce(user_id::text, viewer_key), user_id FROM viewer_days
  UNION SELECT organization_id, coalesce(user_id::text, viewer_key), user_id FROM viewer_videos;
