-- Back from 14_derived_figures.sql to the figures of before; a test proves by its hash that the schema is that of then.
DROP FUNCTION mark_dirty() CASCADE;
DROP FUNCTION has_rules(uuid);
DROP TABLE dirty_keys, report_figures;
DROP INDEX quiz_attention_by_question;
ALTER TABLE groups ADD COLUMN rule_stale boolean NOT NULL DEFAULT false;
CREATE INDEX groups_stale ON groups (organization_id) WHERE rule_stale;

-- People whose rule groups have to be worked out again; written by triggers. Each change is a line of its own, so that nobody who writes
-- one ever waits, and so that working out what one line says cannot take away what another says.
CREATE TABLE membership_stale (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL
);
CREATE INDEX membership_stale_in_order ON membership_stale (organization_id, id);
SELECT raise_wall('membership_stale', 'organization_id');

-- Marks people whose rule groups have to be worked out again. Whoever works them out says so, and marks nobody. What has changed is
-- found with EXCEPT: a join of both sides keeps the plan of its first call, which was about one row, and is quadratic for many.
CREATE FUNCTION mark_stale() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER stale_inserted AFTER INSERT ON group_members
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
CREATE TRIGGER stale_deleted AFTER DELETE ON group_members
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
CREATE TRIGGER stale_inserted AFTER INSERT ON users
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
CREATE TRIGGER stale_updated AFTER UPDATE ON users
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();
CREATE TRIGGER stale_updated AFTER UPDATE ON group_members
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_stale();

CREATE FUNCTION mark_rule_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.rule_stale := NEW.kind = 'rule' AND NEW.deleted_at IS NULL;
  RETURN NEW;
END $$;

-- A rule that is new or another, and one that comes back after its group was removed.
CREATE TRIGGER rule_stale_inserted BEFORE INSERT ON groups FOR EACH ROW WHEN (NEW.kind = 'rule') EXECUTE FUNCTION mark_rule_stale();
CREATE TRIGGER rule_stale_updated BEFORE UPDATE OF kind, rule, deleted_at ON groups FOR EACH ROW
  WHEN ((NEW.kind, NEW.rule, NEW.deleted_at) IS DISTINCT FROM (OLD.kind, OLD.rule, OLD.deleted_at)) EXECUTE FUNCTION mark_rule_stale();

-- Nobody is a member of a removed group: rules that ask about it look at its members again.
CREATE FUNCTION mark_members_stale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO membership_stale (organization_id, user_id) SELECT m.organization_id, m.user_id FROM group_members m
    WHERE m.group_id = NEW.id
      AND EXISTS (SELECT 1 FROM groups g WHERE g.organization_id = NEW.organization_id AND g.kind = 'rule' AND g.deleted_at IS NULL);
  RETURN NULL;
END $$;

CREATE TRIGGER members_stale AFTER UPDATE OF deleted_at ON groups FOR EACH ROW
  WHEN (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at) EXECUTE FUNCTION mark_members_stale();

-- A row of reach_sums without its organization: what one viewer adds to it.
CREATE TYPE reach_part AS (kind smallint, subject uuid, day date, before date, forgotten int, known int, finished int, seen_ms int, covered_ms int, watch_ms bigint);

-- Different people, viewers, viewings and completions of any days, as exact sums. Who was there on `day` had been there last on `before`
-- (`-infinity`: never): those who were there from one day to another are the rows of these days whose `before` is earlier. Beside them
-- stands the sum of each day (`before` is `infinity`), from which few have to be taken away where the period is short.
CREATE TABLE reach_sums (
  -- One of `reachKinds`.
  kind smallint NOT NULL,
  organization_id uuid NOT NULL,
  -- A video or a version, by the kind; nothing but zeros for the organization.
  subject uuid NOT NULL,
  day date NOT NULL,
  before date NOT NULL,
  n bigint NOT NULL,
  -- Of viewings: those of which only the day is kept, those of which more is known, and the completed among these.
  forgotten bigint NOT NULL,
  known bigint NOT NULL,
  finished bigint NOT NULL,
  -- Of viewers of a version, as they stand by now: media time covered within its length, covered, played.
  seen_ms bigint NOT NULL,
  covered_ms bigint NOT NULL,
  watch_ms bigint NOT NULL,
  CONSTRAINT reach_sums_kind_organization_id_before_day_subject_pk PRIMARY KEY (kind, organization_id, before, day, subject)
) WITH (fillfactor = 80);
SELECT raise_wall('reach_sums', 'organization_id');

-- What each viewer stands for in these sums, so that it can be taken out again when their days have changed.
CREATE TABLE viewer_reach (
  organization_id uuid NOT NULL,
  -- The person where they are known, else the key.
  viewer text NOT NULL,
  parts reach_part[] NOT NULL,
  CONSTRAINT viewer_reach_organization_id_viewer_pk PRIMARY KEY (organization_id, viewer)
) WITH (fillfactor = 80);
SELECT raise_wall('viewer_reach', 'organization_id');

