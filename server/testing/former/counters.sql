-- Back from counting when it is read to the counters of before.
DROP TRIGGER mark_dirty_insert ON audit;
DROP INDEX audit_by_organization;
CREATE INDEX audit_by_organization ON audit (organization_id, at, id);
-- Entries of the audit log by day (UTC), as far as they are sealed; what waits for its link is still to be counted.
CREATE TABLE audit_days (
  -- Null: of no organization.
  organization_id uuid,
  day date NOT NULL,
  action text NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT audit_days_once UNIQUE NULLS NOT DISTINCT (organization_id, day, action)
);
SELECT add_tenant_policy('audit_days', 'organization_id');

-- The same by who did it.
CREATE TABLE actor_days (
  organization_id uuid,
  day date NOT NULL,
  actor_id uuid NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT actor_days_once UNIQUE NULLS NOT DISTINCT (organization_id, day, actor_id)
);
SELECT add_tenant_policy('actor_days', 'organization_id');

-- An entry is counted when it gets its link: by one at a time, so that whoever writes entries never waits for these sums.
CREATE FUNCTION count_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_days AS d (organization_id, day, action, n)
    SELECT a.organization_id, (a.at AT TIME ZONE 'UTC')::date, a.action, count(*) FROM old_rows s JOIN audit a ON a.id = s.audit_id GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, day, action) DO UPDATE SET n = d.n + excluded.n;
  INSERT INTO actor_days AS d (organization_id, day, actor_id, n)
    SELECT a.organization_id, (a.at AT TIME ZONE 'UTC')::date, a.actor_id, count(*) FROM old_rows s JOIN audit a ON a.id = s.audit_id WHERE a.actor_id IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, day, actor_id) DO UPDATE SET n = d.n + excluded.n;
  RETURN NULL;
END $$;

CREATE TRIGGER count_sealed AFTER DELETE ON audit_unsealed
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_sealed();
CREATE TRIGGER mark_dirty_insert AFTER INSERT ON actor_days REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION mark_dirty('organization_id, day, actor_id, n', 'SELECT ''reports'', organization_id, null::uuid, null::text FROM changed');
CREATE TRIGGER mark_dirty_update AFTER UPDATE ON actor_days REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT
  EXECUTE FUNCTION mark_dirty('organization_id, day, actor_id, n', 'SELECT ''reports'', organization_id, null::uuid, null::text FROM changed');

ALTER TABLE delivery_viewing DROP CONSTRAINT delivery_viewing_transmission_id_delivery_id_pk,
  ADD CONSTRAINT delivery_viewing_transmission_id_delivery_id_pk PRIMARY KEY (transmission_id, delivery_id);
-- How many recipients of a transmission have opened, started and completed it. Kept by triggers on `delivery_viewing`.
CREATE TABLE transmission_viewing (
  transmission_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  opened bigint NOT NULL,
  started bigint NOT NULL,
  completed bigint NOT NULL
);
SELECT add_tenant_policy('transmission_viewing', 'organization_id');

-- Those who write about one transmission have the lock of its video, so they do not wait for each other here.
CREATE FUNCTION count_delivery_viewing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, count(opened_at), count(first_play_at), count(completed_at) FROM new_rows GROUP BY 1, 2 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, sum(opened), sum(started), sum(completed) FROM (
        SELECT transmission_id, organization_id, (opened_at IS NOT NULL)::int AS opened, (first_play_at IS NOT NULL)::int AS started, (completed_at IS NOT NULL)::int AS completed FROM new_rows
        UNION ALL SELECT transmission_id, organization_id, -(opened_at IS NOT NULL)::int, -(first_play_at IS NOT NULL)::int, -(completed_at IS NOT NULL)::int FROM old_rows) changed
      GROUP BY 1, 2 HAVING sum(opened) <> 0 OR sum(started) <> 0 OR sum(completed) <> 0 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  ELSE
    INSERT INTO transmission_viewing AS v (transmission_id, organization_id, opened, started, completed)
      SELECT transmission_id, organization_id, -count(opened_at), -count(first_play_at), -count(completed_at) FROM old_rows GROUP BY 1, 2 ORDER BY 1
      ON CONFLICT (transmission_id) DO UPDATE SET opened = v.opened + excluded.opened, started = v.started + excluded.started, completed = v.completed + excluded.completed;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER count_inserted AFTER INSERT ON delivery_viewing
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();
CREATE TRIGGER count_updated AFTER UPDATE ON delivery_viewing
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();
CREATE TRIGGER count_deleted AFTER DELETE ON delivery_viewing
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_delivery_viewing();
