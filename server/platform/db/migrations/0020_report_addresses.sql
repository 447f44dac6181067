-- Further addresses to which a report by mail goes, with what its owner may see.
CREATE TABLE report_addresses (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  schedule_id uuid NOT NULL,
  -- Of the schedule; null: all organizations together.
  organization_id uuid,
  owner_id uuid NOT NULL,
  address text NOT NULL,
  -- `waiting`: nobody who reads there has agreed yet, and nothing is sent. `ended`: its reader wants nothing, and is not asked again.
  state text NOT NULL DEFAULT 'waiting',
  decided_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT report_addresses_schedule FOREIGN KEY (schedule_id) REFERENCES report_schedules (id) ON DELETE CASCADE,
  CONSTRAINT report_addresses_owner FOREIGN KEY (owner_id) REFERENCES users (id),
  CONSTRAINT report_addresses_state_word CHECK (state IN ('waiting', 'confirmed', 'ended')),
  CONSTRAINT report_addresses_decided CHECK ((state = 'waiting') = (decided_at IS NULL)),
  CONSTRAINT report_addresses_once UNIQUE (schedule_id, address)
);
CREATE INDEX report_addresses_of_owner ON report_addresses (owner_id);
CREATE INDEX report_addresses_by_address ON report_addresses (address);
SELECT add_tenant_policy('report_addresses', 'organization_id');
