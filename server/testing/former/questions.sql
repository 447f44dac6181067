-- Back from statistics of questions that are worked out to sums that every attempt adds to.
DROP TABLE quiz_item_stats;
DROP TRIGGER mark_dirty_insert ON quiz_attempts;
DROP TRIGGER mark_dirty_update ON quiz_attempts;
DROP TRIGGER mark_dirty_delete ON quiz_attempts;
DO $$
DECLARE
  facts text := $f$organization_id, video_id, version_id, user_id, viewer_key, is_first, completed_at, passed, CASE WHEN completed_at IS NOT NULL THEN score END AS score$f$;
  keys text := $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE user_id IS NOT NULL AND passed AND completed_at IS NOT NULL
        UNION ALL SELECT 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) FROM changed WHERE teaches(version_id)
        UNION ALL SELECT 'reports', organization_id, null::uuid, null::text FROM changed WHERE completed_at IS NOT NULL$k$;
BEGIN
  EXECUTE format('CREATE TRIGGER mark_dirty_insert AFTER INSERT ON quiz_attempts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
  EXECUTE format('CREATE TRIGGER mark_dirty_update AFTER UPDATE ON quiz_attempts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
  EXECUTE format('CREATE TRIGGER mark_dirty_delete AFTER DELETE ON quiz_attempts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
END $$;
-- Sums over the first completed attempt of each person, so that statistics follow from a few additions per attempt: x is the score of the
-- question, t that of the whole attempt.
CREATE TABLE quiz_item_stats (
  item_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version_id uuid NOT NULL,
  n integer NOT NULL DEFAULT 0,
  sum_x double precision NOT NULL DEFAULT 0,
  sum_xx double precision NOT NULL DEFAULT 0,
  sum_t double precision NOT NULL DEFAULT 0,
  sum_tt double precision NOT NULL DEFAULT 0,
  sum_xt double precision NOT NULL DEFAULT 0,
  -- Option id, or the answer in a short form, to how often it was chosen and the rest score of those who chose it.
  options jsonb NOT NULL DEFAULT '{}'
);
SELECT add_tenant_policy('quiz_item_stats', 'organization_id');

-- How many of those people had this score in the question, and this one in the whole attempt.
CREATE TABLE quiz_item_marks (
  item_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  x double precision NOT NULL,
  t double precision NOT NULL,
  n integer NOT NULL,
  CONSTRAINT quiz_item_marks_item_id_x_t_pk PRIMARY KEY (item_id, x, t)
);
SELECT add_tenant_policy('quiz_item_marks', 'organization_id');

-- How many of those people had the question in sight for so many tenths of a second.
CREATE TABLE quiz_item_times (
  item_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  tenths integer NOT NULL,
  n integer NOT NULL,
  CONSTRAINT quiz_item_times_item_id_tenths_pk PRIMARY KEY (item_id, tenths)
);
SELECT add_tenant_policy('quiz_item_times', 'organization_id');
