-- Where an organization has messages posted that do not go by mail, with what each is signed (https://www.standardwebhooks.com).
CREATE TABLE webhooks (
  organization_id uuid PRIMARY KEY,
  url text NOT NULL,
  secret_sealed bytea NOT NULL,
  -- The secret before, with which messages are signed as well until then, so that whoever checks them has the time to change it.
  previous_sealed bytea,
  previous_until timestamptz(3),
  -- Waves of messages in a row that it did not take, since when, and what was in the way; none while it answers.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  fault text,
  -- Nothing is handed over before.
  rests_until timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_fault_word CHECK (fault IN ('redirected', 'failing', 'unknown_host', 'private_address', 'no_connection', 'no_encryption',
    'certificate', 'timeout', 'broken_off', 'secret_lost'))
);
SELECT add_tenant_policy('webhooks', 'organization_id');

ALTER TABLE deliveries DROP CONSTRAINT deliveries_channel_word;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_channel_word CHECK (channel IN ('email', 'card', 'webhook'));

-- When who has a role opened it in the console.
ALTER TABLE deliveries ADD COLUMN read_at timestamptz(3);

ALTER TABLE transmissions DROP CONSTRAINT transmissions_state_reason_word;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
  'no_recipients', 'many_rejected', 'many_returned', 'organization_closed', 'audience_grown', 'audience_changed', 'time_passed', 'restored',
  'video_not_ready', 'video_failed', 'video_removed', 'sender_unverified', 'webhook_missing'));
