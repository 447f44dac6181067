-- The second wall: the application runs as a role that row-level security binds, keyed by settings of the transaction.
DO $$ BEGIN
  CREATE ROLE sendreel_app NOLOGIN NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
--> statement-breakpoint
DO $$ BEGIN
  EXECUTE format('GRANT sendreel_app TO %I', current_user);
END $$;
--> statement-breakpoint
GRANT USAGE ON SCHEMA public TO sendreel_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sendreel_app;
--> statement-breakpoint
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO sendreel_app;
--> statement-breakpoint
-- Entries of the audit and attempts to deliver are history: written once, read, never changed.
REVOKE UPDATE, DELETE ON audit FROM sendreel_app;
--> statement-breakpoint
-- The partitions of the ledger and of the raw log; the log's days are added ahead by a job, the default catches the rest.
DO $$ BEGIN
  FOR i IN 0..15 LOOP
    EXECUTE format('CREATE TABLE deliveries_%s PARTITION OF deliveries FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01)', i, i);
  END LOOP;
END $$;
--> statement-breakpoint
CREATE TABLE track_batches_rest PARTITION OF track_batches DEFAULT;
--> statement-breakpoint
CREATE FUNCTION add_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF track_batches FOR VALUES FROM (%L) TO (%L)',
    'track_batches_' || to_char(day, 'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
END $$;
--> statement-breakpoint
SELECT add_track_day((now() AT TIME ZONE 'UTC')::date + d) FROM generate_series(0, 2) d;
--> statement-breakpoint
CREATE FUNCTION app_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('app.organization', true), '')::uuid;
--> statement-breakpoint
CREATE FUNCTION app_system() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN current_setting('app.system', true) = 'on';
--> statement-breakpoint
-- Every table with an organization gets the same wall; a test finds one that lacks it.
CREATE FUNCTION raise_wall(name regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY tenant ON %s USING (%I = app_organization() OR app_system()) WITH CHECK (%I = app_organization() OR app_system())', name, key, key);
END $$;
--> statement-breakpoint
SELECT raise_wall('organizations', 'id');
--> statement-breakpoint
SELECT raise_wall(c.oid::regclass, 'organization_id')
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p');
--> statement-breakpoint
-- Counters, one UPDATE per statement, so that a bulk insert costs no more than a single one.
CREATE FUNCTION count_in_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    EXECUTE format('UPDATE organizations o SET %1$I = o.%1$I + c.n FROM (SELECT organization_id, count(*) FILTER (WHERE deleted_at IS NULL) AS n FROM new_rows GROUP BY 1) c WHERE o.id = c.organization_id AND c.n <> 0', TG_ARGV[0]);
  ELSIF TG_OP = 'UPDATE' THEN
    EXECUTE format('UPDATE organizations o SET %1$I = o.%1$I + c.n FROM (SELECT organization_id, sum(n) AS n FROM (SELECT organization_id, (deleted_at IS NULL)::int AS n FROM new_rows UNION ALL SELECT organization_id, -(deleted_at IS NULL)::int FROM old_rows) d GROUP BY 1) c WHERE o.id = c.organization_id AND c.n <> 0', TG_ARGV[0]);
  ELSE
    EXECUTE format('UPDATE organizations o SET %1$I = o.%1$I - c.n FROM (SELECT organization_id, count(*) FILTER (WHERE deleted_at IS NULL) AS n FROM old_rows GROUP BY 1) c WHERE o.id = c.organization_id AND c.n <> 0', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
DO $$
DECLARE counted record;
BEGIN
  FOR counted IN SELECT * FROM (VALUES ('users', 'user_count'), ('groups', 'group_count'), ('videos', 'video_count')) v(tab, counter) LOOP
    EXECUTE format('CREATE TRIGGER count_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization(%L)', counted.tab, counted.counter);
    EXECUTE format('CREATE TRIGGER count_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization(%L)', counted.tab, counted.counter);
    EXECUTE format('CREATE TRIGGER count_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_in_organization(%L)', counted.tab, counted.counter);
  END LOOP;
END $$;
--> statement-breakpoint
CREATE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE groups g SET member_count = g.member_count + c.n FROM (SELECT group_id, count(*) AS n FROM new_rows GROUP BY 1) c WHERE g.id = c.group_id;
  ELSE
    UPDATE groups g SET member_count = g.member_count - c.n FROM (SELECT group_id, count(*) AS n FROM old_rows GROUP BY 1) c WHERE g.id = c.group_id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_inserted AFTER INSERT ON group_members REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
--> statement-breakpoint
CREATE TRIGGER count_deleted AFTER DELETE ON group_members REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
--> statement-breakpoint
INSERT INTO send_lanes (id, rate, burst, tokens) VALUES ('default', 1000, 1000, 1000);
