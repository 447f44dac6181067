CREATE TABLE audit (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid,
  actor_id uuid,
  -- As it was at the time.
  actor_name text,
  -- Through whose eyes the actor, a superadmin, looked.
  viewing_as uuid,
  action text NOT NULL,
  entity text NOT NULL,
  entity_id uuid,
  before jsonb,
  after jsonb,
  ip_prefix inet,
  user_agent text,
  request_id text,
  at timestamptz(3) NOT NULL DEFAULT now(),
  -- Goes into the hash of the details beside them; erased with them, so that nobody can guess what they were.
  salt bytea DEFAULT uuid_send(gen_random_uuid()),
  -- What the search box looks through.
  search text GENERATED ALWAYS AS (lower(coalesce(actor_name, '') || ' ' || action || ' ' || coalesce(before ->> 'name', before ->> 'title', '') || ' ' || coalesce(after ->> 'name', after ->> 'title', after ->> 'subject', '') || ' ' || coalesce(before ->> 'email', '') || ' ' || coalesce(after ->> 'email', ''))) STORED
);
CREATE INDEX audit_by_entity ON audit (entity_id, at, id);
-- Reports count kinds and people of a period from it alone.
CREATE INDEX audit_by_organization ON audit (organization_id, at, id) INCLUDE (action, actor_id);
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_by_actor ON audit (actor_id, at, id);
CREATE INDEX audit_by_action ON audit (action, at, id);
CREATE INDEX audit_search ON audit USING gin (organization_id, search gin_trgm_ops);
SELECT add_tenant_policy('audit', 'organization_id');
-- Entries are history: written once, read, never changed.
REVOKE UPDATE, DELETE ON audit FROM sendreel_app;

-- Entries that are not in the chain yet; a trigger puts them here, the sealer takes them out.
CREATE TABLE audit_unsealed (
  audit_id uuid PRIMARY KEY
);

-- Whoever writes an entry does not wait for the chain; the sealer takes what is committed.
CREATE FUNCTION audit_to_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unsealed (audit_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER audit_to_seal AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_to_seal();

-- One link per entry, each made of the one before: nothing can be changed, left out or put in between unseen.
CREATE TABLE audit_chain (
  seq bigint PRIMARY KEY,
  audit_id uuid NOT NULL,
  -- SHA-256 of the salt and of what can be erased; stays when that is gone.
  details_hash bytea NOT NULL,
  -- SHA-256 of the entry in its canonical form (server/platform/audit/canonical.ts).
  entry_hash bytea NOT NULL,
  -- SHA-256 of the hash before and this entry's.
  hash bytea NOT NULL,
  sealed_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX audit_chain_entry ON audit_chain (audit_id);
-- Links of the chain are history like the entries themselves.
REVOKE UPDATE, DELETE ON audit_chain FROM sendreel_app;

-- Takes what names somebody out of sealed entries; the links keep their hashes, so the chain still fits. The application itself
-- may change nothing in the log.
CREATE FUNCTION erase_audit_details(ids uuid[], about uuid, owner uuid) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
REVOKE ALL ON FUNCTION erase_audit_details(uuid[], uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_audit_details(uuid[], uuid, uuid) TO sendreel_app;
