-- Providers by which people sign in. Without an organization: of the installation, for superadmins.
CREATE TABLE sign_in_connections (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid REFERENCES organizations (id),
  kind text NOT NULL,
  name text NOT NULL,
  issuer text NOT NULL,
  client_id text NOT NULL,
  -- Null: it was sealed with another secret of the installation, which is gone.
  secret_sealed bytea,
  is_on boolean NOT NULL,
  creates boolean NOT NULL,
  grants text NOT NULL,
  second_step text NOT NULL,
  rules jsonb NOT NULL,
  -- What came of the last sign-in for trial.
  trial jsonb,
  last_sign_in_at timestamptz(3),
  -- The last refusal since then.
  last_fault text,
  last_fault_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_connections_kind_word CHECK (kind IN ('oidc')),
  CONSTRAINT sign_in_connections_grants_word CHECK (grants IN ('groupadmin', 'admin')),
  CONSTRAINT sign_in_connections_second_step_word CHECK (second_step IN ('ours', 'told', 'theirs'))
);
CREATE INDEX sign_in_connections_of ON sign_in_connections (organization_id, id);
SELECT add_tenant_policy('sign_in_connections', 'organization_id');

-- Whom a connection knows, by what its provider calls them (`sub`).
CREATE TABLE connection_people (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  connection_id uuid NOT NULL REFERENCES sign_in_connections (id) ON DELETE CASCADE,
  organization_id uuid,
  user_id uuid NOT NULL REFERENCES users (id),
  subject text NOT NULL,
  -- What the provider said last about the person.
  claims jsonb NOT NULL,
  -- The role and the groups that the person has from the rules, which take them away again.
  role_given boolean NOT NULL DEFAULT false,
  group_ids uuid[] NOT NULL DEFAULT '{}',
  first_at timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX connection_people_subject ON connection_people (connection_id, subject);
CREATE UNIQUE INDEX connection_people_user ON connection_people (connection_id, user_id);
CREATE INDEX connection_people_by_user ON connection_people (user_id);
SELECT add_tenant_policy('connection_people', 'organization_id');

-- Sessions that began by a connection.
CREATE TABLE connection_sessions (
  session_id uuid PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  person_id uuid NOT NULL REFERENCES connection_people (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users (id),
  -- What the provider calls its own session (`sid`).
  sid text
);
CREATE INDEX connection_sessions_of ON connection_sessions (person_id);
CREATE INDEX connection_sessions_user ON connection_sessions (user_id);
SELECT add_tenant_policy_of_person('connection_sessions', 'user_id');

-- Logout tokens that were taken already; each works once, and ends by itself.
CREATE TABLE connection_logouts (
  connection_id uuid NOT NULL REFERENCES sign_in_connections (id) ON DELETE CASCADE,
  token_id text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT connection_logouts_pk PRIMARY KEY (connection_id, token_id)
);
CREATE INDEX connection_logouts_by_end ON connection_logouts (expires_at);
-- For the system alone.
ALTER TABLE connection_logouts ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON connection_logouts USING ((SELECT app_system()));

-- Domains whose addresses are led to the connections, once a record of the DNS proves them.
CREATE TABLE sign_in_domains (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid REFERENCES organizations (id),
  domain text NOT NULL,
  -- What the record has to say.
  token text NOT NULL,
  proved_at timestamptz(3),
  checked_at timestamptz(3),
  finding text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_domains_finding_word CHECK (finding IN ('proved', 'missing', 'other', 'no_answer')),
  CONSTRAINT sign_in_domains_domain UNIQUE NULLS NOT DISTINCT (organization_id, domain)
);
CREATE INDEX sign_in_domains_proved ON sign_in_domains (domain) WHERE proved_at IS NOT NULL;
SELECT add_tenant_policy('sign_in_domains', 'organization_id');

-- Whether people of an organization have to sign in by its connections, and who still enters otherwise when a provider fails.
CREATE TABLE sign_in_policies (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id),
  sign_in text NOT NULL,
  break_glass_id uuid,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT sign_in_policies_person FOREIGN KEY (organization_id, break_glass_id) REFERENCES users (organization_id, id),
  CONSTRAINT sign_in_policies_way_in CHECK (sign_in <> 'required' OR break_glass_id IS NOT NULL),
  CONSTRAINT sign_in_policies_sign_in_word CHECK (sign_in IN ('offered', 'required'))
);
CREATE UNIQUE INDEX sign_in_policies_break_glass ON sign_in_policies (break_glass_id);
SELECT add_tenant_policy('sign_in_policies', 'organization_id');

-- Whoever is named for an emergency stays an active administrator, whatever changes people.
CREATE FUNCTION keep_break_glass() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM sign_in_policies p JOIN organizations o ON o.id = p.organization_id
      WHERE p.break_glass_id = NEW.id AND o.deleted_at IS NULL) THEN
    RAISE EXCEPTION 'this person is named to sign in in an emergency' USING ERRCODE = 'check_violation', CONSTRAINT = 'users_break_glass';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER break_glass AFTER UPDATE OF role, state, deleted_at, delete_after, password_hash ON users FOR EACH ROW
  WHEN (NEW.role IS DISTINCT FROM 'admin' OR NEW.state <> 'active' OR NEW.deleted_at IS NOT NULL OR NEW.delete_after IS NOT NULL
    OR (NEW.password_hash IS NULL AND OLD.password_hash IS NOT NULL))
  EXECUTE FUNCTION keep_break_glass();

ALTER TABLE flows DROP CONSTRAINT flows_purpose_word;
ALTER TABLE flows ADD CONSTRAINT flows_purpose_word CHECK (purpose IN (
  'reset_password', 'confirm_email', 'login', 'step_up', 'delete_account', 'second_step', 'enroll', 'passkey', 'reauthenticate',
  'own_data', 'own_training', 'connection'));

ALTER TABLE sessions DROP CONSTRAINT sessions_end_reason_word;
ALTER TABLE sessions ADD CONSTRAINT sessions_end_reason_word CHECK (end_reason IN (
  'signed_out', 'by_owner', 'by_admin', 'role_changed', 'disabled', 'removed', 'password_changed', 'factor_reset', 'too_many',
  'by_provider', 'connection_changed', 'sign_in_required'));

ALTER TABLE membership_log DROP CONSTRAINT membership_log_cause_word;
ALTER TABLE membership_log ADD CONSTRAINT membership_log_cause_word CHECK (cause IN (
  'manual', 'rule', 'import', 'bulk', 'undo', 'invitation', 'removal', 'system', 'sign_in'));
