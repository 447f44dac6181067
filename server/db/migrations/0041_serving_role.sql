-- The server logs in as a role that owns nothing and that every policy binds. Which rows a transaction may touch is a setting as before,
-- but it counts only with a hash over a key that no statement of that role can read (server/db/roles.ts).
CREATE TABLE scope_keys (role name PRIMARY KEY, key text NOT NULL);
--> statement-breakpoint
REVOKE ALL ON scope_keys FROM PUBLIC, sendreel_app;
--> statement-breakpoint
CREATE FUNCTION app_scope() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER AS $$
DECLARE
  given text := current_setting('app.scope', true);
  name text := split_part(given, ':', 1);
  known text;
BEGIN
  SELECT k.key INTO known FROM public.scope_keys k WHERE k.role = session_user;
  IF given = name || ':' || encode(sha256(convert_to(name || ':' || known, 'UTF8')), 'hex') THEN
    RETURN name;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION app_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(app_scope(), 'system')::uuid;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION app_system() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(app_scope() = 'system', false);
--> statement-breakpoint
-- Not FORCE: whoever owns the tables only migrates, and has to see what it moves.
CREATE OR REPLACE FUNCTION raise_wall(name regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inside text := format('%I = (SELECT app_organization()) OR (SELECT app_system())', key);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', name);
  EXECUTE format('CREATE POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', name, inside);
END $$;
--> statement-breakpoint
-- All tables, and all partitions: those of days that were made since had none.
SELECT raise_wall(c.oid::regclass, CASE c.relname WHEN 'organizations' THEN 'id' ELSE 'organization_id' END)
FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND (c.relname = 'organizations'
    OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped));
--> statement-breakpoint
-- What proves who somebody is belongs to where they belong.
CREATE FUNCTION raise_wall_of_person(name regclass, person text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inside text := format('(SELECT app_system()) OR EXISTS (SELECT FROM users u WHERE u.id = %I)', person);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', name);
  EXECUTE format('CREATE POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', name, inside);
END $$;
--> statement-breakpoint
SELECT raise_wall_of_person(name::regclass, 'user_id')
FROM unnest(ARRAY['sessions', 'flows', 'totp_factors', 'passkeys', 'recovery_codes', 'devices']) name;
--> statement-breakpoint
-- For the system alone: answers that are kept for a repetition, and the link that creates the first superadmin.
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY system ON idempotency_keys USING ((SELECT app_system()));
--> statement-breakpoint
ALTER TABLE setup_links ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY system ON setup_links USING ((SELECT app_system()));
--> statement-breakpoint
-- Everybody reads the rules of signing in; the system changes them.
ALTER TABLE system_settings ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY system ON system_settings USING ((SELECT app_system()));
--> statement-breakpoint
CREATE POLICY everybody_reads ON system_settings FOR SELECT USING (true);
--> statement-breakpoint
CREATE FUNCTION require_system() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT app_system() THEN
    RAISE EXCEPTION 'only the system may do this' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION add_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  name text := 'track_batches_' || to_char(day, 'YYYYMMDD');
BEGIN
  PERFORM require_system();
  IF to_regclass(name) IS NOT NULL THEN
    RETURN;
  END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF track_batches FOR VALUES FROM (%L) TO (%L)',
    name, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
  PERFORM raise_wall(name::regclass, 'organization_id');
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION drop_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM require_system();
  IF day > (now() AT TIME ZONE 'UTC')::date - 27 THEN
    RAISE EXCEPTION 'the raw log of % is too young to be dropped', day;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', 'track_batches_' || to_char(day, 'YYYYMMDD'));
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION erase_audit_details(ids uuid[], about uuid, owner uuid) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  erased int;
BEGIN
  PERFORM require_system();
  UPDATE audit a SET actor_name = NULL, before = NULL, after = NULL, ip_prefix = NULL, user_agent = NULL, salt = NULL
  WHERE a.id = ANY(ids) AND a.salt IS NOT NULL AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE u.audit_id = a.id);
  GET DIAGNOSTICS erased = ROW_COUNT;
  IF erased > 0 THEN
    INSERT INTO audit (organization_id, action, entity, entity_id, after)
    VALUES (owner, 'audit.erased', 'user', about, jsonb_build_object('entries', erased));
  END IF;
  RETURN erased;
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION add_track_day(date) FROM PUBLIC;
--> statement-breakpoint
GRANT EXECUTE ON FUNCTION add_track_day(date) TO sendreel_app;
--> statement-breakpoint
-- Whoever serves without migrating asks whether the schema is the one it knows.
GRANT USAGE ON SCHEMA drizzle TO sendreel_app;
--> statement-breakpoint
GRANT SELECT ON drizzle.__drizzle_migrations TO sendreel_app;
