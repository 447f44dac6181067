-- Which store holds the files. The one before it is asked for what the present one lacks, until it is forgotten. `place` tells a folder by the
-- mark that lies in it and a bucket by its address; null: nothing has used it yet.
CREATE TABLE file_stores (
  only_one boolean PRIMARY KEY DEFAULT true CONSTRAINT file_stores_one CHECK (only_one),
  kind text NOT NULL DEFAULT 'folder',
  place text,
  former_kind text,
  former_place text,
  CONSTRAINT file_stores_kind_word CHECK (kind IN ('folder', 's3')),
  CONSTRAINT file_stores_former_word CHECK (former_kind IN ('folder', 's3'))
);
INSERT INTO file_stores DEFAULT VALUES;

-- An upload that is not at its end yet: where it began, what has arrived durably, and which connection may write.
CREATE TABLE uploads (
  version_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  store text NOT NULL,
  -- What the store calls it.
  store_id text NOT NULL,
  -- Bytes that have arrived, those of `tail` among them.
  arrived bigint NOT NULL DEFAULT 0,
  -- The end of what has arrived, where it is shorter than the store takes as a part.
  tail bytea,
  parts integer NOT NULL DEFAULT 0,
  -- SHA-256 of so many bytes at the beginning and at the end of what has arrived, by which a file is known again.
  head_bytes integer NOT NULL DEFAULT 0,
  head_sha256 text,
  tail_bytes integer NOT NULL DEFAULT 0,
  tail_sha256 text,
  -- The connection that writes, and when bytes came by it last.
  holder uuid,
  held_at timestamptz(3),
  CONSTRAINT uploads_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT uploads_store_word CHECK (store IN ('folder', 's3'))
);
SELECT add_tenant_policy('uploads', 'organization_id');

CREATE TABLE upload_parts (
  version_id uuid NOT NULL REFERENCES uploads (version_id) ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  number integer NOT NULL,
  etag text NOT NULL,
  CONSTRAINT upload_parts_pk PRIMARY KEY (version_id, number)
);
SELECT add_tenant_policy('upload_parts', 'organization_id');

-- When the files of a deleted video were removed; null: they are there, or may be.
ALTER TABLE videos ADD COLUMN files_removed_at timestamptz(3);
CREATE INDEX videos_with_files_left ON videos (deleted_at) WHERE deleted_at IS NOT NULL AND files_removed_at IS NULL;

-- Versions whose files were brought to the present store, every byte compared; emptied when the former store is forgotten.
CREATE TABLE moved_files (
  version_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  CONSTRAINT moved_files_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id) ON DELETE CASCADE
);
SELECT add_tenant_policy('moved_files', 'organization_id');

-- The store of files may not answer, and may hand out what was not stored.
ALTER TABLE videos DROP CONSTRAINT videos_failure_word;
ALTER TABLE videos ADD CONSTRAINT videos_failure_word CHECK (failure IN (
  'not_a_video', 'unknown_format', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture',
  'unsupported_codec', 'mpeg4_part_2', 'mpeg1', 'mpeg2', 'dv', 'wmv', 'flv', 'encrypted', 'avi', 'refers_elsewhere', 'cut_off',
  'index_missing', 'damaged', 'unreadable', 'too_costly', 'processing_failed', 'converter_broken', 'storage_away',
  'source_altered', 'disk_full', 'upload_expired'));
ALTER TABLE video_versions DROP CONSTRAINT video_versions_failure_word;
ALTER TABLE video_versions ADD CONSTRAINT video_versions_failure_word CHECK (failure IN (
  'not_a_video', 'unknown_format', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture',
  'unsupported_codec', 'mpeg4_part_2', 'mpeg1', 'mpeg2', 'dv', 'wmv', 'flv', 'encrypted', 'avi', 'refers_elsewhere', 'cut_off',
  'index_missing', 'damaged', 'unreadable', 'too_costly', 'processing_failed', 'converter_broken', 'storage_away',
  'source_altered', 'disk_full', 'upload_expired'));

DROP INDEX videos_waiting_for_converter;
CREATE INDEX videos_waiting_for_installation ON videos (id) WHERE failure IN ('converter_broken', 'storage_away') AND deleted_at IS NULL;
