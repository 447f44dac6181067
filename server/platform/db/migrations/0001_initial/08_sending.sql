CREATE TABLE transmissions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  state text NOT NULL,
  -- Raised by every transition; a guarded UPDATE compares it.
  version integer NOT NULL DEFAULT 1,
  content_rev integer NOT NULL DEFAULT 1,
  subject text NOT NULL,
  body text NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  sender_id uuid NOT NULL,
  -- As it was when sent; a superadmin is outside the tenant's sight.
  sender_name text NOT NULL,
  audience jsonb NOT NULL,
  -- Last user id that was put into the ledger; null before the first chunk.
  prepare_cursor uuid,
  prepared_at timestamptz(3),
  audience_total bigint NOT NULL DEFAULT 0,
  delivery_policy text NOT NULL DEFAULT 'at_most_once',
  state_reason text,
  scheduled_at timestamptz(3),
  completed_at timestamptz(3),
  -- By when its recipients are asked to have watched; null: no such day.
  due_at timestamptz(3),
  -- When its personal links end; null: they do not.
  links_end_at timestamptz(3),
  -- What the search looks through: the subject and how the message begins.
  search text GENERATED ALWAYS AS (fold_text(subject || ' ' || left(body, 200))) STORED,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When it was let go: sent, approved, or released although its time had passed; null: not yet.
  released_at timestamptz(3),
  -- The day that it belongs to, in lists and in reports: of its release, and until then of its writing.
  dated_at timestamptz(3) GENERATED ALWAYS AS (coalesce(released_at, created_at)) STORED NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT transmissions_tenant UNIQUE (organization_id, id),
  CONSTRAINT transmissions_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT transmissions_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id),
  CONSTRAINT transmissions_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id),
  CONSTRAINT transmissions_state_word CHECK (state IN (
    'draft', 'pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused', 'completed', 'cancelled', 'failed')),
  CONSTRAINT transmissions_delivery_policy_word CHECK (delivery_policy IN ('at_most_once', 'at_least_once')),
  CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
    'no_recipients', 'many_rejected', 'organization_closed', 'audience_grown', 'audience_changed', 'time_passed', 'restored',
    'video_not_ready', 'video_failed', 'video_removed'))
);
CREATE INDEX transmissions_newest ON transmissions (organization_id, dated_at DESC, id DESC);
CREATE INDEX transmissions_by_subject ON transmissions (organization_id, lower(subject), id);
CREATE INDEX transmissions_by_recipients ON transmissions (organization_id, (audience_total::float8), id);
CREATE INDEX transmissions_by_state ON transmissions (organization_id, (array_position(ARRAY['draft', 'pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused', 'completed', 'cancelled', 'failed']::text[], state)::float8), id);
CREATE INDEX transmissions_open_by_video ON transmissions (video_id)
  WHERE state IN ('pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused');
CREATE INDEX transmissions_by_video ON transmissions (organization_id, video_id);
CREATE INDEX transmissions_search ON transmissions USING gin (organization_id, search gin_trgm_ops);
CREATE INDEX transmissions_slips ON transmissions USING gin (organization_id, slip_keys(fold_text(subject)));
CREATE INDEX transmissions_beginning ON transmissions (organization_id, left(search, 100) text_pattern_ops);
CREATE INDEX transmissions_beginning_anywhere ON transmissions (left(search, 100) text_pattern_ops);
CREATE INDEX transmissions_active ON transmissions (state) WHERE state IN ('scheduled', 'preparing', 'sending');
SELECT add_tenant_policy('transmissions', 'organization_id');

-- Every approval that was asked for, and what became of it: of one content and one audience. Rows are never removed.
CREATE TABLE transmission_approvals (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  transmission_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  content_rev integer NOT NULL,
  -- SHA-256 of the audience and of the rules of its groups.
  audience_hash text NOT NULL,
  asked_by uuid NOT NULL,
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  asked_for integer NOT NULL,
  decided_by uuid,
  -- As it was then; a superadmin is outside the tenant's sight.
  decided_by_name text,
  decided_at timestamptz(3),
  decided_for integer,
  reason text,
  CONSTRAINT transmission_approvals_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id),
  CONSTRAINT transmission_approvals_decided CHECK (state IN ('waiting', 'withdrawn') OR decided_by IS NOT NULL),
  CONSTRAINT transmission_approvals_by_another CHECK (decided_by <> asked_by),
  CONSTRAINT transmission_approvals_state_word CHECK (state IN ('waiting', 'approved', 'rejected', 'withdrawn'))
);
CREATE UNIQUE INDEX transmission_approvals_waiting ON transmission_approvals (transmission_id) WHERE state = 'waiting';
CREATE INDEX transmission_approvals_newest ON transmission_approvals (transmission_id, id DESC);
SELECT add_tenant_policy('transmission_approvals', 'organization_id');
-- What was decided is evidence.
REVOKE DELETE ON transmission_approvals FROM sendreel_app;

