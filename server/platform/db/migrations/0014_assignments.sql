-- A duty to see a video, and what each person owes of it: a transmission is a message, an assignment closes itself.
CREATE TABLE assignments (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  state text NOT NULL DEFAULT 'draft',
  -- Raised by every change; a guarded UPDATE compares it.
  version integer NOT NULL DEFAULT 1,
  video_id uuid NOT NULL,
  audience jsonb NOT NULL,
  requirement text NOT NULL,
  due jsonb NOT NULL,
  -- {"months", "renewDays"}; null: for good.
  validity jsonb,
  counts_since date,
  reminders jsonb NOT NULL,
  subject text NOT NULL,
  message text NOT NULL,
  created_by uuid NOT NULL,
  created_by_name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When the audience was last compared with who is obliged; null: it is to be at once.
  planned_at timestamptz(3),
  CONSTRAINT assignments_tenant UNIQUE (organization_id, id),
  CONSTRAINT assignments_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id),
  CONSTRAINT assignments_state_word CHECK (state IN ('draft', 'active', 'paused', 'ended')),
  CONSTRAINT assignments_requirement_word CHECK (requirement IN ('watched', 'passed'))
);
CREATE INDEX assignments_by_organization ON assignments (organization_id, created_at);
CREATE INDEX assignments_to_plan ON assignments (planned_at NULLS FIRST) WHERE state = 'active';
SELECT add_tenant_policy('assignments', 'organization_id');

-- One person, one assignment, one cycle.
CREATE TABLE obligations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  assignment_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  cycle integer NOT NULL DEFAULT 1,
  state text NOT NULL DEFAULT 'open',
  since timestamptz(3) NOT NULL DEFAULT now(),
  -- Viewing from here on counts.
  counts_from timestamptz(3) NOT NULL,
  due_at timestamptz(3),
  -- Somebody set another day for this person, which a change of the assignment leaves alone.
  due_is_own boolean NOT NULL DEFAULT false,
  reason text,
  ending text,
  waived_until timestamptz(3),
  done_at timestamptz(3),
  valid_until timestamptz(3),
  -- Its own coverage, of one version, so that it holds whatever becomes of the sessions; it only grows.
  version_id uuid,
  coverage int4multirange NOT NULL DEFAULT '{}',
  covered_ms integer NOT NULL DEFAULT 0,
  covered_at timestamptz(3),
  -- Whether what was watched before this row was there has been added.
  counted boolean NOT NULL DEFAULT false,
  messages integer NOT NULL DEFAULT 0,
  last_message_at timestamptz(3),
  -- Day in the organization's zone; null: none is planned.
  next_message_on date,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT obligations_once UNIQUE (assignment_id, user_id, cycle),
  CONSTRAINT obligations_assignment FOREIGN KEY (organization_id, assignment_id) REFERENCES assignments (organization_id, id),
  CONSTRAINT obligations_state_word CHECK (state IN ('open', 'done', 'waived', 'ended')),
  CONSTRAINT obligations_ending_word CHECK (ending IN ('left', 'exempted', 'assignment_ended'))
);
CREATE INDEX obligations_by_viewer ON obligations (video_id, user_id) WHERE state IN ('open', 'waived');
CREATE INDEX obligations_by_person ON obligations (user_id);
CREATE INDEX obligations_uncounted ON obligations (video_id) WHERE NOT counted;
CREATE INDEX obligations_to_message ON obligations (assignment_id, next_message_on) WHERE state = 'open';
SELECT add_tenant_policy('obligations', 'organization_id');

-- What was decided about one person.
CREATE TABLE obligation_changes (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  assignment_id uuid NOT NULL,
  user_id uuid NOT NULL,
  action text NOT NULL,
  reason text NOT NULL,
  until timestamptz(3),
  by_id uuid NOT NULL,
  by_name text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT obligation_changes_assignment FOREIGN KEY (organization_id, assignment_id) REFERENCES assignments (organization_id, id),
  CONSTRAINT obligation_changes_action_word CHECK (action IN ('waive', 'unwaive', 'extend', 'exempt', 'oblige'))
);
CREATE INDEX obligation_changes_by_person ON obligation_changes (user_id, assignment_id);
SELECT add_tenant_policy('obligation_changes', 'organization_id');

-- Each message of an obligation once, whoever plans it, and however often.
CREATE TABLE obligation_messages (
  organization_id uuid NOT NULL,
  obligation_id uuid NOT NULL REFERENCES obligations (id),
  kind text NOT NULL,
  -- The planned day.
  slot date NOT NULL,
  transmission_id uuid NOT NULL,
  CONSTRAINT obligation_messages_pk PRIMARY KEY (obligation_id, kind, slot),
  CONSTRAINT obligation_messages_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id),
  CONSTRAINT obligation_messages_kind_word CHECK (kind IN ('first', 'reminder', 'again', 'manual'))
);
CREATE INDEX obligation_messages_by_transmission ON obligation_messages (transmission_id);
SELECT add_tenant_policy('obligation_messages', 'organization_id');

-- Made by an assignment; null: by a person.
ALTER TABLE transmissions
  ADD COLUMN assignment_id uuid,
  ADD CONSTRAINT transmissions_assignment FOREIGN KEY (organization_id, assignment_id) REFERENCES assignments (organization_id, id);
CREATE INDEX transmissions_by_assignment ON transmissions (assignment_id) WHERE assignment_id IS NOT NULL;
