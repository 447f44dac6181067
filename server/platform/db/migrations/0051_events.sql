-- Where the events of an organization are posted, which of them, and with what each is signed (https://www.standardwebhooks.com).
CREATE TABLE event_addresses (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  url text NOT NULL,
  types text[] NOT NULL,
  secret_sealed bytea NOT NULL,
  -- As in `webhooks`, of which this is the other half: there goes what people read, here what systems do.
  previous_sealed bytea,
  previous_until timestamptz(3),
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  fault text,
  rests_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT event_addresses_tenant UNIQUE (organization_id, id),
  CONSTRAINT event_addresses_types_word CHECK (types <@ ARRAY['person.created', 'person.changed', 'person.left', 'delivery.accepted',
    'delivery.returned', 'delivery.unknown', 'video.opened', 'video.completed', 'questions.passed', 'questions.failed', 'certificate.issued',
    'assignment.overdue', 'assignment.done', 'assignment.expiring', 'import.finished']),
  CONSTRAINT event_addresses_types_filled CHECK (cardinality(types) > 0),
  CONSTRAINT event_addresses_fault_word CHECK (fault IN ('redirected', 'failing', 'unknown_host', 'private_address', 'no_connection',
    'no_encryption', 'certificate', 'timeout', 'broken_off', 'secret_lost'))
);
SELECT add_tenant_policy('event_addresses', 'organization_id');

-- What has happened, written in the transaction in which it did, and only where an address asks for it. An id tells no time, as it may be
-- told to nobody when exactly something was watched.
CREATE TABLE events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  -- Of whom; those of one come in order. Of an import: the import.
  subject uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  data jsonb NOT NULL,
  -- It goes to nobody before.
  due_at timestamptz(3) NOT NULL,
  -- When it was put into the queues of its addresses.
  sorted_at timestamptz(3),
  CONSTRAINT events_type_word CHECK (type IN ('person.created', 'person.changed', 'person.left', 'delivery.accepted',
    'delivery.returned', 'delivery.unknown', 'video.opened', 'video.completed', 'questions.passed', 'questions.failed', 'certificate.issued',
    'assignment.overdue', 'assignment.done', 'assignment.expiring', 'import.finished'))
);
CREATE INDEX events_to_sort ON events (place) WHERE sorted_at IS NULL;
CREATE INDEX events_by_time ON events (organization_id, at);
CREATE INDEX events_by_subject ON events (subject);
SELECT add_tenant_policy('events', 'organization_id');

-- An event for one address: its place in the queue until it is taken or set aside, and its line in the log from then on.
CREATE TABLE event_posts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  address_id uuid NOT NULL,
  event_id uuid NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  subject uuid NOT NULL,
  place bigint GENERATED ALWAYS AS IDENTITY,
  type text NOT NULL,
  state text NOT NULL DEFAULT 'waiting',
  is_replay boolean NOT NULL DEFAULT false,
  queued_at timestamptz(3) NOT NULL DEFAULT now(),
  tries integer NOT NULL DEFAULT 0,
  first_try_at timestamptz(3),
  last_try_at timestamptz(3),
  -- Of the last try.
  result text,
  status integer,
  answer text,
  CONSTRAINT event_posts_address FOREIGN KEY (organization_id, address_id) REFERENCES event_addresses (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT event_posts_state_word CHECK (state IN ('waiting', 'taken', 'aside')),
  CONSTRAINT event_posts_result_word CHECK (result IN ('accepted', 'refused', 'redirected', 'failing', 'unknown_host', 'private_address',
    'no_connection', 'no_encryption', 'certificate', 'timeout', 'broken_off', 'secret_lost'))
) WITH (fillfactor = 80);
CREATE INDEX event_posts_waiting ON event_posts (address_id, subject, place) WHERE state = 'waiting';
CREATE INDEX event_posts_aside ON event_posts (address_id) WHERE state = 'aside';
CREATE INDEX event_posts_log ON event_posts (address_id, queued_at, id);
CREATE INDEX event_posts_by_event ON event_posts (event_id);
SELECT add_tenant_policy('event_posts', 'organization_id');

