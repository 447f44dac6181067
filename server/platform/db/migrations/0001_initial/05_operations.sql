-- What changes many things at once, or what can be taken back: one line with its progress, and one row for each thing that is changed.
-- Both are written in the transaction of the change itself.
CREATE TABLE operations (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  -- Null: organizations themselves are changed, by somebody who administers the installation.
  organization_id uuid,
  kind text NOT NULL,
  state text NOT NULL,
  -- What is to be done, as the kind defines it.
  params jsonb NOT NULL DEFAULT '{}',
  total integer NOT NULL DEFAULT 0,
  -- Rows that have an outcome; while undoing, rows that have been taken back or could not be.
  done integer NOT NULL DEFAULT 0,
  -- Outcome to number of rows.
  counts jsonb NOT NULL DEFAULT '{}',
  undo_counts jsonb NOT NULL DEFAULT '{}',
  error text,
  created_by uuid,
  created_by_name text NOT NULL,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- Until when it can be taken back; null when it never can.
  undo_until timestamptz(3),
  undone_at timestamptz(3),
  undone_by uuid,
  undone_by_name text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT operations_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT operations_kind_word CHECK (kind IN (
    'users.import', 'users.change', 'users.remove', 'users.add_to_group', 'users.remove_from_group', 'users.invite', 'groups.remove',
    'waivers.remove', 'waivers.give', 'waivers.end', 'organizations.change', 'organizations.remove', 'videos.change', 'videos.move',
    'videos.remove', 'transmissions.cancel')),
  CONSTRAINT operations_state_word CHECK (state IN (
    'draft', 'queued', 'running', 'cancelling', 'cancelled', 'done', 'failed', 'undoing', 'undone'))
);
CREATE INDEX operations_newest ON operations (organization_id, created_at, id);
CREATE INDEX operations_by_person ON operations (created_by, created_at);
CREATE INDEX operations_at_work ON operations (state) WHERE state IN ('queued', 'running', 'cancelling', 'undoing');
SELECT add_tenant_policy('operations', 'organization_id');

CREATE TABLE operation_rows (
  operation_id uuid NOT NULL,
  organization_id uuid,
  -- From 1; the line of an imported file below its header.
  position integer NOT NULL,
  entity text NOT NULL,
  entity_id uuid,
  -- The second part of the key of a membership: its group.
  group_id uuid,
  -- The name at that time, for people who look later.
  label text NOT NULL,
  -- What was given for this row, such as the fields of an imported line.
  input jsonb,
  -- Null until the row has been worked on.
  outcome text,
  -- A code of why not, or why so.
  reason text,
  -- What is needed to take the change back.
  before jsonb,
  -- What the change left behind: undo leaves alone what is different by then.
  after jsonb,
  undo text,
  CONSTRAINT operation_rows_operation_id_position_pk PRIMARY KEY (operation_id, position),
  CONSTRAINT operation_rows_operation_id_operations_id_fk FOREIGN KEY (operation_id) REFERENCES operations (id) ON DELETE CASCADE,
  CONSTRAINT operation_rows_entity_word CHECK (entity IN ('user', 'group', 'organization', 'member', 'waiver', 'video', 'transmission')),
  CONSTRAINT operation_rows_outcome_word CHECK (outcome IN (
    'created', 'changed', 'removed', 'unchanged', 'skipped', 'conflict', 'failed')),
  CONSTRAINT operation_rows_undo_word CHECK (undo IN ('undone', 'changed_since', 'impossible'))
);
CREATE INDEX operation_rows_by_entity ON operation_rows (entity_id);
CREATE INDEX operation_rows_by_outcome ON operation_rows (operation_id, outcome, position);
SELECT add_tenant_policy('operation_rows', 'organization_id');

-- A file of people on its way into the organization; its operation has kind `users.import`.
CREATE TABLE imports (
  operation_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  file_name text NOT NULL,
  delimiter text NOT NULL,
  header text[] NOT NULL,
  -- How many rows have fewer or more cells than the header, and the first of them; counted from 1 below the header.
  ragged integer NOT NULL DEFAULT 0,
  ragged_rows integer[] NOT NULL DEFAULT '{}',
  mapping jsonb NOT NULL DEFAULT '{}',
  options jsonb NOT NULL,
  CONSTRAINT imports_operation_id_operations_id_fk FOREIGN KEY (operation_id) REFERENCES operations (id) ON DELETE CASCADE,
  CONSTRAINT imports_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT imports_delimiter_word CHECK (delimiter IN (',', ';', E'\t', '|'))
);
SELECT add_tenant_policy('imports', 'organization_id');

-- What the rehearsal says about each row of a file; the cells themselves are the input of the operation's rows.
CREATE TABLE import_rows (
  operation_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  position integer NOT NULL,
  outcome text NOT NULL,
  reason text,
  label text NOT NULL,
  -- Who is there already.
  user_id uuid,
  -- Null where the row is not to be imported: then a later one with the same email may be.
  email text,
  external_id text,
  gives_role boolean NOT NULL DEFAULT false,
  changes jsonb NOT NULL DEFAULT '[]',
  CONSTRAINT import_rows_operation_id_position_pk PRIMARY KEY (operation_id, position),
  CONSTRAINT import_rows_operation_id_operations_id_fk FOREIGN KEY (operation_id) REFERENCES operations (id) ON DELETE CASCADE,
  CONSTRAINT import_rows_outcome_word CHECK (outcome IN ('created', 'changed', 'removed', 'unchanged', 'skipped', 'conflict', 'failed'))
);
CREATE INDEX import_rows_by_outcome ON import_rows (operation_id, outcome, position);
CREATE INDEX import_rows_by_email ON import_rows (operation_id, email);
CREATE INDEX import_rows_by_external_id ON import_rows (operation_id, external_id);
CREATE INDEX import_rows_by_user ON import_rows (operation_id, user_id);
SELECT add_tenant_policy('import_rows', 'organization_id');
