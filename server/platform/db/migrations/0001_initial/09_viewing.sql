-- The raw log: one row per batch, as it was received, partitioned by day. It names no foreign keys, because it is written on the hottest
-- path from a signed token and must outlive its neighbours.
CREATE TABLE track_batches (
  id uuid NOT NULL DEFAULT uuidv7(),
  received_at timestamptz(3) NOT NULL DEFAULT now(),
  organization_id uuid NOT NULL,
  session_id uuid NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  batch bigint NOT NULL,
  elapsed_ms bigint NOT NULL,
  -- The signed facts of the play token, then what the client said.
  claims jsonb NOT NULL,
  spans jsonb NOT NULL,
  events jsonb NOT NULL,
  state jsonb,
  ended boolean NOT NULL DEFAULT false,
  -- Entries that were not kept: unknown types of events, and what exceeds the limits of a session.
  dropped integer NOT NULL DEFAULT 0,
  capped boolean NOT NULL DEFAULT false,
  user_agent text,
  -- /24 of an IPv4 address, /48 of an IPv6 address; never more of it is written down.
  network text,
  folded boolean NOT NULL DEFAULT false,
  CONSTRAINT track_batches_received_at_id_pk PRIMARY KEY (received_at, id)
) PARTITION BY RANGE (received_at);
CREATE INDEX track_batches_unfolded ON track_batches (video_id, received_at) WHERE NOT folded;
CREATE INDEX track_batches_by_session ON track_batches (session_id);
-- Days are added ahead by a job; the default catches the rest. The first ones are here before anybody watches.
CREATE TABLE track_batches_rest PARTITION OF track_batches DEFAULT;
SELECT add_tenant_policy('track_batches', 'organization_id'), add_tenant_policy('track_batches_rest', 'organization_id');
DO $$
DECLARE
  day date;
  name text;
