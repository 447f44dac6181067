-- From statistics of questions that every attempt adds to, to figures that are worked out.
DROP TABLE quiz_item_stats, quiz_item_marks, quiz_item_times;
CREATE TABLE quiz_item_stats (
  item_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version_id uuid NOT NULL,
  n integer NOT NULL,
  sum_x double precision NOT NULL,
  sum_xx double precision NOT NULL,
  sum_t double precision NOT NULL,
  sum_tt double precision NOT NULL,
  sum_xt double precision NOT NULL,
  -- Option id, or the answer in a short form, to how often it was chosen and the rest score of those who chose it.
  options jsonb NOT NULL,
  -- x, t, and how many people have both.
  marks jsonb NOT NULL,
  -- For how long the question was in sight.
  median_ms double precision
);
CREATE INDEX quiz_item_stats_by_version ON quiz_item_stats (version_id);
SELECT add_tenant_policy('quiz_item_stats', 'organization_id');
DROP TRIGGER mark_dirty_insert ON quiz_attempts;
DROP TRIGGER mark_dirty_update ON quiz_attempts;
DROP TRIGGER mark_dirty_delete ON quiz_attempts;
DO $$
DECLARE
  facts text := $f$organization_id, video_id, version_id, user_id, viewer_key, is_first, completed_at, passed, CASE WHEN completed_at IS NOT NULL THEN score END AS score$f$;
  keys text := $k$SELECT 'training', organization_id, video_id, user_id::text FROM changed WHERE user_id IS NOT NULL AND passed AND completed_at IS NOT NULL
        UNION ALL SELECT 'attention', organization_id, video_id, coalesce(user_id::text, viewer_key) FROM changed WHERE teaches(version_id)
        UNION ALL SELECT 'questions', organization_id, version_id, coalesce(user_id::text, viewer_key) FROM changed WHERE is_first AND completed_at IS NOT NULL
        UNION ALL SELECT 'reports', organization_id, null::uuid, null::text FROM changed WHERE completed_at IS NOT NULL$k$;
BEGIN
  EXECUTE format('CREATE TRIGGER mark_dirty_insert AFTER INSERT ON quiz_attempts REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
  EXECUTE format('CREATE TRIGGER mark_dirty_update AFTER UPDATE ON quiz_attempts REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
  EXECUTE format('CREATE TRIGGER mark_dirty_delete AFTER DELETE ON quiz_attempts REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION mark_dirty(%L, %L)', facts, keys);
END $$;
INSERT INTO dirty_keys (figure, organization_id, subject) SELECT DISTINCT 'questions', organization_id, version_id FROM quiz_attempts WHERE is_first;