-- One line for each subject of whom something waits for an address: whoever holds it posts what waits, one after another.
CREATE TABLE event_lines (
  address_id uuid NOT NULL,
  subject uuid NOT NULL,
  organization_id uuid NOT NULL,
  -- Raised whenever something is added, so that a line that is thought to be empty is not removed with what has come meanwhile.
  added integer NOT NULL,
  due_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Of the process that holds it, as long as that lives.
  token uuid,
  CONSTRAINT event_lines_pk PRIMARY KEY (address_id, subject),
  CONSTRAINT event_lines_address FOREIGN KEY (organization_id, address_id) REFERENCES event_addresses (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX event_lines_due ON event_lines (address_id, due_at) WHERE token IS NULL;
CREATE INDEX event_lines_held ON event_lines (token) WHERE token IS NOT NULL;
SELECT add_tenant_policy('event_lines', 'organization_id');

-- What happens by a day that passes was told of this day.
CREATE TABLE event_marks (
  obligation_id uuid NOT NULL REFERENCES obligations (id) ON DELETE CASCADE,
  organization_id uuid NOT NULL,
  type text NOT NULL,
  day timestamptz(3) NOT NULL,
  CONSTRAINT event_marks_pk PRIMARY KEY (obligation_id, type, day)
);
SELECT add_tenant_policy('event_marks', 'organization_id');
CREATE INDEX obligations_by_due ON obligations (organization_id, due_at) WHERE state = 'open' AND due_at IS NOT NULL;
CREATE INDEX obligations_by_end ON obligations (organization_id, valid_until) WHERE state = 'done' AND valid_until IS NOT NULL;

CREATE FUNCTION event_instant(at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

CREATE FUNCTION event_person(organization uuid, person uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email, 'externalId', u.external_id)
  FROM users u WHERE u.id = person AND u.organization_id = organization
$$;

CREATE FUNCTION event_video(organization uuid, video uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', v.id, 'title', v.title) FROM videos v WHERE v.id = video AND v.organization_id = organization
$$;

CREATE FUNCTION event_transmission(organization uuid, transmission uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('id', t.id, 'subject', t.subject) FROM transmissions t WHERE t.id = transmission AND t.organization_id = organization
$$;

CREATE FUNCTION event_obligation(obligation uuid) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('person', event_person(o.organization_id, o.user_id), 'video', event_video(o.organization_id, o.video_id),
    'assignment', jsonb_build_object('id', a.id, 'name', a.name), 'dueAt', event_instant(o.due_at), 'doneAt', event_instant(o.done_at),
    'validUntil', event_instant(o.valid_until))
  FROM obligations o JOIN assignments a ON a.id = o.assignment_id AND a.organization_id = o.organization_id WHERE o.id = obligation
$$;

-- What single persons watched is told to nobody finer than by the day: while only completions are recorded, and after that until all of that
-- time has been deleted.
CREATE FUNCTION events_are_discreet(organization uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(z.policies ->> 'trackingMode' = 'completed_only', false)
    OR EXISTS (SELECT FROM private_periods g WHERE g.organization_id = z.id AND g.wiped_at IS NULL)
  FROM organizations z WHERE z.id = organization
$$;

-- Writes what a query over the rows of a statement finds, as far as addresses ask for it: (organization_id, type, subject, at, watched, data).
-- `watched`: it says when something was watched. Evidence that is built anew tells nothing anew.
CREATE FUNCTION add_event_source(source regclass, event text, happened text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  teller text := format('tell_%s_%s', source, event);
BEGIN
  EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', teller, format('BEGIN
    IF current_setting(''app.silent'', true) IS DISTINCT FROM ''on'' AND EXISTS (SELECT FROM event_addresses) THEN
      INSERT INTO events (organization_id, type, subject, at, data, due_at)
      SELECT k.organization_id, k.type, k.subject, CASE WHEN d.day THEN date_trunc(''day'', k.at, ''UTC'') ELSE k.at END, k.data,
        CASE WHEN d.day THEN date_trunc(''day'', now(), ''UTC'') + interval ''1 day'' ELSE now() END
      FROM (%1$s) k (organization_id, type, subject, at, watched, data)
        CROSS JOIN LATERAL (SELECT k.watched AND events_are_discreet(k.organization_id)) d (day)
      WHERE EXISTS (SELECT FROM event_addresses a WHERE a.organization_id = k.organization_id AND k.type = ANY (a.types));
    END IF;
    RETURN NULL;
  END', happened));
  EXECUTE format('CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I()', 'tell_' || event, event, source,
    CASE event WHEN 'insert' THEN 'NEW TABLE AS new_rows' ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, teller);
END $$;

DO $$
DECLARE
  person text := $q$jsonb_build_object('id', n.id, 'name', n.name, 'email', n.email, 'externalId', n.external_id, 'phone', n.phone,
    'role', n.role, 'state', CASE WHEN n.deleted_at IS NULL THEN n.state ELSE 'deleted' END)$q$;
  delivery text := $q$n.organization_id, CASE WHEN n.state = 'unknown' THEN 'delivery.unknown' WHEN n.state IN ('bounced', 'rejected')
      THEN 'delivery.returned' ELSE 'delivery.accepted' END, n.user_id, now(), false, jsonb_build_object(
      'person', event_person(n.organization_id, n.user_id), 'transmission', event_transmission(n.organization_id, n.transmission_id),
      'delivery', jsonb_build_object('id', n.id, 'state', n.state, 'reason', n.reason))$q$;
  told text := $q$('accepted', 'delivered', 'bounced', 'rejected', 'unknown')$q$;
  opened text := $q$SELECT n.organization_id, 'video.opened', e.user_id, n.opened_at, true, jsonb_build_object(
      'person', event_person(n.organization_id, e.user_id), 'video', event_video(n.organization_id, t.video_id),
      'transmission', event_transmission(n.organization_id, t.id), 'delivery', jsonb_build_object('id', e.id))
    FROM new_rows n JOIN deliveries e ON e.transmission_id = n.transmission_id AND e.id = n.delivery_id
      JOIN transmissions t ON t.id = n.transmission_id$q$;
  completed text := $q$SELECT n.organization_id, 'video.completed', n.user_id, n.completed_at, true, jsonb_build_object(
      'person', event_person(n.organization_id, n.user_id), 'video', event_video(n.organization_id, n.video_id),
      'completedAt', event_instant(CASE WHEN events_are_discreet(n.organization_id) THEN date_trunc('day', n.completed_at, 'UTC') ELSE n.completed_at END))
    FROM new_rows n$q$;
  done text := $q$SELECT n.organization_id, 'assignment.done', n.user_id, coalesce(n.done_at, now()), true,
    event_obligation(n.id) FROM new_rows n$q$;
BEGIN
  PERFORM add_event_source('users', 'insert', format($q$SELECT n.organization_id, 'person.created', n.id, n.created_at, false,
      jsonb_build_object('person', %s) FROM new_rows n WHERE n.organization_id IS NOT NULL AND n.deleted_at IS NULL$q$, person));
  -- Who comes back after a removal is told as created: whoever was told that they had left has them no more.
  PERFORM add_event_source('users', 'update', format($q$SELECT n.organization_id, CASE WHEN n.deleted_at IS NOT NULL THEN 'person.left'
        WHEN o.deleted_at IS NOT NULL THEN 'person.created' ELSE 'person.changed' END, n.id, now(), false,
      jsonb_build_object('person', %s) || CASE WHEN n.deleted_at IS NULL AND o.deleted_at IS NULL
        THEN jsonb_build_object('changed', to_jsonb(c.fields)) ELSE '{}' END
    FROM new_rows n JOIN old_rows o ON o.id = n.id CROSS JOIN LATERAL (SELECT array_remove(ARRAY[
        CASE WHEN n.name <> o.name THEN 'name' END, CASE WHEN n.email <> o.email THEN 'email' END,
        CASE WHEN n.phone IS DISTINCT FROM o.phone THEN 'phone' END,
        CASE WHEN n.external_id IS DISTINCT FROM o.external_id THEN 'externalId' END,
        CASE WHEN n.role IS DISTINCT FROM o.role THEN 'role' END, CASE WHEN n.state <> o.state THEN 'state' END,
        CASE WHEN n.manager IS DISTINCT FROM o.manager THEN 'manager' END,
        CASE WHEN n.custom_fields <> o.custom_fields THEN 'fields' END], NULL)) c (fields)
    WHERE n.organization_id IS NOT NULL AND n.erased_at IS NULL AND (n.deleted_at IS NULL OR o.deleted_at IS NULL)
      AND ((n.deleted_at IS NULL) <> (o.deleted_at IS NULL) OR cardinality(c.fields) > 0)$q$, person));
  PERFORM add_event_source('deliveries', 'insert', format('SELECT %s FROM new_rows n WHERE n.state IN %s', delivery, told));
  PERFORM add_event_source('deliveries', 'update', format($q$SELECT %s FROM new_rows n
      JOIN old_rows o ON o.transmission_id = n.transmission_id AND o.id = n.id
    WHERE n.state IN %s AND n.state <> o.state AND NOT (n.state IN ('accepted', 'delivered') AND o.state IN ('accepted', 'delivered'))$q$, delivery, told));
  PERFORM add_event_source('delivery_viewing', 'insert', opened || ' WHERE n.opened_at IS NOT NULL AND NOT events_are_discreet(n.organization_id)');
  PERFORM add_event_source('delivery_viewing', 'update', opened || $q$ JOIN old_rows o ON o.transmission_id = n.transmission_id AND o.delivery_id = n.delivery_id
    WHERE n.opened_at IS NOT NULL AND o.opened_at IS NULL AND NOT events_are_discreet(n.organization_id)$q$);
  PERFORM add_event_source('viewer_videos', 'insert', completed || ' WHERE n.completed_at IS NOT NULL AND n.user_id IS NOT NULL');
  PERFORM add_event_source('viewer_videos', 'update', completed || $q$ JOIN old_rows o ON o.version_id = n.version_id AND o.viewer_key = n.viewer_key
    WHERE n.completed_at IS NOT NULL AND o.completed_at IS NULL AND n.user_id IS NOT NULL$q$);
  PERFORM add_event_source('quiz_attempts', 'update', $q$SELECT n.organization_id, CASE WHEN n.passed THEN 'questions.passed' ELSE 'questions.failed' END,
      n.user_id, n.completed_at, true, jsonb_build_object('person', event_person(n.organization_id, n.user_id),
      'video', event_video(n.organization_id, n.video_id),
      'attempt', jsonb_build_object('id', n.id, 'number', n.number, 'score', n.score, 'maxScore', n.max_score))
    FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.completed_at IS NOT NULL AND o.completed_at IS NULL AND n.passed IS NOT NULL AND n.user_id IS NOT NULL$q$);
  PERFORM add_event_source('certificates', 'insert', $q$SELECT n.organization_id, 'certificate.issued', n.user_id, n.issued_at, false,
      jsonb_build_object('person', event_person(n.organization_id, n.user_id), 'video', event_video(n.organization_id, n.video_id),
      'certificate', jsonb_build_object('id', n.id, 'number', n.number, 'issuedAt', event_instant(n.issued_at)))
    FROM new_rows n WHERE n.user_id IS NOT NULL$q$);
  PERFORM add_event_source('obligations', 'insert', done || $q$ WHERE n.state = 'done'$q$);
  PERFORM add_event_source('obligations', 'update', done || $q$ JOIN old_rows o ON o.id = n.id WHERE n.state = 'done' AND o.state <> 'done'$q$);
  PERFORM add_event_source('operations', 'update', $q$SELECT n.organization_id, 'import.finished', n.id, n.finished_at, false,
      jsonb_build_object('import', jsonb_build_object('id', n.id, 'fileName', i.file_name, 'state', n.state, 'rows', n.total, 'counts', n.counts))
    FROM new_rows n JOIN old_rows o ON o.id = n.id JOIN imports i ON i.operation_id = n.id
    WHERE n.kind = 'users.import' AND n.finished_at IS NOT NULL AND o.finished_at IS NULL$q$);
END $$;

ALTER TABLE set_aside DROP CONSTRAINT set_aside_loop_word;
ALTER TABLE set_aside ADD CONSTRAINT set_aside_loop_word CHECK (loop IN ('evidence', 'evidence_checks', 'figures', 'assignments', 'newcomers',
  'assignment_messages', 'late_digests', 'sending', 'returns', 'mail_events', 'report_schedules', 'senders', 'uploads', 'events',
  'housekeeping'));

ALTER TABLE hidden_attention DROP CONSTRAINT hidden_attention_kind_word;
ALTER TABLE hidden_attention ADD CONSTRAINT hidden_attention_kind_word CHECK (kind IN (
  'paused_transmissions', 'failing_senders', 'failed_mails', 'failing_backups', 'failing_conversion', 'set_aside', 'organizations_without_admin',
  'pending_approvals', 'failed_videos', 'failed_operations', 'refused_events', 'returned_messages', 'overdue_people', 'expiring_keys',
  'failed_invitations', 'expiring_invitations', 'dormant_admins', 'groups_without_groupadmin', 'barred_addresses', 'people_without_group'));
