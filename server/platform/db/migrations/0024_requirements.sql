-- A sentence that people confirm once they have done the rest; null: none.
ALTER TABLE assignments ADD COLUMN statement text;

-- That somebody has confirmed it, once for each obligation, word by word.
CREATE TABLE confirmations (
  obligation_id uuid PRIMARY KEY REFERENCES obligations (id),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  user_id uuid NOT NULL,
  statement text NOT NULL,
  -- Of the video, as it was watched.
  version_id uuid,
  -- By whose personal link they came.
  delivery_id uuid NOT NULL,
  -- Where only completions are recorded, the first instant of the day (UTC).
  confirmed_at timestamptz(3) NOT NULL
);
CREATE INDEX confirmations_by_person ON confirmations (user_id);
SELECT add_tenant_policy('confirmations', 'organization_id');

-- A video is replaced. What its author said of it ({"matters", "parts", "alsoDone"}); null: it is the first one.
ALTER TABLE video_versions
  ADD COLUMN change jsonb,
  -- What whoever owes the video has to see of it, worked out when it was ready.
  ADD COLUMN owed_parts int4multirange;
ALTER TABLE obligations
  -- Of `version_id`: what has to be seen itself since the video was replaced; null: it was not.
  ADD COLUMN owed_parts int4multirange,
  -- Owed only for what was replaced: it is valid no longer than what was done before.
  ADD COLUMN valid_at_most timestamptz(3),
  -- It was done and valid, and more of it is owed since.
  ADD COLUMN followed boolean NOT NULL DEFAULT false;
