-- What is said in a version, to be written down by a model: who asked for it, how far it is, and what has come of it. The newest row of a
-- version is shown; those before it are forgotten with the version.
CREATE TABLE recognitions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  -- A tag, or `auto`.
  language text NOT NULL,
  -- Captions that are there when it is asked for may be replaced; what comes after that may not.
  may_replace boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'waiting',
  progress real NOT NULL DEFAULT 0,
  failure text,
  made_language text,
  made_cues integer,
  asked_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT recognitions_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT recognitions_state_word CHECK (state IN ('waiting', 'working', 'done', 'failed', 'cancelled')),
  CONSTRAINT recognitions_failure_word CHECK (failure IN ('model_missing', 'model_altered', 'model_unfit', 'model_english', 'no_sound',
    'nothing_heard', 'too_costly', 'captions_present', 'video_replaced', 'disk_full', 'storage_away', 'recognition_failed'))
);
SELECT add_tenant_policy('recognitions', 'organization_id');
CREATE INDEX recognitions_of_version ON recognitions (version_id, created_at);
-- Of one version one at a time.
CREATE UNIQUE INDEX recognitions_running ON recognitions (version_id) WHERE state IN ('waiting', 'working');

-- The model by which speech is recognised, where the operator has named none, and one that is to take its place and has not arrived to its
-- end. Its file lies where all files lie, as `models/<id>`.
CREATE TABLE speech_models (
  state text PRIMARY KEY,
  id uuid NOT NULL,
  name text NOT NULL,
  size bigint NOT NULL,
  -- Of one that is to arrive, as somebody gave it, or null.
  sha256 text,
  store text NOT NULL,
  -- What the store calls the upload.
  store_id text NOT NULL,
  arrived bigint NOT NULL DEFAULT 0,
  parts jsonb NOT NULL DEFAULT '[]',
  CONSTRAINT speech_models_state_word CHECK (state IN ('arriving', 'ready')),
  CONSTRAINT speech_models_store_word CHECK (store IN ('folder', 's3'))
);

ALTER TABLE notifications DROP CONSTRAINT notifications_kind_word;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_word CHECK (kind IN (
  'operation.done', 'operation.failed', 'operation.cancelled', 'operation.undone', 'transmission.approval_wanted',
  'transmission.approved', 'transmission.rejected', 'transmission.held', 'transmission.paused', 'transmission.cancelled',
  'transmission.completed', 'transmission.failed', 'video.ready', 'video.failed', 'video.recognised', 'video.not_recognised',
  'invitation.expired'));
