-- Which process may have handed something out to which session, written before the first of it leaves: a process that is killed makes
-- doubtful only whom it served.
CREATE TABLE served_sessions (
  session_id uuid NOT NULL,
  process_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT served_sessions_session_id_process_id_pk PRIMARY KEY (session_id, process_id)
);
SELECT add_tenant_policy('served_sessions', 'organization_id');

-- The process whose run it is. Null: nobody wrote down whom it served, so it may have been any session of its time. That is a process of an
-- earlier release, or one that keeps no record.
ALTER TABLE served_runs ADD COLUMN process_id uuid;

-- How many strangers began to watch, for all processes together. Keys are HMACs of a video and a network, so the table names nobody.
CREATE TABLE visitor_counts (
  key bytea NOT NULL,
  -- When the slice of time began that is counted here.
  began timestamptz(3) NOT NULL,
  count integer NOT NULL,
  CONSTRAINT visitor_counts_key_began_pk PRIMARY KEY (key, began)
);
CREATE INDEX visitor_counts_by_age ON visitor_counts (began);
