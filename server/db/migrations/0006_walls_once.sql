-- In a sub-select the settings of the transaction are read once per statement instead of once per row.
CREATE OR REPLACE FUNCTION raise_wall(name regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inside text := format('%I = (SELECT app_organization()) OR (SELECT app_system())', key);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('DROP POLICY IF EXISTS tenant ON %s', name);
  EXECUTE format('CREATE POLICY tenant ON %1$s USING (%2$s) WITH CHECK (%2$s)', name, inside);
END $$;
--> statement-breakpoint
SELECT raise_wall(polrelid::regclass, CASE polrelid WHEN 'organizations'::regclass THEN 'id' ELSE 'organization_id' END)
FROM pg_policy WHERE polname = 'tenant';