-- The ledger. Partitioned by hash of the transmission; its states always sum to the audience.
CREATE TABLE deliveries (
  id uuid NOT NULL DEFAULT uuidv7(),
  transmission_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  channel text NOT NULL DEFAULT 'email',
  address text NOT NULL,
  content_rev integer NOT NULL DEFAULT 1,
  state text NOT NULL,
  -- Why it was skipped, rejected or deferred.
  reason text,
  attempt integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL DEFAULT now(),
  lease_token uuid,
  lease_until timestamptz(3),
  -- Set and committed before the last byte of a hand-over: from here on only the receiver knows.
  handed_at timestamptz(3),
  provider_ref text,
  last_code integer,
  -- SHA-256 of the secret in the personal link.
  link_hash bytea,
  -- The link was taken back, and why, for whoever opens it.
  link_revoked_at timestamptz(3),
  link_revoked_reason text,
  accepted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT deliveries_transmission_id_id_pk PRIMARY KEY (transmission_id, id),
  CONSTRAINT deliveries_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id),
  CONSTRAINT deliveries_channel_word CHECK (channel IN ('email')),
  CONSTRAINT deliveries_state_word CHECK (state IN (
    'queued', 'sending', 'deferred', 'accepted', 'delivered', 'bounced', 'rejected', 'skipped', 'unknown', 'cancelled', 'expired'))
) PARTITION BY HASH (transmission_id);
-- The person first, so that it also finds what somebody was sent.
CREATE UNIQUE INDEX deliveries_once_per_user ON deliveries (user_id, transmission_id, channel);
CREATE UNIQUE INDEX deliveries_once_per_address ON deliveries (transmission_id, address) WHERE state <> 'skipped';
CREATE INDEX deliveries_due ON deliveries (transmission_id, due_at, id) WHERE state IN ('queued', 'deferred');
-- With the id, so that a batch finds its own rows and never walks through those that the same worker held before.
CREATE INDEX deliveries_leased ON deliveries (lease_token, id) WHERE state = 'sending';
CREATE INDEX deliveries_by_link ON deliveries (link_hash);
-- Empty where there is a mail server.
CREATE INDEX deliveries_resting ON deliveries (transmission_id) WHERE state = 'accepted' AND provider_ref = 'outbox';

DO $$ BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE deliveries_%s PARTITION OF deliveries FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01)', i, i);
    PERFORM add_tenant_policy(format('deliveries_%s', i)::regclass, 'organization_id');
  END LOOP;
END $$;
SELECT add_tenant_policy('deliveries', 'organization_id');

-- Kept by triggers on the ledger, so that the states sum to the audience whoever writes.
CREATE TABLE transmission_counts (
  transmission_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  state text NOT NULL,
  n bigint NOT NULL DEFAULT 0,
  CONSTRAINT transmission_counts_transmission_id_state_pk PRIMARY KEY (transmission_id, state),
  CONSTRAINT transmission_counts_state_word CHECK (state IN (
    'queued', 'sending', 'deferred', 'accepted', 'delivered', 'bounced', 'rejected', 'skipped', 'unknown', 'cancelled', 'expired'))
);
CREATE INDEX transmission_counts_open ON transmission_counts (transmission_id) WHERE state IN ('queued', 'deferred') AND n > 0;
SELECT add_tenant_policy('transmission_counts', 'organization_id');

-- The ledger counts itself: one upsert per statement, in the order of the key, so that two workers never wait for each other crosswise.
CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, count(*) FROM new_rows GROUP BY 1, 2, 3 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, sum(n) FROM (
        SELECT transmission_id, organization_id, state, 1 AS n FROM new_rows
        UNION ALL SELECT transmission_id, organization_id, state, -1 FROM old_rows) changed
      GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, -count(*) FROM old_rows GROUP BY 1, 2, 3 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER count_updated AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER count_deleted AFTER DELETE ON deliveries
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();

-- Append-only history of every try.
CREATE TABLE delivery_attempts (
  delivery_id uuid NOT NULL,
  n integer NOT NULL,
  organization_id uuid NOT NULL,
  transmission_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  handed_at timestamptz(3),
  ended_at timestamptz(3),
  outcome text,
  code integer,
  response text,
  CONSTRAINT delivery_attempts_delivery_id_n_pk PRIMARY KEY (delivery_id, n)
);
CREATE INDEX delivery_attempts_newest ON delivery_attempts (transmission_id, ended_at DESC);
SELECT add_tenant_policy('delivery_attempts', 'organization_id');
-- Attempts are history. Answers of mail servers may name the address: they go with the person.
REVOKE UPDATE, DELETE ON delivery_attempts FROM sendreel_app;
GRANT UPDATE (response) ON delivery_attempts TO sendreel_app;

