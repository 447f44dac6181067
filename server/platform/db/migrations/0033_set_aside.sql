-- What a loop that takes from a list could not work on: it is stepped over, told, and tried again later. A row goes once that succeeds.
CREATE TABLE set_aside (
  id uuid CONSTRAINT set_aside_pk PRIMARY KEY DEFAULT uuidv7(),
  loop text NOT NULL CONSTRAINT set_aside_loop_word CHECK (loop IN ('evidence', 'evidence_checks', 'figures', 'assignments', 'newcomers',
    'assignment_messages', 'late_digests', 'sending', 'returns', 'mail_events', 'report_schedules', 'senders', 'uploads',
    'housekeeping')),
  -- As the loop calls it: ids, with spaces between them.
  item text NOT NULL,
  organization_id uuid,
  -- In the words of the program.
  reason text NOT NULL,
  -- What has to be done, as JSON, where nothing but this row knows it; as text, because JSON may be what the database refuses.
  input text,
  first_at timestamptz(3) NOT NULL DEFAULT now(),
  last_at timestamptz(3) NOT NULL DEFAULT now(),
  tries int NOT NULL DEFAULT 1,
  next_try_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT set_aside_once UNIQUE (loop, item)
);
SELECT add_tenant_policy('set_aside', 'organization_id');

ALTER TABLE hidden_attention DROP CONSTRAINT hidden_attention_kind_word;
ALTER TABLE hidden_attention ADD CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
  'paused_transmissions', 'failing_senders', 'failed_mails', 'failing_backups', 'failing_conversion', 'set_aside', 'organizations_without_admin',
  'pending_approvals', 'failed_videos', 'failed_operations', 'returned_messages', 'overdue_people', 'failed_invitations',
  'expiring_invitations', 'dormant_admins', 'groups_without_groupadmin', 'barred_addresses', 'people_without_group'));
