ALTER FUNCTION raise_wall(regclass, text) RENAME TO add_tenant_policy;
ALTER FUNCTION raise_wall_of_person(regclass, text) RENAME TO add_tenant_policy_of_person;
-- It names them.
DO $$ BEGIN
  EXECUTE replace(pg_get_functiondef('add_track_day(date)'::regprocedure), 'raise_wall', 'add_tenant_policy');
END $$;
