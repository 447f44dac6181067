-- Email or external ID of the person who is told when this one is late: as a file of people names them, in whatever order, and whoever
-- is not there (any more) is nobody's manager.
ALTER TABLE users ADD COLUMN manager text;
CREATE INDEX users_by_manager ON users (organization_id, lower(manager)) WHERE manager IS NOT NULL;

-- It follows them to another address, and goes with the details of an erased person.
CREATE FUNCTION users_manager_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET manager = CASE WHEN NEW.deleted_at IS NULL THEN NEW.email END
    WHERE organization_id = NEW.organization_id AND lower(manager) = lower(OLD.email) AND OLD.email <> NEW.email;
  UPDATE users SET manager = CASE WHEN NEW.deleted_at IS NULL THEN coalesce(NEW.external_id, NEW.email) END
    WHERE organization_id = NEW.organization_id AND lower(manager) = lower(OLD.external_id)
      AND manager = OLD.external_id AND OLD.external_id IS DISTINCT FROM NEW.external_id;
  RETURN NULL;
END $$;
CREATE TRIGGER users_manager_follows AFTER UPDATE OF email, external_id ON users FOR EACH ROW
  WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.external_id IS DISTINCT FROM NEW.external_id)
  EXECUTE FUNCTION users_manager_follows();

-- {"afterDays", "to"}; null: nobody is told.
ALTER TABLE assignments ADD COLUMN escalation jsonb;

-- One mail a day for each reader, whoever plans it.
CREATE TABLE escalation_digests (
  organization_id uuid NOT NULL REFERENCES organizations (id),
  reader_id uuid NOT NULL,
  day date NOT NULL,
  CONSTRAINT escalation_digests_pk PRIMARY KEY (reader_id, organization_id, day)
);
SELECT add_tenant_policy('escalation_digests', 'organization_id');
