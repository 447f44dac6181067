-- Figures that are kept beside what they are made of.

-- Difference arrays per version and second s of media time: the sum of a column up to s is the curve at s. Somebody counts in second s
-- when their coverage contains the instant s + 0.5 s; so the curves can be computed anew from the ranges, exactly.
CREATE TABLE video_heat (
  version_id uuid NOT NULL,
  sec integer NOT NULL,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- Different viewers, whenever they were there.
  viewers_delta integer NOT NULL DEFAULT 0,
  -- Passes: every time that somebody played this second, repeats counted.
  passes_delta integer NOT NULL DEFAULT 0,
  -- Plain counts in this second, no differences.
  seek_in integer NOT NULL DEFAULT 0,
  seek_out integer NOT NULL DEFAULT 0,
  pauses integer NOT NULL DEFAULT 0,
  -- Sessions that played, and whose last position this is.
  exits integer NOT NULL DEFAULT 0,
  CONSTRAINT video_heat_version_id_sec_pk PRIMARY KEY (version_id, sec)
) WITH (fillfactor = 70);
SELECT raise_wall('video_heat', 'organization_id');

-- The same by the day (UTC) on which a session began; a session counts once in each second, whoever it was.
CREATE TABLE video_heat_days (
  version_id uuid NOT NULL,
  -- ISO date.
  day text NOT NULL,
  sec integer NOT NULL,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  sessions_delta integer NOT NULL DEFAULT 0,
  passes_delta integer NOT NULL DEFAULT 0,
  -- Plain counts, as in `video_heat`.
  seek_in integer NOT NULL DEFAULT 0,
  seek_out integer NOT NULL DEFAULT 0,
  pauses integer NOT NULL DEFAULT 0,
  exits integer NOT NULL DEFAULT 0,
  CONSTRAINT video_heat_days_version_id_day_sec_pk PRIMARY KEY (version_id, day, sec)
) WITH (fillfactor = 80);
SELECT raise_wall('video_heat_days', 'organization_id');

-- Sums per version and day (UTC), for the figures of its audience. Those of sessions stand at the day on which a session began. Those of
-- viewers stand at the last day on which somebody began a session of that kind: the sum since a day is then the exact number of different
-- viewers since that day.
CREATE TABLE audience_days (
  version_id uuid NOT NULL,
  -- ISO date.
  day text NOT NULL,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  impressions bigint NOT NULL DEFAULT 0,
  plays bigint NOT NULL DEFAULT 0,
  -- Sessions with an impression that played.
  seen_plays bigint NOT NULL DEFAULT 0,
  watch_ms bigint NOT NULL DEFAULT 0,
  wall_ms bigint NOT NULL DEFAULT 0,
  -- Different media time of each session that played.
  covered_ms bigint NOT NULL DEFAULT 0,
  -- Sessions that played and covered the instant at a quarter, half, three quarters and the end.
  quarter bigint NOT NULL DEFAULT 0,
  half bigint NOT NULL DEFAULT 0,
  three_quarters bigint NOT NULL DEFAULT 0,
  whole bigint NOT NULL DEFAULT 0,
  -- Viewers who played, those of them known by name, who had an impression, and who played in a session with one.
  viewers bigint NOT NULL DEFAULT 0,
  named bigint NOT NULL DEFAULT 0,
  seeing bigint NOT NULL DEFAULT 0,
  seeing_viewers bigint NOT NULL DEFAULT 0,
  CONSTRAINT audience_days_version_id_day_pk PRIMARY KEY (version_id, day)
);
SELECT raise_wall('audience_days', 'organization_id');

-- One viewer and one video on one day (UTC): exact distinct counts over any period.
CREATE TABLE viewer_days (
  organization_id uuid NOT NULL,
  day text NOT NULL,
  video_id uuid NOT NULL,
  viewer_key text NOT NULL,
  user_id uuid,
  sessions integer NOT NULL DEFAULT 0,
  plays integer NOT NULL DEFAULT 0,
  watch_ms bigint NOT NULL DEFAULT 0,
  wall_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT viewer_days_organization_id_day_video_id_viewer_key_pk PRIMARY KEY (organization_id, day, video_id, viewer_key)
);
CREATE INDEX viewer_days_by_user ON viewer_days (organization_id, user_id, day);
CREATE INDEX viewer_days_of_people ON viewer_days (organization_id, video_id, day, user_id) WHERE user_id IS NOT NULL;
CREATE INDEX viewer_days_forgotten ON viewer_days (organization_id, day) WHERE viewer_key like 'gone:%';
CREATE INDEX viewer_days_by_nobody ON viewer_days (organization_id, viewer_key) WHERE user_id IS NULL;
SELECT raise_wall('viewer_days', 'organization_id');

-- Sums per organization, video and day (UTC) on which the session began, for dashboards, reports and the line about their quality.
CREATE TABLE day_rollups (
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- ISO date.
  day text NOT NULL,
  watch_ms bigint NOT NULL DEFAULT 0,
  plays bigint NOT NULL DEFAULT 0,
  sessions bigint NOT NULL DEFAULT 0,
  impressions bigint NOT NULL DEFAULT 0,
  -- Sessions of nobody known by name.
  anonymous bigint NOT NULL DEFAULT 0,
  -- Sessions of programs; they count in no other figure of this row.
  bots bigint NOT NULL DEFAULT 0,
  capped bigint NOT NULL DEFAULT 0,
  -- Sessions some of whose spans earned no credit.
  refused bigint NOT NULL DEFAULT 0,
  batches_seen bigint NOT NULL DEFAULT 0,
  batches_expected bigint NOT NULL DEFAULT 0,
  CONSTRAINT day_rollups_organization_id_day_video_id_pk PRIMARY KEY (organization_id, day, video_id)
);
SELECT raise_wall('day_rollups', 'organization_id');

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

-- Who got a question wrong whose part of the video is known, and what of that part they had watched.
CREATE TABLE quiz_attention (
  video_id uuid NOT NULL,
  person text NOT NULL,
  item_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  -- One of `verdicts`.
  verdict smallint NOT NULL,
  -- The last instant that decided: sittings that began later change nothing by going on.
  until timestamptz(3) NOT NULL,
  CONSTRAINT quiz_attention_video_id_person_item_id_pk PRIMARY KEY (video_id, person, item_id)
);
SELECT raise_wall('quiz_attention', 'organization_id');

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

CREATE FUNCTION teaches(version uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM quiz_items i WHERE i.version_id = version AND i.teaches_to_ms > i.teaches_from_ms);

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
