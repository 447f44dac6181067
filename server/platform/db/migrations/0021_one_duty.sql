-- When what was completed for an assignment is not valid any more; infinity: it is for good, or was not.
ALTER TABLE training_cells ADD COLUMN expires_at timestamptz(3) NOT NULL DEFAULT 'infinity';

-- What assignments ask for is in the training matrix.
DO $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
    PERFORM add_dirty_source('obligations', 'mark_dirty_' || event, event,
      $f$organization_id, assignment_id, user_id, video_id, cycle, state, due_at, waived_until, valid_until, counts_from, covered_ms > 0 AS is_started$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed$k$);
  END LOOP;
  -- Of one that has ended nothing is owed any more, and nothing was done for it.
  PERFORM add_dirty_source('assignments', 'mark_dirty_update', 'update',
    $f$organization_id, id, video_id, state = 'ended' AS is_ended$f$,
    $k$SELECT 'training', organization_id, video_id, null::text FROM changed WHERE is_ended$k$);
END $$;

-- Whom the mail has named, so that its link shows them and nobody else.
ALTER TABLE escalation_digests ADD COLUMN named uuid[] NOT NULL DEFAULT '{}';

INSERT INTO dirty_keys (figure, organization_id) SELECT DISTINCT 'training', organization_id FROM assignments;
