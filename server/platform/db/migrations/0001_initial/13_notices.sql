-- What somebody is told of, written in the transaction of what happened. Gone after 90 days.
CREATE TABLE notifications (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Of the thing; null: about the installation.
  organization_id uuid,
  -- No reference: nothing may go wrong for the reason that nobody is there any more to be told.
  user_id uuid NOT NULL,
  kind text NOT NULL,
  entity_id uuid NOT NULL,
  -- Which of the times that this has become of the thing: with it, telling twice tells once.
  cause text NOT NULL,
  -- Told to an administrator as such, who did not do it: nothing for whoever is no administrator any more.
  as_admin boolean NOT NULL DEFAULT false,
  params jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  read_at timestamptz(3),
  CONSTRAINT notifications_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT notifications_kind_word CHECK (kind IN (
    'operation.done', 'operation.failed', 'operation.cancelled', 'operation.undone', 'transmission.approval_wanted',
    'transmission.approved', 'transmission.rejected', 'transmission.held', 'transmission.paused', 'transmission.cancelled',
    'transmission.completed', 'transmission.failed', 'video.ready', 'video.failed', 'invitation.expired'))
);
CREATE UNIQUE INDEX notifications_once ON notifications (user_id, kind, entity_id, cause);
CREATE INDEX notifications_newest ON notifications (user_id, created_at, id);
CREATE INDEX notifications_unread ON notifications (user_id) WHERE read_at IS NULL;
-- What was wanted of several people is done for all of them at once.
CREATE INDEX notifications_wanted ON notifications (entity_id) WHERE read_at IS NULL;
CREATE INDEX notifications_age ON notifications (created_at);
SELECT add_tenant_policy('notifications', 'organization_id');

-- Reports that somebody has sent to themselves again and again.
CREATE TABLE report_schedules (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Whose figures; null: all organizations together, for superadmins only.
  organization_id uuid,
  owner_id uuid NOT NULL,
  report text NOT NULL,
  view jsonb NOT NULL,
  period text NOT NULL,
  rhythm text NOT NULL,
  -- 1 is Monday; counts for weekly ones only, as `month_day` does for monthly ones.
  weekday integer NOT NULL,
  month_day integer NOT NULL,
  hour integer NOT NULL,
  -- That of the organization when `next_at` was worked out.
  time_zone text NOT NULL,
  formats text[] NOT NULL,
  state text NOT NULL DEFAULT 'active',
  pause_reason text,
  -- The slot that comes next. Whoever sends moves it on in the transaction that queues the mail, so that no slot is used twice.
  next_at timestamptz(3) NOT NULL,
  -- After a fault: when the same slot is tried again, and how often it was.
  retry_at timestamptz(3),
  tries integer NOT NULL DEFAULT 0,
  last_sent_at timestamptz(3),
  -- The mail of that; its state tells whether it left.
  last_mail_id uuid,
  -- When the report of a slot could last not be worked out; null since one could.
  fault_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Of what people decide; sending leaves it alone.
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT report_schedules_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT report_schedules_owner_id_users_id_fk FOREIGN KEY (owner_id) REFERENCES users (id),
  CONSTRAINT report_schedules_paused CHECK ((state = 'paused') = (pause_reason IS NOT NULL)),
  CONSTRAINT report_schedules_report_word CHECK (report IN (
    'account-user-activity', 'user-engagement', 'account-activity', 'message-analytics', 'quiz-metrics')),
  CONSTRAINT report_schedules_period_word CHECK (period IN ('day', '7d', '30d', '90d', 'month', '12m')),
  CONSTRAINT report_schedules_rhythm_word CHECK (rhythm IN ('daily', 'weekly', 'monthly')),
  CONSTRAINT report_schedules_formats_word CHECK (formats <@ ARRAY['csv', 'xlsx', 'pdf']),
  CONSTRAINT report_schedules_state_word CHECK (state IN ('active', 'paused')),
  CONSTRAINT report_schedules_pause_reason_word CHECK (pause_reason IN (
    'by_owner', 'by_admin', 'unsubscribed', 'no_access', 'not_in_sight'))
);
CREATE INDEX report_schedules_due ON report_schedules ((CASE WHEN retry_at IS NULL THEN next_at ELSE retry_at END)) WHERE state = 'active';
CREATE INDEX report_schedules_of_owner ON report_schedules (owner_id, created_at, id);
CREATE INDEX report_schedules_of_organization ON report_schedules (organization_id, created_at, id);
SELECT add_tenant_policy('report_schedules', 'organization_id');
