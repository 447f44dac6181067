-- Back to the names of before.
ALTER FUNCTION add_tenant_policy(regclass, text) RENAME TO raise_wall;
ALTER FUNCTION add_tenant_policy_of_person(regclass, text) RENAME TO raise_wall_of_person;
DO $$ BEGIN
  EXECUTE replace(pg_get_functiondef('add_track_day(date)'::regprocedure), 'add_tenant_policy', 'raise_wall');
END $$;
