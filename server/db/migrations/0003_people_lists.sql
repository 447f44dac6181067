CREATE INDEX "groups_search" ON "groups" USING gin ("organization_id",lower("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "organizations_search" ON "organizations" USING gin (lower("name") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_newest" ON "users" USING btree ("organization_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
-- Behind row-level security an index serves only conditions that cannot tell anything about a hidden row. Neither of these two can:
-- lower() never fails, and LIKE fails on its pattern only. Who may not say so (some managed servers) still gets right answers, slower.
DO $$ BEGIN
  ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF;
  ALTER FUNCTION pg_catalog.lower(text) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
