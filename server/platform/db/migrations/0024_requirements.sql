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
