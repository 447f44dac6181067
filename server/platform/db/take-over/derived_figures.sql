-- From the figures of before to the one mechanism of 14_derived_figures.sql, which has been run.
-- What was marked before this and had not been worked out yet.
INSERT INTO dirty_keys (figure, organization_id, subject, person)
  SELECT 'training', m.organization_id, m.video_id, p::text FROM training_marks m LEFT JOIN unnest(m.user_ids) p ON true
  UNION SELECT 'attention', organization_id, video_id, person FROM quiz_attention_marks
  UNION SELECT 'rules', organization_id, null, user_id::text FROM membership_stale
  UNION SELECT 'rules', organization_id, id, null FROM groups WHERE rule_stale;
-- With the functions go the triggers that called them.
DO $$
DECLARE
  gone text;
BEGIN
  FOREACH gone IN ARRAY ARRAY['mark_stale', 'mark_rule_stale', 'mark_members_stale', 'mark_reach', 'mark_reach_of_days', 'mark_quizzes',
      'mark_attention', 'mark_attention_of_answer', 'mark_attention_of_sessions', 'mark_attention_of_spans', 'mark_training_of_deliveries',
      'mark_training_of_viewing', 'mark_training_of_attempts', 'mark_training_of_waivers', 'mark_training_of_transmissions',
      'mark_training_of_users', 'mark_training_of_videos'] LOOP
    EXECUTE format('DROP FUNCTION %I() CASCADE', gone);
  END LOOP;
END $$;
DROP TABLE membership_stale CASCADE;
DROP TABLE quiz_attention_marks CASCADE;
DROP TABLE quiz_attention_sums CASCADE;
DROP TABLE quiz_marks CASCADE;
DROP TABLE quiz_people CASCADE;
DROP TABLE quiz_sums CASCADE;
DROP TABLE reach_marks CASCADE;
DROP TABLE reach_sums CASCADE;
DROP TABLE viewer_reach CASCADE;
DROP TABLE training_by_person CASCADE;
DROP TABLE training_by_video CASCADE;
DROP TABLE training_marks CASCADE;
DROP INDEX groups_stale;
CREATE INDEX quiz_attention_by_question ON quiz_attention (item_id, verdict);
ALTER TABLE groups DROP COLUMN rule_stale;
DROP TYPE reach_part;
DROP TYPE quiz_part;
