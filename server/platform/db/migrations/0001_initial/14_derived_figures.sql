-- What has to be worked out again (docs/design/derived-figures.md). No key is unique here, so that no writer waits for another. Keys are
-- written and deleted all the time, and few are ever there: dead ones must not be walked through for long.
CREATE TABLE dirty_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  figure text NOT NULL,
  organization_id uuid NOT NULL,
  subject uuid,
  person text,
  marked_at timestamptz(3) NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
CREATE INDEX dirty_keys_waiting ON dirty_keys (figure, organization_id, subject, id);
SELECT add_tenant_policy('dirty_keys', 'organization_id');

-- Readings of reports that took long: which, and of which days. Without an organization: of all.
CREATE TABLE report_figures (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid,
  asked text NOT NULL,
  figures jsonb,
  as_of timestamptz(3),
  asked_at timestamptz(3) NOT NULL DEFAULT now(),
  is_dirty boolean NOT NULL DEFAULT true,
  CONSTRAINT report_figures_once UNIQUE NULLS NOT DISTINCT (organization_id, asked)
);
SELECT add_tenant_policy('report_figures', 'organization_id');

-- Appends the keys of what a statement has changed. Its arguments: the facts of a row that matter, and a query over `changed`, the rows of
-- these facts that were not there before or are not there any more, that gives (figure, organization_id, subject, person).
-- What a figure changes while it is worked out dirties no key of the same figure.
CREATE FUNCTION mark_dirty() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  facts text := TG_ARGV[0];
  keys text := TG_ARGV[1];
  changed text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT %1$s FROM new_rows'
    WHEN 'DELETE' THEN 'SELECT %1$s FROM old_rows'
    ELSE '(SELECT %1$s FROM new_rows EXCEPT SELECT %1$s FROM old_rows) UNION ALL (SELECT %1$s FROM old_rows EXCEPT SELECT %1$s FROM new_rows)'
    END;
