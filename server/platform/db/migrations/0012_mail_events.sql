-- What mail providers report of a mail after they took it: each report once, however often it is told.
CREATE TABLE delivery_events (
  source text NOT NULL,
  -- As the provider names the report.
  event_id text NOT NULL,
  organization_id uuid NOT NULL,
  transmission_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  kind text NOT NULL,
  -- Of a return: it is no use to try again.
  is_permanent boolean NOT NULL DEFAULT false,
  -- Enhanced status code (RFC 3463), such as 5.1.1; null: none was told.
  status text,
  -- When it happened, as the provider says.
  at timestamptz(3) NOT NULL,
  received_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT delivery_events_source_event_id_pk PRIMARY KEY (source, event_id),
  CONSTRAINT delivery_events_source_word CHECK (source IN ('generic', 'postmark', 'ses')),
  CONSTRAINT delivery_events_kind_word CHECK (kind IN ('delivered', 'returned', 'complained', 'unsubscribed')),
  CONSTRAINT delivery_events_status_form CHECK (status ~ '^[245]\.\d{1,3}\.\d{1,3}$')
);
CREATE INDEX delivery_events_by_transmission ON delivery_events (transmission_id, kind);
SELECT add_tenant_policy('delivery_events', 'organization_id');

-- When each kind of provider reported last; null: it never did. Of Amazon SNS: the address by which its subscription is confirmed.
CREATE TABLE mail_event_sources (
  source text PRIMARY KEY,
  received_at timestamptz(3),
  confirm_url text,
  CONSTRAINT mail_event_sources_source_word CHECK (source IN ('generic', 'postmark', 'ses'))
);
INSERT INTO mail_event_sources (source) VALUES ('generic'), ('postmark'), ('ses');
-- For the system alone.
ALTER TABLE mail_event_sources ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON mail_event_sources USING ((SELECT app_system()));

ALTER TABLE transmissions DROP CONSTRAINT transmissions_state_reason_word;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
  'no_recipients', 'many_rejected', 'many_returned', 'organization_closed', 'audience_grown', 'audience_changed', 'time_passed', 'restored',
  'video_not_ready', 'video_failed', 'video_removed'));
