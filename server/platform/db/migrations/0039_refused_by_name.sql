-- Each kind of file that is not taken by its own name.
ALTER TABLE videos DROP CONSTRAINT videos_failure_word;
ALTER TABLE videos ADD CONSTRAINT videos_failure_word CHECK (failure IN (
  'not_a_video', 'unknown_format', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture',
  'unsupported_codec', 'mpeg4_part_2', 'mpeg1', 'mpeg2', 'dv', 'wmv', 'flv', 'encrypted', 'avi', 'refers_elsewhere', 'cut_off',
  'index_missing', 'damaged', 'unreadable', 'too_costly', 'processing_failed', 'converter_broken', 'disk_full', 'upload_expired'));
ALTER TABLE video_versions DROP CONSTRAINT video_versions_failure_word;
ALTER TABLE video_versions ADD CONSTRAINT video_versions_failure_word CHECK (failure IN (
  'not_a_video', 'unknown_format', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture',
  'unsupported_codec', 'mpeg4_part_2', 'mpeg1', 'mpeg2', 'dv', 'wmv', 'flv', 'encrypted', 'avi', 'refers_elsewhere', 'cut_off',
  'index_missing', 'damaged', 'unreadable', 'too_costly', 'processing_failed', 'converter_broken', 'disk_full', 'upload_expired'));
