-- A process keeps for seconds who sends its requests (server/platform/http/bearer.ts). Whatever that is made of says here that it has
-- changed: by the notice to whoever changes it, before their statement is over, and by the notification with the commit to everybody else.
CREATE FUNCTION tell_of_callers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('callers', '');
  RAISE NOTICE 'callers';
  RETURN NULL;
END $$;

-- Once per statement, whatever its rows: that is cheaper than comparing the rows of an import.
CREATE TRIGGER callers_updated AFTER UPDATE OF user_id, token_hash, expires_at, reauthenticated_at, locked_at, amr, remembered, viewing_as,
  viewing_until, viewing_reason, revoked_at ON sessions EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_deleted AFTER DELETE ON sessions EXECUTE FUNCTION tell_of_callers();
-- Being there moves these on, for each session once a minute, and changes nobody.
CREATE TRIGGER callers_set_back AFTER UPDATE OF last_seen_at, idle_expires_at ON sessions FOR EACH ROW
  WHEN (NEW.last_seen_at < OLD.last_seen_at OR NEW.idle_expires_at < OLD.idle_expires_at) EXECUTE FUNCTION tell_of_callers();

CREATE TRIGGER callers_updated AFTER UPDATE OF organization_id, name, email, role, state, deleted_at ON users EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_deleted AFTER DELETE ON users EXECUTE FUNCTION tell_of_callers();

CREATE TRIGGER callers_updated AFTER UPDATE OF name, state, policies, deleted_at ON organizations EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_deleted AFTER DELETE ON organizations EXECUTE FUNCTION tell_of_callers();

CREATE TRIGGER callers_updated AFTER UPDATE OF deleted_at ON groups EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_deleted AFTER DELETE ON groups EXECUTE FUNCTION tell_of_callers();

-- Few members administer their group, and only those are asked for.
CREATE TRIGGER callers_inserted AFTER INSERT ON group_members FOR EACH ROW WHEN (NEW.groupadmin) EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_updated AFTER UPDATE ON group_members FOR EACH ROW
  WHEN (NEW.groupadmin OR OLD.groupadmin) EXECUTE FUNCTION tell_of_callers();
CREATE TRIGGER callers_deleted AFTER DELETE ON group_members FOR EACH ROW WHEN (OLD.groupadmin) EXECUTE FUNCTION tell_of_callers();
