-- Whoever has another address now may be somebody else: no account of a provider opens theirs any more, in whichever way it was changed.
-- Sessions that were opened for their videos alone end with it. Those of whoever has a role are ended by whoever changes the address,
-- because the one in which somebody has proved their own new address goes on.
CREATE FUNCTION forget_connection_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE sessions s SET revoked_at = now(), end_reason = 'connection_changed' FROM connection_sessions c
    WHERE c.session_id = s.id AND c.user_id = NEW.id AND NEW.role IS NULL AND s.revoked_at IS NULL;
  DELETE FROM connection_people WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_connection_people AFTER UPDATE OF email ON users FOR EACH ROW
  WHEN (NEW.email IS DISTINCT FROM OLD.email) EXECUTE FUNCTION forget_connection_people();

-- The key that began it; who created it is its owner.
ALTER TABLE operations ADD COLUMN key_id uuid;

-- So many days before the end of a token its owner was told last, or would have been when that end was set; null: that lies further away.
ALTER TABLE service_tokens ADD COLUMN told_days smallint;
