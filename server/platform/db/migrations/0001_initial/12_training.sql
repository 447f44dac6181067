-- Somebody need not watch a video: who decided so, when and why. Never deleted, only ended; what ran out is ended too.
CREATE TABLE training_waivers (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  reason text NOT NULL,
  -- It holds up to this instant; null: for good.
  until timestamptz(3),
  given_by uuid,
  given_by_name text NOT NULL,
  given_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  ended_by uuid,
  ended_by_name text,
  CONSTRAINT training_waivers_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id)
);
CREATE UNIQUE INDEX training_waivers_standing ON training_waivers (organization_id, user_id, video_id) WHERE ended_at IS NULL;
CREATE INDEX training_waivers_by_person ON training_waivers (user_id, video_id);
SELECT raise_wall('training_waivers', 'organization_id');

-- The cells of the training matrix of which anything is known, of people and videos that are there.
CREATE TABLE training_cells (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- As `trainingFacts` number them, without `waived` and `late`.
  bits smallint NOT NULL,
  late_at timestamptz(3) NOT NULL,
  waived_until timestamptz(3) NOT NULL,
  CONSTRAINT training_cells_organization_id_user_id_video_id_pk PRIMARY KEY (organization_id, user_id, video_id)
) WITH (fillfactor = 80);
SELECT raise_wall('training_cells', 'organization_id');

-- How many cells of each kind a person has.
CREATE TABLE training_by_person (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- As `trainingFacts` number them, without `waived` and `late`.
  bits smallint NOT NULL,
  late_at timestamptz(3) NOT NULL,
  waived_until timestamptz(3) NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT training_by_person_pk PRIMARY KEY (organization_id, user_id, bits, late_at, waived_until)
) WITH (fillfactor = 80);
CREATE INDEX training_by_person_late ON training_by_person (organization_id, late_at, user_id, waived_until) WHERE late_at < 'infinity';
SELECT raise_wall('training_by_person', 'organization_id');

-- How many cells of each kind a video has.
CREATE TABLE training_by_video (
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- As `trainingFacts` number them, without `waived` and `late`.
  bits smallint NOT NULL,
  late_at timestamptz(3) NOT NULL,
  waived_until timestamptz(3) NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT training_by_video_pk PRIMARY KEY (organization_id, video_id, bits, late_at, waived_until)
) WITH (fillfactor = 50);
SELECT raise_wall('training_by_video', 'organization_id');

-- Cells that have changed since the sums were brought up to date: of these people, or (null) of everybody, with this video, or with all.
-- Written by triggers.
CREATE TABLE training_marks (
  organization_id uuid NOT NULL,
  video_id uuid,
  user_ids uuid[]
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
SELECT raise_wall('training_marks', 'organization_id');

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
END $$;

CREATE TRIGGER mark_training_of_new AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_deliveries();
CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_deliveries();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON deliveries
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_deliveries();

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
END $$;

CREATE TRIGGER mark_training_of_new AFTER INSERT ON viewer_videos
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_viewing();
CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON viewer_videos
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_viewing();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON viewer_videos
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_viewing();

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
END $$;

CREATE TRIGGER mark_training_of_new AFTER INSERT ON quiz_attempts
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_attempts();
CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON quiz_attempts
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_attempts();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON quiz_attempts
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_attempts();

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
END $$;

CREATE TRIGGER mark_training_of_new AFTER INSERT ON training_waivers
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_waivers();
CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON training_waivers
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_waivers();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON training_waivers
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_waivers();

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
END $$;

CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON transmissions
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_transmissions();

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
END $$;

CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_users();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON users
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_users();

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
END $$;

CREATE TRIGGER mark_training_of_changed AFTER UPDATE ON videos
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_videos();
CREATE TRIGGER mark_training_of_gone AFTER DELETE ON videos
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_training_of_videos();
