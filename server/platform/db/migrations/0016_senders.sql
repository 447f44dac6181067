-- With what the installation signs its mails (DKIM, RFC 6376); one row. A selector has one key: another selector is another key.
CREATE TABLE mail_signing (
  id integer PRIMARY KEY DEFAULT 1,
  domain text NOT NULL,
  selector text NOT NULL,
  -- As it stands in the DNS: base64 of the public half.
  public_key text NOT NULL,
  key_sealed bytea NOT NULL,
  is_on boolean NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT mail_signing_single CHECK (id = 1)
);
-- For the system alone.
ALTER TABLE mail_signing ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_signing FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON mail_signing USING ((SELECT app_system()));

-- The address from which the transmissions of an organization leave; no row: that of the installation.
CREATE TABLE mail_senders (
  organization_id uuid PRIMARY KEY,
  address text NOT NULL,
  -- Until when the code that was mailed to it counts, and how often one may still be tried.
  code_hash bytea,
  code_until timestamptz(3),
  tries_left integer NOT NULL DEFAULT 0,
  -- Null: nobody has proved yet that they read there, and nothing leaves from it.
  verified_at timestamptz(3),
  -- What the DNS said of its domain, and when; null: it was not asked, or did not answer.
  spf text,
  dkim text,
  dmarc text,
  checked_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT mail_senders_spf_word CHECK (spf IN ('there', 'missing', 'double', 'open')),
  CONSTRAINT mail_senders_dkim_word CHECK (dkim IN ('there', 'missing', 'other')),
  CONSTRAINT mail_senders_dmarc_word CHECK (dmarc IN ('there', 'missing'))
);
SELECT add_tenant_policy('mail_senders', 'organization_id');

-- From which address a mail leaves that is no delivery; null: that of the installation.
ALTER TABLE mails ADD COLUMN sender_address text;

-- The mailbox to which mails come back, and how far it was read; one row.
CREATE TABLE mail_returns (
  id integer PRIMARY KEY DEFAULT 1,
  -- `name@domain`; each mail has `name+token@domain` as its return path.
  address text NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  encryption text NOT NULL,
  login text NOT NULL,
  password_sealed bytea NOT NULL,
  folder text NOT NULL,
  -- Of the folder (RFC 9051): numbers of messages count while the first stays the same.
  uid_validity text,
  last_uid bigint NOT NULL DEFAULT 0,
  -- When it was read last without a fault, and what is in the way since; null: nothing.
  read_at timestamptz(3),
  fault text,
  failing_since timestamptz(3),
  -- Messages that said what became of a mail, and those that were left alone.
  taken bigint NOT NULL DEFAULT 0,
  left_alone bigint NOT NULL DEFAULT 0,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT mail_returns_single CHECK (id = 1),
  CONSTRAINT mail_returns_encryption_word CHECK (encryption IN ('starttls', 'tls', 'none')),
  CONSTRAINT mail_returns_fault_word CHECK (fault IN ('unknown_host', 'no_connection', 'timeout', 'no_mailbox_server', 'no_encryption',
    'certificate', 'login_refused', 'no_folder', 'broken_off'))
);
ALTER TABLE mail_returns ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_returns FORCE ROW LEVEL SECURITY;
CREATE POLICY system ON mail_returns USING ((SELECT app_system()));

ALTER TABLE delivery_events DROP CONSTRAINT delivery_events_source_word;
ALTER TABLE delivery_events ADD CONSTRAINT delivery_events_source_word CHECK (source IN ('generic', 'postmark', 'ses', 'mailbox'));

ALTER TABLE transmissions DROP CONSTRAINT transmissions_state_reason_word;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
  'no_recipients', 'many_rejected', 'many_returned', 'organization_closed', 'audience_grown', 'audience_changed', 'time_passed', 'restored',
  'video_not_ready', 'video_failed', 'video_removed', 'sender_unverified'));
