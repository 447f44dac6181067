-- What `mark_dirty` does, as a function of each source with its statement written out: put together anew for each statement, and planned
-- again, it was a sixth of what creating a person costs. Arguments as before, and what the trigger is on.
CREATE FUNCTION add_dirty_source(source regclass, trigger_name text, event text, facts text, keys text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  marker text := format('mark_dirty_%s_%s', source, trigger_name);
  changed text := CASE event
    WHEN 'insert' THEN 'SELECT %1$s FROM new_rows'
    WHEN 'delete' THEN 'SELECT %1$s FROM old_rows'
    ELSE '(SELECT %1$s FROM new_rows EXCEPT SELECT %1$s FROM old_rows) UNION ALL (SELECT %1$s FROM old_rows EXCEPT SELECT %1$s FROM new_rows)'
    END;
BEGIN
  EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', marker, format('BEGIN
    WITH changed AS MATERIALIZED (' || changed || ')
    INSERT INTO dirty_keys (figure, organization_id, subject, person)
    SELECT DISTINCT k.* FROM (%2$s) k(figure, organization_id, subject, person)
    WHERE k.organization_id IS NOT NULL AND k.figure IS DISTINCT FROM current_setting(''app.deriving'', true);
    RETURN NULL;
  END', facts, keys));
  EXECUTE format('CREATE TRIGGER %I AFTER %s ON %s REFERENCING %s FOR EACH STATEMENT EXECUTE FUNCTION %I(%L, %L)',
    trigger_name, event, source,
    CASE event WHEN 'insert' THEN 'NEW TABLE AS new_rows' WHEN 'delete' THEN 'OLD TABLE AS old_rows'
      ELSE 'OLD TABLE AS old_rows NEW TABLE AS new_rows' END, marker, facts, keys);
END $$;

DO $$
DECLARE
  old record;
BEGIN
  FOR old IN
    SELECT t.tgrelid::regclass AS source, t.tgname, substring(t.tgname FROM '[a-z]+$') AS event,
      string_to_array(encode(t.tgargs, 'escape'), '\000') AS args
    FROM pg_trigger t WHERE t.tgfoid = 'mark_dirty'::regproc AND t.tgparentid = 0
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', old.tgname, old.source);
    PERFORM add_dirty_source(old.source, old.tgname, old.event, old.args[1], old.args[2]);
  END LOOP;
END $$;
DROP FUNCTION mark_dirty();
