-- Keys by which other systems call the API: each is somebody's, may do what its scopes say, and ends on a day.
CREATE TABLE service_accounts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null: of the installation, and so for all organizations.
  organization_id uuid,
  name text NOT NULL,
  -- Who answers for it. It works for as long as this person may sign in and administers what it is for.
  owner_id uuid NOT NULL,
  scopes text[] NOT NULL,
  -- From where it may call; none: from anywhere.
  networks cidr[] NOT NULL DEFAULT '{}',
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- It stays for the entries of the audit that name it.
  revoked_at timestamptz(3),
  CONSTRAINT service_accounts_scopes_word CHECK (scopes <@ ARRAY['people:read', 'people:write', 'content:read', 'content:write', 'send',
    'evidence:read', 'reports:read', 'settings', 'directory']::text[]),
  CONSTRAINT service_accounts_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT service_accounts_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES users (id)
);
CREATE INDEX service_accounts_by_organization ON service_accounts (organization_id, id);
CREATE INDEX service_accounts_by_owner ON service_accounts (owner_id);
SELECT add_tenant_policy('service_accounts', 'organization_id');

-- What a key shows: a present token, and for a while the one before.
CREATE TABLE service_tokens (
  -- SHA-256 of 190 random bits: nobody finds them from it.
  token_hash bytea PRIMARY KEY,
  account_id uuid NOT NULL,
  organization_id uuid,
  -- The first letters, by which its owner tells one token from another.
  start text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  -- Until when it works although there is a newer one; null: it is the present one.
  replaced_until timestamptz(3),
  CONSTRAINT service_tokens_account_id_service_accounts_id_fk FOREIGN KEY (account_id) REFERENCES service_accounts (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX service_tokens_present ON service_tokens (account_id) WHERE replaced_until IS NULL;
CREATE INDEX service_tokens_by_account ON service_tokens (account_id);
SELECT add_tenant_policy('service_tokens', 'organization_id');

-- How often each key has called, for all processes together, in slices of a minute: each slice has one of thirteen places, and whoever
-- comes after it takes its place. So nothing has to be cleaned up, and the newest place says when the key was last used.
CREATE TABLE key_calls (
  account_id uuid NOT NULL,
  organization_id uuid,
  place smallint NOT NULL,
  began timestamptz(3) NOT NULL,
  count integer NOT NULL,
  CONSTRAINT key_calls_account_id_place_pk PRIMARY KEY (account_id, place)
);
SELECT add_tenant_policy('key_calls', 'organization_id');

-- The key by which somebody acted; the actor is its owner.
ALTER TABLE audit ADD COLUMN key_id uuid;
CREATE INDEX audit_by_key ON audit (key_id, at, id) WHERE key_id IS NOT NULL;

-- That a key called is no change of anything: the figures of reports are not worked out anew for it.
DROP TRIGGER mark_dirty_insert ON audit;
DROP FUNCTION mark_dirty_audit_mark_dirty_insert();
SELECT add_dirty_source('audit', 'mark_dirty_insert', 'insert', $f$organization_id, action$f$,
  $k$SELECT 'reports', coalesce(organization_id, '00000000-0000-0000-0000-000000000000'), null::uuid, null::text FROM changed
    WHERE action <> 'key.called'$k$);

ALTER TABLE hidden_attention DROP CONSTRAINT hidden_attention_kind_word;
ALTER TABLE hidden_attention ADD CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
  'paused_transmissions', 'failing_senders', 'failed_mails', 'failing_backups', 'failing_conversion', 'set_aside', 'organizations_without_admin',
  'pending_approvals', 'failed_videos', 'failed_operations', 'returned_messages', 'overdue_people', 'expiring_keys', 'failed_invitations',
  'expiring_invitations', 'dormant_admins', 'groups_without_groupadmin', 'barred_addresses', 'people_without_group'));
