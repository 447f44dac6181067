-- When an organization recorded nothing but completions. What was watched before a period ended is never shown again: it stays hidden
-- until it has been deleted (`wiped_at`).
CREATE TABLE private_periods (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  began_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  wiped_at timestamptz(3)
);
CREATE INDEX private_periods_open ON private_periods (organization_id) WHERE wiped_at IS NULL;
SELECT add_tenant_policy('private_periods', 'organization_id');

-- Every text that viewers of an organization were shown before they played, by the SHA-256 of its UTF-8 in hexadecimal.
CREATE TABLE consent_texts (
  organization_id uuid NOT NULL,
  hash text NOT NULL,
  text text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT consent_texts_organization_id_hash_pk PRIMARY KEY (organization_id, hash)
);
SELECT add_tenant_policy('consent_texts', 'organization_id');

-- Who pressed play below which text, and when first.
CREATE TABLE consents (
  organization_id uuid NOT NULL,
  viewer_key text NOT NULL,
  hash text NOT NULL,
  first_at timestamptz(3) NOT NULL,
  CONSTRAINT consents_organization_id_viewer_key_hash_pk PRIMARY KEY (organization_id, viewer_key, hash)
);
SELECT add_tenant_policy('consents', 'organization_id');

-- People whose viewing evidence an administrator wants erased: at once, or when the person is erased for good.
CREATE TABLE evidence_erasures (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  asked_by uuid,
  done_at timestamptz(3),
  -- How many rows of each kind went.
  counts jsonb
);
CREATE INDEX evidence_erasures_waiting ON evidence_erasures (user_id) WHERE done_at IS NULL;
SELECT add_tenant_policy('evidence_erasures', 'organization_id');

-- What deletion by age has done for an organization.
CREATE TABLE retention_marks (
  organization_id uuid PRIMARY KEY,
  -- The raw log is cleared of days (UTC) before this one.
  cleared_to text NOT NULL,
  -- Rows of each kind that are gone and not yet in the audit log: written with every step, so that no kill makes it forget.
  gone jsonb NOT NULL DEFAULT '{}'
);
SELECT add_tenant_policy('retention_marks', 'organization_id');

-- Videos whose totals hold what nobody knows the sessions of any more: they were deleted, and the totals kept. A rebuild keeps that part
-- as it is.
CREATE TABLE forgotten_viewing (
  video_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now()
);
SELECT add_tenant_policy('forgotten_viewing', 'organization_id');