BEGIN
  FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date + d FROM generate_series(0, 2) d LOOP
    name := 'track_batches_' || to_char(day, 'YYYYMMDD');
    EXECUTE format('CREATE TABLE %I PARTITION OF track_batches FOR VALUES FROM (%L) TO (%L)',
      name, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    PERFORM add_tenant_policy(name::regclass, 'organization_id');
  END LOOP;
END $$;

CREATE FUNCTION add_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  name text := 'track_batches_' || to_char(day, 'YYYYMMDD');
BEGIN
  PERFORM require_system();
  IF to_regclass(name) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF track_batches FOR VALUES FROM (%L) TO (%L)',
    name, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
  PERFORM add_tenant_policy(name::regclass, 'organization_id');
END $$;

-- A day of the raw log that nobody keeps any more. No organization may keep less than a month, so a younger day is a mistake.
CREATE FUNCTION drop_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_system();
  IF day > (now() AT TIME ZONE 'UTC')::date - 27 THEN
    RAISE EXCEPTION 'the raw log of % is too young to be dropped', day;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', 'track_batches_' || to_char(day, 'YYYYMMDD'));
END $$;

REVOKE ALL ON FUNCTION add_track_day(date), drop_track_day(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_track_day(date), drop_track_day(date) TO sendreel_app;

CREATE TABLE play_sessions (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  transmission_id uuid,
  delivery_id uuid,
  user_id uuid,
  -- `recipient:<user>`, `user:<user>` or `visitor:<cookie>`.
  viewer_key text NOT NULL,
  -- When the page was made; the clock that nothing may outrun.
  started_at timestamptz(3) NOT NULL,
  -- The client's zero in the server's time, as near as the batches show.
  zero_at timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL,
  -- Milliseconds after zero at which the player was first seen.
  impression_ms integer,
  -- As the play token says: duration of the version, fastest rate that counts (x 100), share that completes.
  duration_ms integer NOT NULL DEFAULT 0,
  max_rate integer NOT NULL DEFAULT 200,
  theta double precision NOT NULL DEFAULT 0.95,
  -- Stretches of media time that earned credit, repeats kept: [[start, end], …], in order.
  passes integer[] NOT NULL DEFAULT '{}',
  -- Sum of the passes.
  watch_ms bigint NOT NULL DEFAULT 0,
  wall_ms bigint NOT NULL DEFAULT 0,
  coverage int4multirange NOT NULL DEFAULT '{}',
  position integer NOT NULL DEFAULT 0,
  -- The batch that said `position`; a later one knows better.
  position_batch integer NOT NULL DEFAULT -1,
  -- Numbers of the batches that arrived.
  batches int4multirange NOT NULL DEFAULT '{}',
  batches_seen integer NOT NULL DEFAULT 0,
  batches_expected integer NOT NULL DEFAULT 0,
  -- At least so many entries were not kept (the most that one batch had): unknown types of events, and what exceeds the limits.
  dropped integer NOT NULL DEFAULT 0,
  -- The video was played to its end, or the page said that it was closed.
  ended boolean NOT NULL DEFAULT false,
  flags integer NOT NULL DEFAULT 0,
  user_agent text,
  -- From where the first of its batches came.
  network text,
  -- The run in `served_runs` that kept a record of what was handed out when it opened; null: none was kept.
  run uuid
);
CREATE INDEX play_sessions_by_viewer ON play_sessions (video_id, viewer_key);
CREATE INDEX play_sessions_by_delivery ON play_sessions (transmission_id, delivery_id);
CREATE INDEX play_sessions_by_organization ON play_sessions (organization_id, last_at);
SELECT add_tenant_policy('play_sessions', 'organization_id');

-- What one session played: span i started at start_ms; end and wall only grow, so a merge may come twice, late or out of order.
CREATE TABLE play_spans (
  session_id uuid NOT NULL,
  i integer NOT NULL,
  organization_id uuid NOT NULL,
  start_ms integer NOT NULL,
  end_ms integer NOT NULL,
  wall_ms integer NOT NULL,
  rate integer NOT NULL,
  flags integer NOT NULL,
  -- It began at this millisecond of the session or before; falls towards the truth with every batch that shows it.
  began_ms bigint NOT NULL,
  -- Server's milliseconds since the token was made when `wall_ms` was first reported.
  seen_ms bigint NOT NULL,
  -- Why the span earns no credit; null when it does.
  refused text,
  CONSTRAINT play_spans_session_id_i_pk PRIMARY KEY (session_id, i),
  CONSTRAINT play_spans_refused_word CHECK (refused IN ('range', 'rate', 'mismatch', 'faster', 'hidden', 'concurrent'))
);
SELECT add_tenant_policy('play_spans', 'organization_id');

-- What a session did besides playing: seeks, pauses, stalls, errors. Event n never changes, so it may come twice.
CREATE TABLE play_events (
  session_id uuid NOT NULL,
  n integer NOT NULL,
  organization_id uuid NOT NULL,
  type text NOT NULL,
  -- Milliseconds of the session.
  at_ms bigint NOT NULL,
  position_ms integer NOT NULL,
  data jsonb,
  CONSTRAINT play_events_session_id_n_pk PRIMARY KEY (session_id, n)
);
SELECT add_tenant_policy('play_events', 'organization_id');

-- One viewer and one version, over all sessions.
CREATE TABLE viewer_videos (
  version_id uuid NOT NULL,
  viewer_key text NOT NULL,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  user_id uuid,
  coverage int4multirange NOT NULL DEFAULT '{}',
  covered_ms integer NOT NULL DEFAULT 0,
  watch_ms bigint NOT NULL DEFAULT 0,
  plays integer NOT NULL DEFAULT 0,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  position integer NOT NULL DEFAULT 0,
  -- Day (UTC) of the newest session that played; ISO date.
  played_on text,
  -- When the share that completes was covered by what counts. Sticky.
  covered_at timestamptz(3),
  -- What both sources say, of which the condition below has the words; while it is `checking` it is looked at again and again.
  evidence text NOT NULL DEFAULT 'none',
  -- Covered, and every question answered that the video insists on. Sticky: once completed, always completed.
  completed_at timestamptz(3),
  CONSTRAINT viewer_videos_version_id_viewer_key_pk PRIMARY KEY (version_id, viewer_key),
  CONSTRAINT viewer_videos_evidence CHECK (evidence IN ('proven', 'likely', 'delivered', 'checking', 'contradicted', 'none'))
);
CREATE INDEX viewer_videos_by_organization ON viewer_videos (organization_id, last_at);
CREATE INDEX viewer_videos_by_person ON viewer_videos (user_id, video_id);
CREATE INDEX viewer_videos_by_nobody ON viewer_videos (viewer_key) WHERE user_id IS NULL;
CREATE INDEX viewer_videos_completed_on ON viewer_videos (version_id, played_on, organization_id) WHERE completed_at IS NOT NULL;
CREATE INDEX viewer_videos_checking ON viewer_videos (last_at) WHERE evidence = 'checking';
CREATE INDEX viewer_videos_completed ON viewer_videos (video_id, user_id) WHERE completed_at IS NOT NULL;
SELECT add_tenant_policy('viewer_videos', 'organization_id');

-- What one recipient watched through the link of one delivery.
CREATE TABLE delivery_viewing (
  transmission_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  opened_at timestamptz(3),
  first_play_at timestamptz(3),
  last_at timestamptz(3),
  coverage int4multirange NOT NULL DEFAULT '{}',
  covered_ms integer NOT NULL DEFAULT 0,
  watch_ms bigint NOT NULL DEFAULT 0,
  covered_at timestamptz(3),
  completed_at timestamptz(3),
  -- As in `viewer_videos`, of what was watched through this delivery.
  evidence text NOT NULL DEFAULT 'none',
  -- With what reports count of a transmission, so that they need not look into the table.
  CONSTRAINT delivery_viewing_transmission_id_delivery_id_pk PRIMARY KEY (transmission_id, delivery_id)
    INCLUDE (organization_id, opened_at, first_play_at, completed_at),
  CONSTRAINT delivery_viewing_evidence CHECK (evidence IN ('proven', 'likely', 'delivered', 'checking', 'contradicted', 'none'))
);
SELECT add_tenant_policy('delivery_viewing', 'organization_id');

-- Media time that the server handed out to one session: the second source, which no browser can forge or lose.
CREATE TABLE served_parts (
  session_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  -- As in `play_sessions`: the record stands by itself when no report of the player ever came.
  viewer_key text NOT NULL,
  parts int4multirange NOT NULL DEFAULT '{}',
  requests integer NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL
);
CREATE INDEX served_parts_by_video ON served_parts (video_id);
CREATE INDEX served_parts_by_viewer ON served_parts (viewer_key);
SELECT add_tenant_policy('served_parts', 'organization_id');

-- Each run of a process that hands out media: until when it has written down what left. A run that ends as it should leaves no row; one
-- that was killed says with its row since when something may be missing in `served_parts`.
CREATE TABLE served_runs (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Everything that it had handed out by then is written.
  recorded_to timestamptz(3) NOT NULL,
  -- When it last said so, by the clock of the database.
  beaten_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When another process found that it beats no longer.
  ended_at timestamptz(3)
);

-- Viewing certificates, numbered and chained within an organization: each names the hash of the one before. The text is what was signed,
-- byte by byte; it goes when the person is erased, and the chain stays whole without it.
CREATE TABLE certificates (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  number bigint NOT NULL,
  user_id uuid,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  issued_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Null: the person themselves, on the page of the video.
  issued_by uuid,
  body text,
  body_hash bytea NOT NULL,
  previous_hash bytea,
  hash bytea NOT NULL,
  -- Which `certificateFormats` it was signed in.
  format integer NOT NULL DEFAULT 1,
  key_id text NOT NULL,
  signature bytea NOT NULL,
  CONSTRAINT certificates_number UNIQUE (organization_id, number)
);
CREATE INDEX certificates_by_person ON certificates (organization_id, user_id, video_id);
SELECT add_tenant_policy('certificates', 'organization_id');
-- A certificate is written once. Of its columns only the text may change, and only to nothing, when its person is erased.
REVOKE UPDATE, DELETE ON certificates FROM sendreel_app;
GRANT UPDATE (body) ON certificates TO sendreel_app;

CREATE FUNCTION certificate_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.body IS NOT NULL AND new.body IS DISTINCT FROM old.body THEN
    RAISE EXCEPTION 'the text of a certificate never changes';
  END IF;
  RETURN new;
END $$;

CREATE TRIGGER certificate_stays BEFORE UPDATE ON certificates FOR EACH ROW EXECUTE FUNCTION certificate_stays();
