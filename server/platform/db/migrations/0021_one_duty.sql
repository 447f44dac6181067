-- There is one notion of duty: "watch by" of a transmission is an obligation as well, the smallest one.
ALTER TABLE obligations
  ALTER COLUMN assignment_id DROP NOT NULL,
  ADD COLUMN transmission_id uuid,
  ADD CONSTRAINT obligations_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id),
  ADD CONSTRAINT obligations_of_one CHECK (num_nonnulls(assignment_id, transmission_id) = 1);
CREATE UNIQUE INDEX obligations_of_transmission ON obligations (transmission_id, user_id) WHERE transmission_id IS NOT NULL;

-- Obliges the recipients of transmissions with a day, and lets go whom they ask no more: who was left out or cancelled, who was sent a
-- transmission that was cancelled, or whose day was taken away. `people`: of these alone; null: of all. Whatever somebody completed
-- of the video counts, also before. What an assignment sends has its obligations already.
CREATE FUNCTION oblige_recipients(transmission_ids uuid[], people uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO obligations AS o (organization_id, transmission_id, user_id, video_id, counts_from, due_at, counted, state)
    SELECT t.organization_id, t.id, d.user_id, t.video_id, '-infinity', t.due_at, true,
      CASE WHEN EXISTS (SELECT FROM viewer_videos w WHERE w.organization_id = t.organization_id AND w.user_id = d.user_id
        AND w.video_id = t.video_id AND w.completed_at IS NOT NULL) THEN 'done' ELSE 'open' END
    FROM transmissions t JOIN (SELECT DISTINCT e.transmission_id, e.user_id FROM deliveries e
        WHERE e.transmission_id = ANY (transmission_ids) AND (people IS NULL OR e.user_id IN (SELECT unnest(people)))
          AND e.state NOT IN ('skipped', 'cancelled')) d ON d.transmission_id = t.id
    WHERE t.id = ANY (transmission_ids) AND t.due_at IS NOT NULL AND t.assignment_id IS NULL AND t.state <> 'cancelled'
    ORDER BY t.id, d.user_id
    ON CONFLICT (transmission_id, user_id) WHERE transmission_id IS NOT NULL DO UPDATE
      SET due_at = excluded.due_at, state = CASE WHEN o.state = 'ended' THEN excluded.state ELSE o.state END, updated_at = now()
      WHERE o.due_at <> excluded.due_at OR o.state = 'ended';
  UPDATE obligations SET state = 'ended', updated_at = now() WHERE id IN (
    SELECT o.id FROM obligations o JOIN transmissions t ON t.id = o.transmission_id
    WHERE o.transmission_id = ANY (transmission_ids) AND (people IS NULL OR o.user_id IN (SELECT unnest(people))) AND o.state <> 'ended'
      AND (t.due_at IS NULL OR t.state = 'cancelled' OR NOT EXISTS (SELECT FROM deliveries d WHERE d.transmission_id = t.id
        AND d.user_id = o.user_id AND d.state NOT IN ('skipped', 'cancelled')))
    ORDER BY o.transmission_id, o.user_id FOR UPDATE OF o);
END $$;

-- In the transaction of whoever writes the ledger, so that a delivery and its obligation never contradict each other.
CREATE FUNCTION deliveries_oblige() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  asking uuid[];
  people uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(DISTINCT transmission_id), array_agg(DISTINCT user_id) INTO asking, people FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT array_agg(DISTINCT transmission_id), array_agg(DISTINCT user_id) INTO asking, people FROM old_rows;
  ELSE
    SELECT array_agg(DISTINCT n.transmission_id), array_agg(DISTINCT n.user_id) INTO asking, people
      FROM new_rows n JOIN old_rows o ON o.transmission_id = n.transmission_id AND o.id = n.id
      WHERE (n.state IN ('skipped', 'cancelled')) <> (o.state IN ('skipped', 'cancelled'));
  END IF;
  IF EXISTS (SELECT FROM transmissions t WHERE t.id = ANY (asking) AND t.due_at IS NOT NULL AND t.assignment_id IS NULL) THEN
    PERFORM oblige_recipients(asking, people);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER oblige_inserted AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_oblige();
CREATE TRIGGER oblige_updated AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_oblige();
CREATE TRIGGER oblige_deleted AFTER DELETE ON deliveries
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION deliveries_oblige();

-- The day can be moved, and a transmission that is cancelled has none.
CREATE FUNCTION transmissions_oblige() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  asking uuid[];
BEGIN
  SELECT array_agg(n.id) INTO asking FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.assignment_id IS NULL AND (n.due_at IS DISTINCT FROM o.due_at OR n.state = 'cancelled' AND o.state <> 'cancelled');
  IF asking IS NOT NULL THEN
    PERFORM oblige_recipients(asking, NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER oblige_updated AFTER UPDATE ON transmissions
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION transmissions_oblige();

SELECT oblige_recipients(array_agg(id), NULL) FROM transmissions WHERE due_at IS NOT NULL AND assignment_id IS NULL;

-- When what was completed for an assignment is not valid any more; infinity: it is for good, or was not.
ALTER TABLE training_cells ADD COLUMN expires_at timestamptz(3) NOT NULL DEFAULT 'infinity';

-- What is owed is in the training matrix, and days come from there alone.
DROP TRIGGER mark_dirty_update ON transmissions;
DROP FUNCTION mark_dirty_transmissions_mark_dirty_update;
DO $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
    PERFORM add_dirty_source('obligations', 'mark_dirty_' || event, event,
      $f$organization_id, assignment_id, transmission_id, user_id, video_id, cycle, state, due_at, waived_until, valid_until, counts_from,
        covered_ms > 0 AS is_started$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed$k$);
  END LOOP;
  -- Of one that has ended nothing is owed any more, and nothing was done for it.
  PERFORM add_dirty_source('assignments', 'mark_dirty_update', 'update',
    $f$organization_id, id, video_id, state = 'ended' AS is_ended$f$,
    $k$SELECT 'training', organization_id, video_id, null::text FROM changed WHERE is_ended$k$);
END $$;

-- Whom the mail has named, so that its link shows them and nobody else.
ALTER TABLE escalation_digests ADD COLUMN named uuid[] NOT NULL DEFAULT '{}';

-- Where cells are others now: what assignments ask for was in none, and the day of a cancelled transmission was.
INSERT INTO dirty_keys (figure, organization_id)
  SELECT 'training', organization_id FROM obligations WHERE assignment_id IS NOT NULL
  UNION SELECT 'training', organization_id FROM transmissions WHERE state = 'cancelled' AND due_at IS NOT NULL;
