-- Lists of names in one order wherever the database is: by the letters without case and accents, as the list of people is.

-- What is a small letter follows from the locale of a database unless it is said: one of Turkey makes ı of I, one of "C" knows no É.
CREATE OR REPLACE FUNCTION fold_text(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT lower(public.unaccent('public.unaccent'::regdictionary, given) COLLATE "pg_c_utf8") $$;
DO $$ BEGIN
  ALTER FUNCTION fold_text(text) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;

-- Where the database has another locale than our own, what was folded is folded again.
DO $$ BEGIN
  IF (SELECT datlocprovider = 'b' AND datlocale = 'C.UTF-8' FROM pg_database WHERE datname = current_database()) THEN RETURN; END IF;
  ALTER TABLE users ALTER COLUMN search SET EXPRESSION AS (fold_text(name || ' ' || email || ' ' || coalesce(external_id, ''))),
    ALTER COLUMN called SET EXPRESSION AS (left(fold_text(name), 100));
  ALTER TABLE videos ALTER COLUMN search SET EXPRESSION AS (fold_text(title || ' ' || coalesce(description, '')));
  ALTER TABLE transmissions ALTER COLUMN search SET EXPRESSION AS (fold_text(subject || ' ' || left(body, 200)));
  REINDEX TABLE organizations;
  REINDEX TABLE groups;
END $$;

-- Pages of these lists by name, however deep (`called` in server/platform/db/search.ts). An entry of an index has its limits.
DROP INDEX organizations_name, videos_by_title, transmissions_by_subject;
CREATE INDEX organizations_name ON organizations ((left(fold_text(name), 100)) COLLATE "C", id);
CREATE INDEX videos_by_title ON videos (organization_id, (left(fold_text(title), 100)) COLLATE "C", id) WHERE deleted_at IS NULL;
CREATE INDEX transmissions_by_subject ON transmissions (organization_id, (left(fold_text(subject), 100)) COLLATE "C", id);
CREATE INDEX groups_by_name ON groups (organization_id, (left(fold_text(name), 100)) COLLATE "C", id) WHERE deleted_at IS NULL;

-- Who comes again by the address of somebody removed (server/directory/users/restore.ts).
CREATE INDEX users_removed_email ON users (organization_id, email) WHERE deleted_at IS NOT NULL;
COMMENT ON INDEX users_removed_email IS 'who comes again by the address of somebody removed';
