CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS unaccent;

-- The server logs in as a role that owns nothing and that row-level security binds.
DO $$ BEGIN
  CREATE ROLE sendreel_app NOLOGIN NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
  EXECUTE format('GRANT sendreel_app TO %I', current_user);
END $$;
GRANT USAGE ON SCHEMA public TO sendreel_app;
-- Of every table that follows; what it may not do with one stands beside that.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO sendreel_app;

-- Which rows a transaction may touch is a setting, but it counts only with a hash over a key that no statement of that role can read
-- (server/platform/db/roles.ts).
CREATE TABLE scope_keys (
  role name PRIMARY KEY,
  key text NOT NULL
);
REVOKE ALL ON scope_keys FROM PUBLIC, sendreel_app;

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

CREATE FUNCTION app_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(app_scope(), 'system')::uuid;

CREATE FUNCTION app_system() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN coalesce(app_scope() = 'system', false);

-- For functions that do more than the role that serves may do.
CREATE FUNCTION require_system() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT app_system() THEN
    RAISE EXCEPTION 'only the system may do this' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Every table with an organization gets the same policy; a test finds one that lacks it. In a sub-select the settings of the transaction
-- are read once per statement instead of once per row. Not FORCE: whoever owns the tables only migrates, and has to see what it moves.
CREATE FUNCTION add_tenant_policy(name regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inside text := format('%I = (SELECT app_organization()) OR (SELECT app_system())', key);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', name);
  EXECUTE format('CREATE POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', name, inside);
END $$;

-- What proves who somebody is belongs to where they belong.
CREATE FUNCTION add_tenant_policy_of_person(name regclass, person text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inside text := format('(SELECT app_system()) OR EXISTS (SELECT FROM users u WHERE u.id = %I)', person);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', name);
  EXECUTE format('CREATE POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', name, inside);
END $$;

-- Text as people search for it: lower case, without accents (`Ångström` is found by `angstrom`). unaccent() calls itself STABLE because
-- its rules are a file; with the rules named, and a file that nobody changes, the answer never does.
CREATE FUNCTION fold_text(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT lower(public.unaccent('public.unaccent'::regdictionary, given)) $$;

-- What a word has in common with itself after one slip: its first six letters, and these with one letter less. Two words that are one
-- letter apart (left out, added, another one, two of them swapped) share such a key, so that an index finds what is one slip away as
-- quickly as the word itself. Words of fewer letters or with digits are not corrected; domains of mail addresses say nothing.
CREATE FUNCTION slip_keys(given text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(array_agg(DISTINCT key), '{}')
  FROM (
    SELECT left(one, 6) AS word FROM regexp_split_to_table(regexp_replace(given, '@\S*', ' ', 'g'), '[^[:alpha:]]+') one
    WHERE length(one) > 3 LIMIT 12
  ) w,
  LATERAL (
    SELECT word AS key UNION ALL SELECT overlay(word placing '' FROM at FOR 1) FROM generate_series(1, length(word)) at
  ) k;
END;

-- Taking a name apart takes about a thousand times as long as comparing two words. Who plans a statement has to know that: an index that
-- has the keys ready is then asked for them, and they are not made again for each row that another index finds.
ALTER FUNCTION slip_keys(text) COST 1000;

-- Behind row-level security an index serves only conditions that cannot tell anything about a hidden row. None of these can: they fail on
-- what they are given, never on what a row holds. Who may not say so (some managed servers) still gets right answers, slower.
DO $$ BEGIN
  ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF;
  ALTER FUNCTION pg_catalog.lower(text) LEAKPROOF;
  ALTER FUNCTION pg_catalog.left(text, integer) LEAKPROOF;
  ALTER FUNCTION pg_catalog.jsonb_contains(jsonb, jsonb) LEAKPROOF;
  ALTER FUNCTION pg_catalog.arrayoverlap(anyarray, anyarray) LEAKPROOF;
  ALTER FUNCTION word_similarity_op(text, text) LEAKPROOF;
  ALTER FUNCTION word_similarity_commutator_op(text, text) LEAKPROOF;
  ALTER FUNCTION fold_text(text) LEAKPROOF;
  ALTER FUNCTION slip_keys(text) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;

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
