-- A draft is kept while it is written, before it names a video or the video has a version. Whatever goes on has both.
ALTER TABLE transmissions ALTER COLUMN video_id DROP NOT NULL;
ALTER TABLE transmissions ALTER COLUMN version_id DROP NOT NULL;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_video_named CHECK (
  state IN ('draft', 'cancelled') OR (video_id IS NOT NULL AND version_id IS NOT NULL));
