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
SELECT add_tenant_policy('video_heat', 'organization_id');

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
SELECT add_tenant_policy('video_heat_days', 'organization_id');

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
SELECT add_tenant_policy('audience_days', 'organization_id');

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
SELECT add_tenant_policy('viewer_days', 'organization_id');

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
SELECT add_tenant_policy('day_rollups', 'organization_id');

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
CREATE INDEX quiz_attention_by_question ON quiz_attention (item_id, verdict);
SELECT add_tenant_policy('quiz_attention', 'organization_id');

CREATE FUNCTION teaches(version uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM quiz_items i WHERE i.version_id = version AND i.teaches_to_ms > i.teaches_from_ms);