-- Viewers whose days have changed since the sums were brought up to date. Written by triggers of `viewer_days` and `viewer_videos`.
CREATE TABLE reach_marks (
  organization_id uuid NOT NULL,
  viewer text NOT NULL,
  user_id uuid
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
SELECT raise_wall('reach_marks', 'organization_id');

CREATE FUNCTION mark_reach() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reach_marks (organization_id, viewer, user_id)
    SELECT DISTINCT organization_id, coalesce(user_id::text, viewer_key), user_id FROM changed;
  RETURN NULL;
END $$;

-- A viewer who is there on a day already moves nothing by staying longer, only by playing for the first time.
CREATE FUNCTION mark_reach_of_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reach_marks (organization_id, viewer, user_id)
    SELECT DISTINCT c.organization_id, coalesce(c.user_id::text, c.viewer_key), c.user_id FROM changed c
    JOIN former f ON f.organization_id = c.organization_id AND f.day = c.day AND f.video_id = c.video_id AND f.viewer_key = c.viewer_key
    WHERE (f.plays > 0) <> (c.plays > 0);
  RETURN NULL;
END $$;

CREATE TRIGGER mark_reach_of_new AFTER INSERT ON viewer_days
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();
CREATE TRIGGER mark_reach_of_gone AFTER DELETE ON viewer_days
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();
CREATE TRIGGER mark_reach_of_new AFTER INSERT ON viewer_videos
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();
CREATE TRIGGER mark_reach_of_changed AFTER UPDATE ON viewer_videos
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();
CREATE TRIGGER mark_reach_of_gone AFTER DELETE ON viewer_videos
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach();

CREATE TRIGGER mark_reach_of_changed AFTER UPDATE ON viewer_days
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_reach_of_days();

-- A row of quiz_sums without its organization: what one person adds to it.
CREATE TYPE quiz_part AS (kind smallint, subject uuid, day date, before date, share float8, n int);

-- Completed attempts and the people behind them, of any days, as exact sums. Who was there on `day` had been there last on `before`
-- (`-infinity`: never, and for all that is not about different people), as in `reach_sums`.
CREATE TABLE quiz_sums (
  -- One of `quizKinds`.
  kind smallint NOT NULL,
  organization_id uuid NOT NULL,
  -- A version of questions or a video, by the kind; nothing but zeros for the organization.
  subject uuid NOT NULL,
  day date NOT NULL,
  before date NOT NULL,
  -- Of first attempts: the share of the full score, -1 where there is none to reach. 0 for all else.
  share double precision NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT quiz_sums_kind_organization_id_day_before_subject_share_pk PRIMARY KEY (kind, organization_id, day, before, subject, share)
);
SELECT raise_wall('quiz_sums', 'organization_id');

-- What each person stands for in these sums, so that it can be taken out again, and counted for some people alone.
CREATE TABLE quiz_people (
  organization_id uuid NOT NULL,
  -- The id where they are known by name, else the key.
  person text NOT NULL,
  user_id uuid,
  parts quiz_part[] NOT NULL,
  CONSTRAINT quiz_people_organization_id_person_pk PRIMARY KEY (organization_id, person)
);
CREATE INDEX quiz_people_by_user ON quiz_people (user_id);
SELECT raise_wall('quiz_people', 'organization_id');

-- People whose attempts have changed since the sums were brought up to date. Written by triggers of `quiz_attempts`.
CREATE TABLE quiz_marks (
  organization_id uuid NOT NULL,
  person text NOT NULL,
  user_id uuid
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
SELECT raise_wall('quiz_marks', 'organization_id');

-- How many people these are for each question and verdict.
CREATE TABLE quiz_attention_sums (
  item_id uuid NOT NULL,
  verdict smallint NOT NULL,
  organization_id uuid NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT quiz_attention_sums_item_id_verdict_pk PRIMARY KEY (item_id, verdict)
);
SELECT raise_wall('quiz_attention_sums', 'organization_id');

-- People about whom it has to be found out again. Written by triggers of attempts, answers, sessions and spans.
CREATE TABLE quiz_attention_marks (
  video_id uuid NOT NULL,
  person text NOT NULL,
  organization_id uuid NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX quiz_attention_marks_by_video ON quiz_attention_marks (video_id);
SELECT raise_wall('quiz_attention_marks', 'organization_id');

-- Whose an attempt was, and whose it is.
CREATE FUNCTION mark_quizzes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_marks (organization_id, person, user_id)
    SELECT DISTINCT organization_id, coalesce(user_id::text, viewer_key), user_id
    FROM (VALUES (OLD.organization_id, OLD.user_id, OLD.viewer_key), (NEW.organization_id, NEW.user_id, NEW.viewer_key))
      a(organization_id, user_id, viewer_key) WHERE organization_id IS NOT NULL;
  RETURN NULL;
END $$;

-- An attempt that is not completed moves nothing, however often it changes.
CREATE TRIGGER mark_quizzes_of_new AFTER INSERT ON quiz_attempts FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION mark_quizzes();
CREATE TRIGGER mark_quizzes_of_changed AFTER UPDATE ON quiz_attempts FOR EACH ROW
  WHEN (coalesce(NEW.completed_at, OLD.completed_at) IS NOT NULL
    AND (NEW.completed_at, NEW.score, NEW.max_score, NEW.passed, NEW.is_first, NEW.user_id, NEW.viewer_key)
      IS DISTINCT FROM (OLD.completed_at, OLD.score, OLD.max_score, OLD.passed, OLD.is_first, OLD.user_id, OLD.viewer_key))
  EXECUTE FUNCTION mark_quizzes();
CREATE TRIGGER mark_quizzes_of_gone AFTER DELETE ON quiz_attempts FOR EACH ROW WHEN (OLD.completed_at IS NOT NULL) EXECUTE FUNCTION mark_quizzes();

CREATE FUNCTION mark_attention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF teaches(coalesce(NEW.version_id, OLD.version_id)) THEN
    INSERT INTO quiz_attention_marks (video_id, person, organization_id)
      SELECT DISTINCT video_id, coalesce(user_id::text, viewer_key), organization_id
      FROM (VALUES (OLD.video_id, OLD.organization_id, OLD.user_id, OLD.viewer_key), (NEW.video_id, NEW.organization_id, NEW.user_id, NEW.viewer_key))
        a(video_id, organization_id, user_id, viewer_key) WHERE organization_id IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_attention_of_new AFTER INSERT ON quiz_attempts FOR EACH ROW WHEN (NEW.is_first) EXECUTE FUNCTION mark_attention();
CREATE TRIGGER mark_attention_of_changed AFTER UPDATE ON quiz_attempts FOR EACH ROW
  WHEN ((NEW.is_first, NEW.user_id, NEW.viewer_key) IS DISTINCT FROM (OLD.is_first, OLD.user_id, OLD.viewer_key))
  EXECUTE FUNCTION mark_attention();
CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON quiz_attempts FOR EACH ROW EXECUTE FUNCTION mark_attention();

-- A right answer may put right an earlier one. A wrong one counts when its attempt becomes the first.
CREATE FUNCTION mark_attention_of_answer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM quiz_items i WHERE i.id = NEW.item_id AND i.teaches_to_ms > i.teaches_from_ms) THEN
    INSERT INTO quiz_attention_marks (video_id, person, organization_id)
      SELECT video_id, coalesce(user_id::text, viewer_key), organization_id FROM quiz_attempts WHERE id = NEW.attempt_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_attention_of_new AFTER INSERT ON quiz_answers FOR EACH ROW WHEN (NEW.correct) EXECUTE FUNCTION mark_attention_of_answer();

-- Sessions change all the time, and hardly ever what somebody had watched when they answered. Only people with a verdict need a mark:
-- whoever has none yet has one already, and verdicts are found under the lock of the video, which whoever writes its sessions holds.
CREATE FUNCTION mark_attention_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_attention_marks (video_id, person, organization_id)
    SELECT DISTINCT v.video_id, v.person, v.organization_id FROM changed c
    CROSS JOIN LATERAL (SELECT t.* FROM quiz_attention t WHERE t.video_id = c.video_id
      AND t.person = ANY (ARRAY[c.viewer_key, split_part(c.viewer_key, ':', 2)])
      AND (TG_OP <> 'UPDATE' OR c.started_at < t.until OR c.flags & 2097152 <> 0) OFFSET 0) v;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_attention_of_new AFTER INSERT ON play_sessions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();
CREATE TRIGGER mark_attention_of_changed AFTER UPDATE ON play_sessions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();
CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON play_sessions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();

-- Spans that are written come with their session. These go, perhaps without it.
CREATE FUNCTION mark_attention_of_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_attention_marks (video_id, person, organization_id)
    SELECT DISTINCT v.video_id, v.person, v.organization_id FROM (SELECT DISTINCT session_id FROM changed) c
    CROSS JOIN LATERAL (SELECT t.* FROM play_sessions t WHERE t.id = c.session_id OFFSET 0) s
    CROSS JOIN LATERAL (SELECT t.* FROM quiz_attention t WHERE t.video_id = s.video_id
      AND t.person = ANY (ARRAY[s.viewer_key, split_part(s.viewer_key, ':', 2)]) OFFSET 0) v;
  RETURN NULL;
END $$;

CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON play_spans
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_spans();

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