-- Token bucket of one mail lane; without an organization it is the installation's.
CREATE TABLE send_lanes (
  id text PRIMARY KEY,
  -- Mails per second.
  rate double precision NOT NULL,
  -- Up to here the rate climbs again after a throttling.
  ceiling double precision NOT NULL DEFAULT 1000,
  burst double precision NOT NULL,
  tokens double precision NOT NULL,
  refilled_at timestamptz(3) NOT NULL DEFAULT now(),
  backoff_until timestamptz(3),
  -- Tries in a row in which the mail server itself was the obstacle, and since when; none while it answers.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  state text NOT NULL DEFAULT 'open',
  CONSTRAINT send_lanes_state_word CHECK (state IN ('open', 'closed'))
);
INSERT INTO send_lanes (id, rate, burst, tokens) VALUES ('default', 1000, 1000, 1000);

-- One row: how this database knows the folder and the machine that belong to it, and whether sending is held because it does not.
CREATE TABLE sending_guard (
  id boolean PRIMARY KEY DEFAULT true,
  -- Raised before each batch; a file of this name in DATA_DIR says the same.
  batch bigint NOT NULL DEFAULT 0,
  -- What a copy of that file cannot keep; null: the next batch writes it down.
  marker text,
  -- The last word of the sender.
  spoke_at timestamptz(3) NOT NULL DEFAULT now(),
  held_at timestamptz(3),
  signs text[],
  -- What a superadmin said; `restored` stays until no delivery is open any more.
  answer text,
  CONSTRAINT sending_guard_one CHECK (id),
  CONSTRAINT sending_guard_answer CHECK (answer IS NULL OR (answer = 'restored' AND held_at IS NOT NULL)),
  CONSTRAINT sending_guard_signs_word CHECK (signs <@ ARRAY['copied', 'apart', 'silent']),
  CONSTRAINT sending_guard_answer_word CHECK (answer IN ('restored'))
);
INSERT INTO sending_guard DEFAULT VALUES;

CREATE TABLE suppressions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  address text NOT NULL,
  reason text NOT NULL,
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3)
);
CREATE UNIQUE INDEX suppressions_address ON suppressions (organization_id, address);
SELECT add_tenant_policy('suppressions', 'organization_id');

-- The mail server that a superadmin has set in the console; one row. The configuration of the installation wins over it.
CREATE TABLE mail_server (
  id integer PRIMARY KEY DEFAULT 1,
  host text NOT NULL,
  port integer NOT NULL,
  encryption text NOT NULL,
  -- The name by which it is logged in to; null: no login.
  login text,
  password_sealed bytea,
  sender_name text NOT NULL,
  sender_address text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT mail_server_single CHECK (id = 1),
  CONSTRAINT mail_server_encryption CHECK (encryption IN ('starttls', 'tls', 'none')),
  CONSTRAINT mail_server_encryption_word CHECK (encryption IN ('starttls', 'tls', 'none'))
);
-- Every transaction may know that there is a mail server, because it decides whether a mail leaves; only the system sets one.
ALTER TABLE mail_server ENABLE ROW LEVEL SECURITY;
ALTER TABLE mail_server FORCE ROW LEVEL SECURITY;
CREATE POLICY known ON mail_server FOR SELECT USING (true);
CREATE POLICY set_by_system ON mail_server USING ((SELECT app_system())) WITH CHECK ((SELECT app_system()));

-- Mails that are not deliveries (codes, notices), and the outbox when no mail server is configured.
CREATE TABLE mails (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid,
  -- Set for the mail of a delivery in the outbox; makes the hand-over idempotent.
  delivery_id uuid CONSTRAINT "mails_deliveryId_unique" UNIQUE,
  address text NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  html text,
  -- Beside those that every mail has.
  headers jsonb,
  -- `resting`: in the outbox for good; the others belong to a mail server.
  state text NOT NULL,
  attempt integer NOT NULL DEFAULT 0,
  last_error text,
  due_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  sent_at timestamptz(3),
  CONSTRAINT mails_state_word CHECK (state IN ('resting', 'queued', 'sending', 'sent', 'failed'))
);
CREATE INDEX mails_failed ON mails (organization_id, created_at) WHERE state = 'failed';
CREATE INDEX mails_newest ON mails (id DESC);
CREATE INDEX mails_due ON mails (due_at) WHERE state = 'queued';
SELECT add_tenant_policy('mails', 'organization_id');

-- Files of a mail, in its order; they go when the mail has left or is given up.
CREATE TABLE mail_attachments (
  mail_id uuid NOT NULL,
  position integer NOT NULL,
  organization_id uuid,
  name text NOT NULL,
  type text NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT mail_attachments_mail_id_position_pk PRIMARY KEY (mail_id, position),
  CONSTRAINT mail_attachments_mail_id_mails_id_fk FOREIGN KEY (mail_id) REFERENCES mails (id) ON DELETE CASCADE
);
SELECT add_tenant_policy('mail_attachments', 'organization_id');