BEGIN
  EXECUTE format('WITH changed AS MATERIALIZED (' || changed || ')
    INSERT INTO dirty_keys (figure, organization_id, subject, person)
    SELECT DISTINCT k.* FROM (%2$s) k(figure, organization_id, subject, person)
    WHERE k.organization_id IS NOT NULL AND k.figure IS DISTINCT FROM current_setting(''app.deriving'', true)', facts, keys);
  RETURN NULL;
END $$;

CREATE FUNCTION has_rules(organization uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM groups g WHERE g.organization_id = organization AND g.kind = 'rule' AND g.deleted_at IS NULL);

-- Every source of a derived figure: its table, what of a row matters, which keys follow from it, and on which events.
DO $$
DECLARE
  source record;
  event text;
BEGIN
  FOR source IN SELECT * FROM (VALUES
    ('deliveries', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, transmission_id, user_id, state NOT IN ('skipped', 'cancelled') AS asks, state IN ('accepted', 'delivered') AS reached$f$,
      $k$SELECT 'training', t.organization_id, t.video_id, c.user_id::text FROM changed c JOIN transmissions t ON t.id = c.transmission_id WHERE c.asks$k$),
    -- The day by which one is due can be moved.
    ('transmissions', 'mark_dirty', '{update}',
      $f$id, organization_id, video_id, due_at, state <> 'draft' AS is_sent$f$,
      $k$SELECT 'training', c.organization_id, c.video_id, d.user_id::text FROM changed c JOIN deliveries d ON d.transmission_id = c.id
        WHERE c.is_sent AND d.state NOT IN ('skipped', 'cancelled')$k$),
    ('viewer_videos', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, video_id, user_id, viewer_key, plays > 0 OR covered_ms > 0 AS is_started, completed_at IS NOT NULL AS is_completed$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE user_id IS NOT NULL
        UNION ALL SELECT 'reports', organization_id, null::uuid, null::text FROM changed$k$),
    ('viewer_days', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, day, video_id, viewer_key, user_id, plays, watch_ms$f$,
      $k$SELECT 'reports', organization_id, null::uuid, null::text FROM changed$k$),
    -- What belongs to no organization is among the entries of all of them.
    ('audit', 'mark_dirty', '{insert}',
      $f$organization_id$f$,
      $k$SELECT 'reports', coalesce(organization_id, '00000000-0000-0000-0000-000000000000'), null::uuid, null::text FROM changed$k$),
    -- An attempt that is not completed moves nothing but the verdicts, and those only by its answers.
    ('quiz_attempts', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, video_id, version_id, user_id, viewer_key, is_first, completed_at, passed, CASE WHEN completed_at IS NOT NULL THEN score END AS score$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE user_id IS NOT NULL AND passed AND completed_at IS NOT NULL
        UNION ALL SELECT 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) FROM changed WHERE teaches(version_id)
        UNION ALL SELECT 'questions', organization_id, version_id, coalesce(user_id::text, viewer_key) FROM changed WHERE is_first AND completed_at IS NOT NULL
        UNION ALL SELECT 'reports', organization_id, null::uuid, null::text FROM changed WHERE completed_at IS NOT NULL$k$),
    -- A right answer may put right an earlier one. A wrong one counts when its attempt becomes the first.
    ('quiz_answers', 'mark_dirty', '{insert}',
      $f$attempt_id, item_id, correct$f$,
      $k$SELECT 'attention', a.organization_id, a.video_id, coalesce(a.user_id::text, a.viewer_key) FROM changed c
        JOIN quiz_items i ON i.id = c.item_id AND i.teaches_to_ms > i.teaches_from_ms JOIN quiz_attempts a ON a.id = c.attempt_id WHERE c.correct$k$),
    -- Sessions change all the time, and hardly ever what somebody had watched when they answered. Only people with a verdict have a key:
    -- whoever has none yet has one already, and verdicts are found under the lock of the video, which whoever writes its sessions holds.
    ('play_sessions', 'mark_dirty', '{insert,update,delete}',
      $f$video_id, viewer_key, version_id, started_at, zero_at, last_at, coverage, flags$f$,
      $k$SELECT 'attention', t.organization_id, t.video_id, t.person FROM changed c JOIN quiz_attention t ON t.video_id = c.video_id
        AND t.person IN (c.viewer_key, split_part(c.viewer_key, ':', 2)) AND (c.started_at < t.until OR c.flags & 2097152 <> 0)$k$),
    -- Spans that are written come with their session. These go, perhaps without it.
    ('play_spans', 'mark_dirty', '{delete}',
      $f$session_id$f$,
      $k$SELECT 'attention', t.organization_id, t.video_id, t.person FROM (SELECT DISTINCT session_id FROM changed) c
        JOIN play_sessions s ON s.id = c.session_id JOIN quiz_attention t ON t.video_id = s.video_id
        AND t.person IN (s.viewer_key, split_part(s.viewer_key, ':', 2))$k$),
    ('training_waivers', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, video_id, user_id, until, ended_at IS NULL AS is_given$f$,
      $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE is_given$k$),
    -- Who is removed or disabled has no row in the matrix, and what is removed no column; new ones have no cells yet.
    ('users', 'mark_dirty_matrix', '{update,delete}',
      $f$organization_id, id, deleted_at IS NULL AND state <> 'disabled' AS has_row, deleted_at IS NULL AS is_there$f$,
      $k$SELECT 'training', organization_id, null::uuid, id::text FROM changed
        UNION ALL SELECT 'reports', organization_id, null, null FROM changed$k$),
    ('videos', 'mark_dirty', '{update,delete}',
      $f$organization_id, id, deleted_at IS NULL AS has_column$f$,
      $k$SELECT 'training', organization_id, id, null::text FROM changed$k$),
    ('users', 'mark_dirty_rules', '{insert,update}',
      $f$organization_id, id, email, role, state, custom_fields, deleted_at$f$,
      $k$SELECT 'rules', organization_id, null::uuid, id::text FROM changed WHERE has_rules(organization_id)$k$),
    ('group_members', 'mark_dirty', '{insert,update,delete}',
      $f$organization_id, group_id, user_id, by_rule$f$,
      $k$SELECT 'rules', organization_id, null::uuid, user_id::text FROM changed WHERE has_rules(organization_id)$k$),
    -- A rule that is new or another, and one that comes back after its group was removed. Nobody is a member of a removed group: rules that
    -- ask about it look at its members again.
    ('groups', 'mark_dirty', '{insert,update}',
      $f$organization_id, id, kind, rule, deleted_at$f$,
      $k$SELECT 'rules', organization_id, id, null::text FROM changed WHERE kind = 'rule' AND deleted_at IS NULL
        UNION ALL SELECT 'rules', c.organization_id, null, m.user_id::text FROM changed c JOIN group_members m ON m.group_id = c.id
          WHERE has_rules(c.organization_id)$k$)
  ) v(name, trigger_name, events, facts, keys) LOOP
    FOREACH event IN ARRAY source.events::text[] LOOP
      EXECUTE format('CREATE TRIGGER %I AFTER %s ON %I REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)',
        source.trigger_name || '_' || event, event, source.name,
        CASE event WHEN 'insert' THEN 'NEW TABLE AS new_rows' WHEN 'delete' THEN 'OLD TABLE AS old_rows'
          ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, source.facts, source.keys);
    END LOOP;
  END LOOP;
END $$;
