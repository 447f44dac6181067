DROP INDEX "users_by_last_seen";--> statement-breakpoint
CREATE INDEX "users_by_state" ON "users" USING btree ("organization_id","state") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "viewer_videos_completed" ON "viewer_videos" USING btree ("video_id","user_id") WHERE completed_at is not null;--> statement-breakpoint
CREATE INDEX "users_by_last_seen" ON "users" USING btree ("organization_id",(case when "last_seen_at" is null then '-infinity' else "last_seen_at" end),"id","last_seen_at") WHERE deleted_at is null;--> statement-breakpoint
-- As in 0003: it never fails on what a row holds, so that the index on an organization's own fields serves behind row-level security.
DO $$ BEGIN
  ALTER FUNCTION pg_catalog.jsonb_contains(jsonb, jsonb) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
