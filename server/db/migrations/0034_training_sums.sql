CREATE TABLE "training_by_person" (
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"bits" smallint NOT NULL,
	"late_at" timestamp (3) with time zone NOT NULL,
	"waived_until" timestamp (3) with time zone NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "training_by_person_pk" PRIMARY KEY("organization_id","user_id","bits","late_at","waived_until")
);
--> statement-breakpoint
CREATE TABLE "training_by_video" (
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"bits" smallint NOT NULL,
	"late_at" timestamp (3) with time zone NOT NULL,
	"waived_until" timestamp (3) with time zone NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "training_by_video_pk" PRIMARY KEY("organization_id","video_id","bits","late_at","waived_until")
);
--> statement-breakpoint
CREATE TABLE "training_cells" (
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"bits" smallint NOT NULL,
	"late_at" timestamp (3) with time zone NOT NULL,
	"waived_until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "training_cells_organization_id_user_id_video_id_pk" PRIMARY KEY("organization_id","user_id","video_id")
);
--> statement-breakpoint
CREATE TABLE "training_marks" (
	"organization_id" uuid NOT NULL,
	"video_id" uuid,
	"user_ids" uuid[]
);
--> statement-breakpoint
DROP INDEX "quiz_attempts_by_person";--> statement-breakpoint
DROP INDEX "viewer_videos_by_user";--> statement-breakpoint
CREATE INDEX "training_by_person_late" ON "training_by_person" USING btree ("organization_id","late_at","user_id","waived_until") WHERE late_at < 'infinity';--> statement-breakpoint
CREATE INDEX "quiz_attempts_by_whom" ON "quiz_attempts" USING btree ("organization_id","user_id","video_id");--> statement-breakpoint
CREATE INDEX "transmissions_by_video" ON "transmissions" USING btree ("organization_id","video_id");--> statement-breakpoint
CREATE INDEX "viewer_videos_by_person" ON "viewer_videos" USING btree ("user_id","video_id");--> statement-breakpoint
SELECT raise_wall('training_cells'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('training_by_person'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('training_by_video'::regclass, 'organization_id');--> statement-breakpoint
SELECT raise_wall('training_marks'::regclass, 'organization_id');--> statement-breakpoint
-- Their rows are written again and again, in place where there is room.
ALTER TABLE training_cells SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE training_by_person SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE training_by_video SET (fillfactor = 50);--> statement-breakpoint
-- Marks are written and deleted all the time, and few are ever there: dead ones must not be walked through for long.
ALTER TABLE training_marks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);--> statement-breakpoint
-- A function for each table that says something of a person and a video: what a row says is compared before and after, so that what
-- changes nothing in the matrix marks nothing. One mark for each statement and video, however many people it is about.
CREATE FUNCTION mark_training_of_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT t.organization_id, t.video_id, array_agg(c.user_id) FROM new_rows c JOIN transmissions t ON t.id = c.transmission_id
      WHERE c.state NOT IN ('skipped', 'cancelled') GROUP BY 1, 2;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT t.organization_id, t.video_id, array_agg(DISTINCT c.user_id)
      FROM (SELECT transmission_id, user_id FROM (
          SELECT transmission_id, user_id, state IN ('accepted', 'delivered') AS reached, 1 AS n FROM new_rows WHERE state NOT IN ('skipped', 'cancelled')
          UNION ALL SELECT transmission_id, user_id, state IN ('accepted', 'delivered'), -1 FROM old_rows WHERE state NOT IN ('skipped', 'cancelled')) b
        GROUP BY transmission_id, user_id, reached HAVING sum(n) <> 0) c
      JOIN transmissions t ON t.id = c.transmission_id GROUP BY 1, 2;
  ELSE
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT t.organization_id, t.video_id, array_agg(c.user_id) FROM old_rows c JOIN transmissions t ON t.id = c.transmission_id
      WHERE c.state NOT IN ('skipped', 'cancelled') GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION mark_training_of_viewing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM new_rows
      WHERE user_id IS NOT NULL AND (plays > 0 OR covered_ms > 0 OR completed_at IS NOT NULL) GROUP BY 1, 2;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(DISTINCT user_id) FROM (
        SELECT organization_id, video_id, user_id FROM (
          SELECT organization_id, video_id, user_id, plays > 0 OR covered_ms > 0 AS started, completed_at IS NOT NULL AS completed, 1 AS n FROM new_rows
          UNION ALL SELECT organization_id, video_id, user_id, plays > 0 OR covered_ms > 0, completed_at IS NOT NULL, -1 FROM old_rows) b
        WHERE user_id IS NOT NULL GROUP BY organization_id, video_id, user_id, started, completed HAVING sum(n) <> 0) c
      GROUP BY 1, 2;
  ELSE
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM old_rows WHERE user_id IS NOT NULL GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION mark_training_of_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM new_rows
      WHERE user_id IS NOT NULL AND passed AND completed_at IS NOT NULL GROUP BY 1, 2;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM (
        SELECT organization_id, video_id, user_id FROM (
          SELECT organization_id, video_id, user_id, 1 AS n FROM new_rows WHERE passed AND completed_at IS NOT NULL
          UNION ALL SELECT organization_id, video_id, user_id, -1 FROM old_rows WHERE passed AND completed_at IS NOT NULL) b
        WHERE user_id IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0) c
      GROUP BY 1, 2;
  ELSE
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM old_rows
      WHERE user_id IS NOT NULL AND passed AND completed_at IS NOT NULL GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION mark_training_of_waivers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM new_rows WHERE ended_at IS NULL GROUP BY 1, 2;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(DISTINCT user_id) FROM (
        SELECT organization_id, video_id, user_id FROM (
          SELECT organization_id, video_id, user_id, until, 1 AS n FROM new_rows WHERE ended_at IS NULL
          UNION ALL SELECT organization_id, video_id, user_id, until, -1 FROM old_rows WHERE ended_at IS NULL) b
        GROUP BY organization_id, video_id, user_id, until HAVING sum(n) <> 0) c
      GROUP BY 1, 2;
  ELSE
    INSERT INTO training_marks (organization_id, video_id, user_ids)
      SELECT organization_id, video_id, array_agg(user_id) FROM old_rows WHERE ended_at IS NULL GROUP BY 1, 2;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
-- Of messages that were let go already; the day by which one is due can be moved.
CREATE FUNCTION mark_training_of_transmissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO training_marks (organization_id, video_id, user_ids)
    SELECT c.organization_id, c.video_id, array_agg(d.user_id) FROM (
      SELECT id, organization_id, video_id FROM (
        SELECT id, organization_id, video_id, due_at, 1 AS n FROM new_rows WHERE state <> 'draft'
        UNION ALL SELECT id, organization_id, video_id, due_at, -1 FROM old_rows WHERE state <> 'draft') b
      GROUP BY id, organization_id, video_id, due_at HAVING sum(n) <> 0) c
    JOIN deliveries d ON d.transmission_id = c.id WHERE d.state NOT IN ('skipped', 'cancelled') GROUP BY 1, 2;
  RETURN NULL;
END $$;--> statement-breakpoint
-- Who is removed or disabled has no row, and what is removed no column; new ones have no cells yet.
CREATE FUNCTION mark_training_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, user_ids)
      SELECT organization_id, array_agg(id) FROM (
        SELECT organization_id, id FROM (
          SELECT organization_id, id, 1 AS n FROM new_rows WHERE deleted_at IS NULL AND state <> 'disabled'
          UNION ALL SELECT organization_id, id, -1 FROM old_rows WHERE deleted_at IS NULL AND state <> 'disabled') b
        WHERE organization_id IS NOT NULL GROUP BY 1, 2 HAVING sum(n) <> 0) c
      GROUP BY 1;
  ELSE
    INSERT INTO training_marks (organization_id, user_ids)
      SELECT organization_id, array_agg(id) FROM old_rows
      WHERE organization_id IS NOT NULL AND deleted_at IS NULL AND state <> 'disabled' GROUP BY 1;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION mark_training_of_videos() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO training_marks (organization_id, video_id)
      SELECT organization_id, id FROM (
        SELECT organization_id, id, 1 AS n FROM new_rows WHERE deleted_at IS NULL
        UNION ALL SELECT organization_id, id, -1 FROM old_rows WHERE deleted_at IS NULL) b
      GROUP BY 1, 2 HAVING sum(n) <> 0;
  ELSE
    INSERT INTO training_marks (organization_id, video_id) SELECT organization_id, id FROM old_rows WHERE deleted_at IS NULL;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
DO $$
DECLARE told record;
BEGIN
  FOR told IN SELECT * FROM (VALUES ('deliveries', 'deliveries'), ('viewer_videos', 'viewing'), ('quiz_attempts', 'attempts'), ('training_waivers', 'waivers'),
      ('transmissions', 'transmissions'), ('users', 'users'), ('videos', 'videos')) v(tab, name) LOOP
    IF told.tab NOT IN ('transmissions', 'users', 'videos') THEN
      EXECUTE format('CREATE TRIGGER mark_training_of_new AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_%s()', told.tab, told.name);
    END IF;
    EXECUTE format('CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_%s()', told.tab, told.name);
    IF told.tab <> 'transmissions' THEN
      EXECUTE format('CREATE TRIGGER mark_training_of_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_%s()', told.tab, told.name);
    END IF;
  END LOOP;
END $$;--> statement-breakpoint
-- Everything is new to these sums: it is counted in the background, organization by organization, and until then when it is asked for.
INSERT INTO training_marks (organization_id) SELECT id FROM organizations;
