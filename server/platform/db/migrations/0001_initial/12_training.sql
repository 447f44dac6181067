-- Somebody need not watch a video: who decided so, when and why. Never deleted, only ended; what ran out is ended too.
CREATE TABLE training_waivers (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  reason text NOT NULL,
  -- It holds up to this instant; null: for good.
  until timestamptz(3),
  given_by uuid,
  given_by_name text NOT NULL,
  given_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  ended_by uuid,
  ended_by_name text,
  CONSTRAINT training_waivers_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id)
);
CREATE UNIQUE INDEX training_waivers_standing ON training_waivers (organization_id, user_id, video_id) WHERE ended_at IS NULL;
CREATE INDEX training_waivers_by_person ON training_waivers (user_id, video_id);
SELECT add_tenant_policy('training_waivers', 'organization_id');

-- The cells of the training matrix of which anything is known, of people and videos that are there.
CREATE TABLE training_cells (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- As `trainingFacts` number them, without `waived` and `late`.
  bits smallint NOT NULL,
  late_at timestamptz(3) NOT NULL,
  waived_until timestamptz(3) NOT NULL,
  CONSTRAINT training_cells_organization_id_user_id_video_id_pk PRIMARY KEY (organization_id, user_id, video_id)
) WITH (fillfactor = 80);
SELECT add_tenant_policy('training_cells', 'organization_id');
