CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  parent_id uuid,
  name text NOT NULL,
  position integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT projects_tenant UNIQUE (organization_id, id),
  CONSTRAINT projects_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT projects_parent FOREIGN KEY (organization_id, parent_id) REFERENCES projects (organization_id, id)
);
CREATE UNIQUE INDEX projects_name ON projects (organization_id, coalesce(parent_id, '00000000-0000-0000-0000-000000000000'::uuid), lower(name))
  WHERE deleted_at IS NULL;
SELECT add_tenant_policy('projects', 'organization_id');

CREATE TABLE videos (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  project_id uuid,
  title text NOT NULL,
  description text,
  tags text[] NOT NULL DEFAULT '{}',
  state text NOT NULL DEFAULT 'uploading',
  -- 0 to 1 of the present step.
  progress double precision NOT NULL DEFAULT 0,
  failure text,
  privacy text NOT NULL DEFAULT 'link',
  -- The version that plays; stays while a newer one is processed.
  current_version_id uuid,
  -- Length in milliseconds of the version that plays, 0 without one; kept by a trigger, for the order of lists.
  length_ms double precision NOT NULL DEFAULT 0,
  created_by uuid,
  search text GENERATED ALWAYS AS (fold_text(title || ' ' || coalesce(description, ''))) STORED,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  CONSTRAINT videos_tenant UNIQUE (organization_id, id),
  CONSTRAINT videos_organization_id_organizations_id_fk FOREIGN KEY (organization_id) REFERENCES organizations (id),
  CONSTRAINT videos_project FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id),
  CONSTRAINT videos_state_word CHECK (state IN ('uploading', 'processing', 'ready', 'failed', 'archived')),
  CONSTRAINT videos_failure_word CHECK (failure IN (
    'not_a_video', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture', 'unsupported_codec',
    'mpeg4_part_2', 'avi', 'refers_elsewhere', 'cut_off', 'index_missing', 'damaged', 'too_costly', 'processing_failed', 'disk_full',
    'upload_expired')),
  CONSTRAINT videos_privacy_word CHECK (privacy IN ('public', 'link', 'organization', 'private'))
);
CREATE INDEX videos_newest ON videos (organization_id, created_at DESC, id DESC);
CREATE INDEX videos_by_title ON videos (organization_id, lower(title), id) WHERE deleted_at IS NULL;
CREATE INDEX videos_by_length ON videos (organization_id, length_ms, id) WHERE deleted_at IS NULL;
CREATE INDEX videos_search ON videos USING gin (organization_id, search gin_trgm_ops);
CREATE INDEX videos_slips ON videos USING gin (organization_id, slip_keys(fold_text(title)));
CREATE INDEX videos_beginning ON videos (organization_id, left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;
CREATE INDEX videos_beginning_anywhere ON videos (left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;
SELECT add_tenant_policy('videos', 'organization_id');

CREATE TRIGGER count_inserted AFTER INSERT ON videos
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('video_count');
CREATE TRIGGER count_updated AFTER UPDATE ON videos
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('video_count');
CREATE TRIGGER count_deleted AFTER DELETE ON videos
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization('video_count');

-- Immutable once `ready_at` is set; evidence refers to a version.
CREATE TABLE video_versions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  number integer NOT NULL,
  file_name text NOT NULL,
  -- Bytes announced; the upload is complete when `received_bytes` equals it.
  size bigint NOT NULL,
  received_bytes bigint NOT NULL DEFAULT 0,
  uploaded_at timestamptz(3),
  duration_ms integer,
  width integer,
  height integer,
  probe jsonb,
  renditions jsonb,
  storyboard jsonb,
  poster text,
  poster_small text,
  ready_at timestamptz(3),
  failure text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT video_versions_tenant UNIQUE (organization_id, id),
  CONSTRAINT video_versions_number UNIQUE (video_id, number),
  CONSTRAINT video_versions_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id),
  CONSTRAINT video_versions_failure_word CHECK (failure IN (
    'not_a_video', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture', 'unsupported_codec',
    'mpeg4_part_2', 'avi', 'refers_elsewhere', 'cut_off', 'index_missing', 'damaged', 'too_costly', 'processing_failed', 'disk_full',
    'upload_expired'))
);
SELECT add_tenant_policy('video_versions', 'organization_id');

CREATE FUNCTION keep_length() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.length_ms := coalesce((SELECT n.duration_ms FROM video_versions n WHERE n.id = NEW.current_version_id), 0);
  RETURN NEW;
END $$;

CREATE TRIGGER keep_length BEFORE INSERT OR UPDATE OF current_version_id ON videos FOR EACH ROW EXECUTE FUNCTION keep_length();
