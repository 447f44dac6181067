-- Who failed stands in the cells of the training matrix: worked out when it changes, not at each reading. These sources decide it as well.
DO $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
    EXECUTE format('DROP TRIGGER mark_dirty_%s ON quiz_attempts', event);
    EXECUTE format('DROP FUNCTION mark_dirty_quiz_attempts_mark_dirty_%s', event);
    PERFORM add_dirty_source('quiz_attempts', 'mark_dirty_' || event, event,
      $f$organization_id, video_id, version_id, user_id, viewer_key, is_first, completed_at, passed, CASE WHEN completed_at IS NOT NULL THEN score END AS score$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE user_id IS NOT NULL AND completed_at IS NOT NULL
        UNION ALL SELECT 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) FROM changed WHERE teaches(version_id)
        UNION ALL SELECT 'questions', organization_id, version_id, coalesce(user_id::text, viewer_key) FROM changed WHERE is_first AND completed_at IS NOT NULL
        UNION ALL SELECT 'reports', organization_id, null::uuid, null::text FROM changed WHERE completed_at IS NOT NULL$k$);
    EXECUTE format('DROP TRIGGER mark_dirty_%s ON obligations', event);
    EXECUTE format('DROP FUNCTION mark_dirty_obligations_mark_dirty_%s', event);
    PERFORM add_dirty_source('obligations', 'mark_dirty_' || event, event,
      $f$organization_id, assignment_id, transmission_id, user_id, video_id, cycle, state, due_at, waived_until, valid_until, counts_from, answers_from,
        covered_ms > 0 AS is_started$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed$k$);
  END LOOP;
  DROP TRIGGER mark_dirty_update ON assignments;
  DROP FUNCTION mark_dirty_assignments_mark_dirty_update;
  -- Of one that has ended nothing is owed any more, and nothing was done for it; and one may ask for another thing.
  PERFORM add_dirty_source('assignments', 'mark_dirty_update', 'update',
    $f$organization_id, id, video_id, requirement, state = 'ended' AS is_ended$f$,
    $k$SELECT 'training', organization_id, video_id, null::text FROM changed$k$);
  -- Which questions are asked now.
  PERFORM add_dirty_source('quizzes', 'mark_dirty_update', 'update',
    $f$organization_id, video_id, current_version_id$f$,
    $k$SELECT 'training', organization_id, video_id, null::text FROM changed$k$);
  -- Where only completions are recorded nothing is asked.
  PERFORM add_dirty_source('organizations', 'mark_dirty_update', 'update',
    $f$id, coalesce(policies ->> 'trackingMode' = 'completed_only', false) AS asks_nothing$f$,
    $k$SELECT 'training', id, null::uuid, null::text FROM changed$k$);
END $$;

INSERT INTO dirty_keys (figure, organization_id) SELECT DISTINCT 'training', organization_id FROM quiz_attempts WHERE completed_at IS NOT NULL;
