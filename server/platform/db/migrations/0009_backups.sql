-- When this installation is backed up and how many backups stay, and what came of the last; one row. The backups themselves are known by
-- the folder that they lie in.
CREATE TABLE backup_plan (
  id boolean PRIMARY KEY DEFAULT true,
  is_on boolean NOT NULL DEFAULT false,
  -- UTC.
  hour integer NOT NULL DEFAULT 2,
  -- So many days, weeks and months keep their newest.
  daily integer NOT NULL DEFAULT 7,
  weekly integer NOT NULL DEFAULT 4,
  monthly integer NOT NULL DEFAULT 12,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when one is wished that is not due.
  asked_at timestamptz(3),
  started_at timestamptz(3),
  -- The last sign of life of the process that makes one.
  told_at timestamptz(3),
  step text,
  done bigint,
  total bigint,
  ended_at timestamptz(3),
  -- When the last one came to a good end.
  made_at timestamptz(3),
  -- Why the last one was not made; null: it was.
  failure text,
  CONSTRAINT backup_plan_one CHECK (id),
  CONSTRAINT backup_plan_hour CHECK (hour BETWEEN 0 AND 23),
  CONSTRAINT backup_plan_kept CHECK (daily BETWEEN 1 AND 365 AND weekly BETWEEN 0 AND 520 AND monthly BETWEEN 0 AND 120),
  CONSTRAINT backup_plan_step_word CHECK (step IN ('tables', 'files'))
);
INSERT INTO backup_plan DEFAULT VALUES;
-- For the system alone.
ALTER TABLE backup_plan ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON backup_plan USING ((SELECT app_system()));

ALTER TABLE hidden_attention DROP CONSTRAINT hidden_attention_kind_word;
ALTER TABLE hidden_attention ADD CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
  'paused_transmissions', 'failing_senders', 'failed_mails', 'failing_backups', 'organizations_without_admin', 'pending_approvals',
  'failed_videos', 'failed_operations', 'returned_messages', 'overdue_people', 'failed_invitations', 'expiring_invitations',
  'dormant_admins', 'groups_without_groupadmin', 'barred_addresses', 'people_without_group'));
