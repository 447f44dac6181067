-- What has a day is an assignment: that of a message has an assignment of its own, whose audience is the recipients of the message.
ALTER TABLE assignments
  -- The message whose recipients owe it; null: its audience does.
  ADD COLUMN message_id uuid,
  -- Whoever comes into the audience is obliged as well.
  ADD COLUMN grows boolean NOT NULL DEFAULT true,
  ADD CONSTRAINT assignments_message FOREIGN KEY (organization_id, message_id) REFERENCES transmissions (organization_id, id);
CREATE UNIQUE INDEX assignments_of_message ON assignments (message_id) WHERE message_id IS NOT NULL;

-- Of the day of a message, as its author has seen them before sending; null: none.
ALTER TABLE transmissions ADD COLUMN reminders jsonb;

-- Makes the assignments of messages that are let go with a day, moves their day, and ends what no message asks for any more. Of a message
-- that was taken back before anybody was asked nothing stays. `moved`: their day has changed, so that one that was ended is owed again.
CREATE FUNCTION assign_recipients(message_ids uuid[], moved boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM assignments a USING transmissions t WHERE t.id = a.message_id AND t.id = ANY (message_ids)
    AND (t.due_at IS NULL OR t.state IN ('draft', 'pending_approval', 'cancelled', 'failed'))
    AND NOT EXISTS (SELECT FROM obligations o WHERE o.assignment_id = a.id);
  -- What stands in its message, and what it counts, are those of the message; the text of its reminders is the usual one until somebody writes another.
  INSERT INTO assignments AS a (organization_id, message_id, grows, name, state, video_id, audience, requirement, due, reminders, subject, message,
      created_by, created_by_name, created_at, started_at)
    SELECT t.organization_id, t.id, false, t.subject, 'active', t.video_id, t.audience, 'watched',
      jsonb_build_object('kind', 'day', 'day', (t.due_at AT TIME ZONE z.time_zone)::date),
      coalesce(t.reminders, '{"daysBefore": [], "onTheDay": false, "daysAfter": [], "weekly": false, "most": 0}'),
      t.subject, '', t.sender_id, t.sender_name, t.dated_at, t.dated_at
    FROM transmissions t JOIN organizations z ON z.id = t.organization_id
    WHERE t.id = ANY (message_ids) AND t.due_at IS NOT NULL AND t.assignment_id IS NULL
      AND t.state NOT IN ('draft', 'pending_approval', 'cancelled', 'failed')
    ON CONFLICT (message_id) WHERE message_id IS NOT NULL DO UPDATE
      SET due = excluded.due, state = CASE a.state WHEN 'ended' THEN 'active' ELSE a.state END, version = a.version + 1, planned_at = NULL, updated_at = now()
      WHERE moved;
  UPDATE assignments a SET state = 'ended', version = a.version + 1, updated_at = now() FROM transmissions t
    WHERE t.id = a.message_id AND t.id = ANY (message_ids) AND a.state <> 'ended' AND (t.due_at IS NULL OR t.state = 'cancelled');
END $$;

-- When somebody first completed a video, by whichever way; null: they have not. No more than the day where what single persons watched is
-- told to nobody: while only completions are recorded, and after that until all of that time has been deleted.
CREATE FUNCTION first_completed(organization uuid, person uuid, video uuid) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN z.policies ->> 'trackingMode' = 'completed_only'
      OR EXISTS (SELECT FROM private_periods g WHERE g.organization_id = z.id AND g.wiped_at IS NULL)
    THEN date_trunc('day', f.at, 'UTC') ELSE f.at END
  FROM organizations z, LATERAL (SELECT min(w.completed_at) AS at FROM viewer_videos w
    WHERE w.organization_id = z.id AND w.user_id = person AND w.video_id = video) f
  WHERE z.id = organization
$$;

-- What was sent before keeps its days, and nobody is reminded.
INSERT INTO assignments (organization_id, message_id, grows, name, state, video_id, audience, requirement, due, reminders, subject, message,
    created_by, created_by_name, created_at, started_at)
  SELECT t.organization_id, t.id, false, t.subject, CASE WHEN t.due_at IS NULL OR t.state = 'cancelled' THEN 'ended' ELSE 'active' END,
    t.video_id, t.audience, 'watched',
    CASE WHEN t.due_at IS NULL THEN '{"kind": "none"}'::jsonb
      ELSE jsonb_build_object('kind', 'day', 'day', (t.due_at AT TIME ZONE z.time_zone)::date) END,
    '{"daysBefore": [], "onTheDay": false, "daysAfter": [], "weekly": false, "most": 0}', t.subject, '', t.sender_id, t.sender_name, t.dated_at, t.dated_at
  FROM transmissions t JOIN organizations z ON z.id = t.organization_id
  WHERE t.assignment_id IS NULL AND (EXISTS (SELECT FROM obligations o WHERE o.transmission_id = t.id)
    OR t.due_at IS NOT NULL AND t.state NOT IN ('draft', 'pending_approval', 'cancelled', 'failed'));

DROP TRIGGER oblige_updated ON transmissions;
DROP FUNCTION transmissions_oblige;
DO $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
    EXECUTE format('DROP TRIGGER mark_dirty_%s ON obligations', event);
    EXECUTE format('DROP FUNCTION mark_dirty_obligations_mark_dirty_%s', event);
  END LOOP;
END $$;

ALTER TABLE obligations DROP CONSTRAINT obligations_of_one;
-- When it was done is what the evidence says.
UPDATE obligations o SET assignment_id = a.id, messages = CASE WHEN d.state IN ('queued', 'sending', 'deferred') THEN 0 ELSE 1 END,
    last_message_at = d.accepted_at, ending = CASE WHEN o.state <> 'ended' THEN NULL WHEN a.state = 'ended' THEN 'assignment_ended' ELSE 'left' END,
    done_at = CASE WHEN o.state = 'done' THEN first_completed(o.organization_id, o.user_id, o.video_id) END
  FROM assignments a, deliveries d WHERE a.message_id = o.transmission_id AND d.transmission_id = o.transmission_id AND d.user_id = o.user_id;
UPDATE obligations o SET assignment_id = a.id, ending = 'left' FROM assignments a WHERE a.message_id = o.transmission_id AND o.assignment_id IS NULL;
ALTER TABLE obligations
  DROP COLUMN transmission_id,
  ALTER COLUMN assignment_id SET NOT NULL;

DO $$
DECLARE
  event text;
BEGIN
  FOREACH event IN ARRAY '{insert,update,delete}'::text[] LOOP
    PERFORM add_dirty_source('obligations', 'mark_dirty_' || event, event,
      $f$organization_id, assignment_id, user_id, video_id, cycle, state, due_at, waived_until, valid_until, counts_from, answers_from,
        covered_ms > 0 AS is_started$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed$k$);
  END LOOP;
END $$;

-- Obliges the recipients of messages with a day, and lets go whom they ask no more: who was left out or cancelled, who was sent a message
-- that was cancelled, or whose day was taken away. `people`: of these alone; null: of all. Whatever somebody completed of the video
-- counts, also before: `counts_from` is -infinity. Who was obliged without being a recipient stays so for as long as the assignment does.
CREATE OR REPLACE FUNCTION oblige_recipients(transmission_ids uuid[], people uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- First, as whoever plans them holds them before their obligations; and always, so that nobody is written while they are looked through.
  UPDATE assignments SET planned_at = NULL WHERE message_id = ANY (transmission_ids) AND state <> 'ended';
  INSERT INTO obligations AS o (organization_id, assignment_id, user_id, video_id, counts_from, due_at, counted, state, done_at)
    SELECT t.organization_id, a.id, d.user_id, t.video_id, '-infinity', t.due_at, true, CASE WHEN w.at IS NULL THEN 'open' ELSE 'done' END, w.at
    FROM transmissions t JOIN assignments a ON a.message_id = t.id AND a.state IN ('active', 'paused')
      JOIN (SELECT DISTINCT e.transmission_id, e.user_id FROM deliveries e
        WHERE e.transmission_id = ANY (transmission_ids) AND (people IS NULL OR e.user_id IN (SELECT unnest(people)))
          AND e.state NOT IN ('skipped', 'cancelled')) d ON d.transmission_id = t.id
      CROSS JOIN LATERAL first_completed(t.organization_id, d.user_id, t.video_id) AS w (at)
    WHERE t.id = ANY (transmission_ids) AND t.due_at IS NOT NULL AND t.assignment_id IS NULL AND t.state <> 'cancelled'
    ORDER BY t.id, d.user_id
    ON CONFLICT ON CONSTRAINT obligations_once DO UPDATE
      SET due_at = CASE WHEN o.due_is_own THEN o.due_at ELSE excluded.due_at END,
        state = CASE WHEN o.state = 'ended' THEN excluded.state ELSE o.state END,
        done_at = CASE WHEN o.state = 'ended' THEN excluded.done_at ELSE o.done_at END, ending = NULL, updated_at = now()
      WHERE (o.state = 'ended' AND o.ending IS DISTINCT FROM 'exempted')
        OR (o.state <> 'ended' AND NOT o.due_is_own AND o.due_at IS DISTINCT FROM excluded.due_at);
  UPDATE obligations SET state = 'ended', ending = e.ending, reason = NULL, waived_until = NULL, next_message_on = NULL, updated_at = now()
    FROM (SELECT o.id, CASE WHEN a.state = 'ended' THEN 'assignment_ended' ELSE 'left' END AS ending
      FROM obligations o JOIN assignments a ON a.id = o.assignment_id JOIN transmissions t ON t.id = a.message_id
      WHERE t.id = ANY (transmission_ids) AND (people IS NULL OR o.user_id IN (SELECT unnest(people))) AND o.state <> 'ended'
        AND (t.due_at IS NULL OR t.state = 'cancelled'
          OR NOT EXISTS (SELECT FROM deliveries d WHERE d.transmission_id = t.id AND d.user_id = o.user_id AND d.state NOT IN ('skipped', 'cancelled'))
            AND NOT EXISTS (SELECT FROM obligation_messages m WHERE m.obligation_id = o.id AND m.kind = 'first')
            AND (NOT a.grows OR EXISTS (SELECT FROM deliveries d WHERE d.transmission_id = t.id AND d.user_id = o.user_id)))
      ORDER BY o.assignment_id, o.user_id FOR UPDATE OF o) e
    WHERE obligations.id = e.id;
END $$;

-- The day can be moved or taken away, and a transmission is let go, taken back or cancelled.
CREATE FUNCTION transmissions_oblige() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moved uuid[];
  stepped uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    SELECT array_agg(id) INTO stepped FROM new_rows WHERE assignment_id IS NULL AND due_at IS NOT NULL;
  ELSE
    SELECT array_agg(n.id) FILTER (WHERE n.due_at IS DISTINCT FROM o.due_at),
        array_agg(n.id) FILTER (WHERE n.due_at IS NOT DISTINCT FROM o.due_at AND n.state <> o.state AND n.due_at IS NOT NULL)
      INTO moved, stepped FROM new_rows n JOIN old_rows o ON o.id = n.id WHERE n.assignment_id IS NULL;
  END IF;
  IF moved IS NOT NULL THEN
    PERFORM assign_recipients(moved, true);
    PERFORM oblige_recipients(moved, NULL);
  END IF;
  IF stepped IS NOT NULL THEN
    PERFORM assign_recipients(stepped, false);
    -- Only a cancelled one asks for less than before.
    IF TG_OP = 'UPDATE' AND EXISTS (SELECT FROM new_rows n WHERE n.id = ANY (stepped) AND n.state = 'cancelled') THEN
      PERFORM oblige_recipients(stepped, NULL);
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER oblige_inserted AFTER INSERT ON transmissions
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION transmissions_oblige();
CREATE TRIGGER oblige_updated AFTER UPDATE ON transmissions
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION transmissions_oblige();
