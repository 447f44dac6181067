-- The installation cannot convert at present, and the file is not to blame.
ALTER TABLE videos DROP CONSTRAINT videos_failure_word;
ALTER TABLE videos ADD CONSTRAINT videos_failure_word CHECK (failure IN (
  'not_a_video', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture', 'unsupported_codec',
  'mpeg4_part_2', 'avi', 'refers_elsewhere', 'cut_off', 'index_missing', 'damaged', 'too_costly', 'processing_failed',
  'converter_broken', 'disk_full', 'upload_expired'));
ALTER TABLE video_versions DROP CONSTRAINT video_versions_failure_word;
ALTER TABLE video_versions ADD CONSTRAINT video_versions_failure_word CHECK (failure IN (
  'not_a_video', 'no_video_track', 'empty', 'too_long', 'too_large_picture', 'too_much_picture', 'unsupported_codec',
  'mpeg4_part_2', 'avi', 'refers_elsewhere', 'cut_off', 'index_missing', 'damaged', 'too_costly', 'processing_failed',
  'converter_broken', 'disk_full', 'upload_expired'));
-- Those that go on by themselves once it can.
CREATE INDEX videos_waiting_for_converter ON videos (id) WHERE failure = 'converter_broken' AND deleted_at IS NULL;

ALTER TABLE hidden_attention DROP CONSTRAINT hidden_attention_kind_word;
ALTER TABLE hidden_attention ADD CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
  'paused_transmissions', 'failing_senders', 'failed_mails', 'failing_backups', 'failing_conversion', 'organizations_without_admin',
  'pending_approvals', 'failed_videos', 'failed_operations', 'returned_messages', 'overdue_people', 'failed_invitations',
  'expiring_invitations', 'dormant_admins', 'groups_without_groupadmin', 'barred_addresses', 'people_without_group'));
