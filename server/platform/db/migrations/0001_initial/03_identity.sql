-- Opaque bearer tokens; only their SHA-256 is kept.
CREATE TABLE sessions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  idle_expires_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  reauthenticated_at timestamptz(3),
  locked_at timestamptz(3),
  -- How the person proved who they are (RFC 8176 names: pwd, otp, hwk, rcv, email).
  amr text[] NOT NULL DEFAULT '{}',
  -- Kept for days on the wish of its owner, who has a second factor.
  remembered boolean NOT NULL DEFAULT false,
  -- A superadmin looks through the eyes of this person until then, and may change nothing.
  viewing_as uuid,
  viewing_until timestamptz(3),
  viewing_reason text,
  revoked_at timestamptz(3),
  revoked_by uuid,
  -- Why it ended before its time.
  end_reason text,
  -- Truncated to /24 or /48.
  ip_prefix inet,
  user_agent text,
  CONSTRAINT sessions_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT sessions_viewing_as_users_id_fk FOREIGN KEY (viewing_as) REFERENCES users (id),
  CONSTRAINT sessions_end_reason_word CHECK (end_reason IN (
    'signed_out', 'by_owner', 'by_admin', 'role_changed', 'disabled', 'removed', 'password_changed', 'factor_reset', 'too_many'))
);
CREATE UNIQUE INDEX sessions_token ON sessions (token_hash);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_viewing ON sessions (viewing_as) WHERE viewing_as IS NOT NULL;
SELECT add_tenant_policy_of_person('sessions', 'user_id');

-- A started step (reset a password, confirm an address), bound to whoever asked for it.
CREATE TABLE flows (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  token_hash bytea NOT NULL,
  purpose text NOT NULL,
  identifier text NOT NULL,
  -- Null when nobody has that address; the answer is the same.
  user_id uuid,
  code_hash bytea,
  -- What the next step needs: the challenge of a passkey, the secret of a factor that is being set up.
  data jsonb,
  tries_left integer NOT NULL DEFAULT 5,
  verified boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT flows_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT flows_purpose_word CHECK (purpose IN (
    'reset_password', 'confirm_email', 'login', 'step_up', 'delete_account', 'second_step', 'enroll', 'passkey', 'reauthenticate',
    'own_data'))
);
CREATE UNIQUE INDEX flows_token ON flows (token_hash);
CREATE INDEX flows_by_identifier ON flows (identifier, created_at);
CREATE INDEX flows_by_user ON flows (user_id) WHERE used_at IS NULL;
SELECT add_tenant_policy_of_person('flows', 'user_id');

-- Authenticator apps; at most one per person.
CREATE TABLE totp_factors (
  user_id uuid PRIMARY KEY,
  -- AES-256-GCM under a key that is not in the database.
  secret_sealed bytea NOT NULL,
  -- Number of the 30-second step whose code was taken last; none is taken twice.
  last_step bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  CONSTRAINT totp_factors_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
SELECT add_tenant_policy_of_person('totp_factors', 'user_id');

CREATE TABLE passkeys (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL,
  credential_id text NOT NULL,
  -- COSE key.
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  -- Kept by a password manager or an account of the maker, and so on several devices.
  backed_up boolean NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  CONSTRAINT passkeys_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential_id);
CREATE INDEX passkeys_by_user ON passkeys (user_id);
SELECT add_tenant_policy_of_person('passkeys', 'user_id');

-- Each works once; high entropy, so a plain hash is right.
CREATE TABLE recovery_codes (
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  used_at timestamptz(3),
  CONSTRAINT recovery_codes_user_id_code_hash_pk PRIMARY KEY (user_id, code_hash),
  CONSTRAINT recovery_codes_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
SELECT add_tenant_policy_of_person('recovery_codes', 'user_id');

-- Browsers from which somebody has signed in before: they keep their owner in while a stranger guesses.
CREATE TABLE devices (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  user_agent text,
  CONSTRAINT devices_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id)
);
CREATE UNIQUE INDEX devices_of_user ON devices (user_id, token_hash);
SELECT add_tenant_policy_of_person('devices', 'user_id');

-- Without an organization: an invitation to administer the installation.
CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid,
  email text NOT NULL,
  name text,
  role text NOT NULL,
  group_ids uuid[] NOT NULL DEFAULT '{}',
  -- The person, where one was created beforehand.
  user_id uuid,
  state text NOT NULL DEFAULT 'pending',
  token_hash bytea NOT NULL,
  invited_by uuid,
  invited_by_name text NOT NULL,
  -- The newest mail of the invitation; its state tells whether it left.
  mail_id uuid,
  sent_at timestamptz(3) NOT NULL DEFAULT now(),
  reminded_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  accepted_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT invitations_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT invitations_user_id_users_id_fk FOREIGN KEY (user_id) REFERENCES users (id),
  CONSTRAINT invitations_invited_by_users_id_fk FOREIGN KEY (invited_by) REFERENCES users (id),
  CONSTRAINT invitations_accepted_by_users_id_fk FOREIGN KEY (accepted_by) REFERENCES users (id),
  CONSTRAINT invitations_home CHECK ((organization_id IS NULL) = (role = 'superadmin')),
  CONSTRAINT invitations_email_lower CHECK (email = lower(email)),
  CONSTRAINT invitations_role_word CHECK (role IN ('superadmin', 'admin', 'groupadmin')),
  CONSTRAINT invitations_state_word CHECK (state IN ('pending', 'accepted', 'expired', 'revoked'))
);
CREATE UNIQUE INDEX invitations_token ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_pending ON invitations (coalesce(organization_id, '00000000-0000-0000-0000-000000000000'), email)
  WHERE state = 'pending';
CREATE INDEX invitations_newest ON invitations (organization_id, id);
CREATE INDEX invitations_due ON invitations (expires_at) WHERE state = 'pending';
CREATE INDEX invitations_of_user ON invitations (user_id) WHERE state = 'pending';
SELECT add_tenant_policy('invitations', 'organization_id');

-- What holds for the whole installation; one row.
CREATE TABLE system_settings (
  id integer PRIMARY KEY DEFAULT 1,
  security jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT system_settings_single CHECK (id = 1)
);
-- Everybody reads the rules of signing in; the system changes them.
ALTER TABLE system_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON system_settings USING ((SELECT app_system()));
CREATE POLICY everybody_reads ON system_settings FOR SELECT USING (true);

-- Counters of failed or costly attempts; keys are HMACs, so the table names nobody.
CREATE TABLE attempts (
  key bytea NOT NULL,
  window_start timestamptz(3) NOT NULL,
  count integer NOT NULL DEFAULT 0,
  blocked_until timestamptz(3),
  CONSTRAINT attempts_key_window_start_pk PRIMARY KEY (key, window_start)
);
CREATE INDEX attempts_by_age ON attempts (window_start);

-- The link that creates the first superadmin; at most one unused.
CREATE TABLE setup_links (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  token_hash bytea NOT NULL CONSTRAINT "setup_links_tokenHash_unique" UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3)
);
-- For the system alone.
ALTER TABLE setup_links ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON setup_links USING ((SELECT app_system()));

-- Answers of POSTs that carried an Idempotency-Key, for 24 hours.
CREATE TABLE idempotency_keys (
  actor_id uuid NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  -- Null while the first request still runs.
  status integer,
  reply jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_actor_id_route_key_pk PRIMARY KEY (actor_id, route, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
-- For the system alone.
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON idempotency_keys USING ((SELECT app_system()));
