-- As in 0003: it never fails on what a row holds, so that an index on how a text begins serves behind row-level security.
DO $$ BEGIN
  ALTER FUNCTION pg_catalog.left(text, integer) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
--> statement-breakpoint
ALTER TABLE "videos" drop column "search";--> statement-breakpoint
ALTER TABLE "videos" ADD COLUMN "search" text GENERATED ALWAYS AS (fold_text(title || ' ' || coalesce(description, ''))) STORED;--> statement-breakpoint
ALTER TABLE "transmissions" ADD COLUMN "search" text GENERATED ALWAYS AS (fold_text(subject || ' ' || left(body, 200))) STORED;--> statement-breakpoint
CREATE INDEX "videos_beginning" ON "videos" USING btree ("organization_id",left("search", 100) text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "videos_beginning_anywhere" ON "videos" USING btree (left("search", 100) text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "groups_beginning" ON "groups" USING btree ("organization_id",fold_text("name") text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "groups_beginning_anywhere" ON "groups" USING btree (fold_text("name") text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "organizations_beginning" ON "organizations" USING btree (fold_text("name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "users_beginning" ON "users" USING btree ("organization_id",left("search", 100) text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_beginning_anywhere" ON "users" USING btree (left("search", 100) text_pattern_ops) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "transmissions_search" ON "transmissions" USING gin ("organization_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "transmissions_beginning" ON "transmissions" USING btree ("organization_id",left("search", 100) text_pattern_ops);--> statement-breakpoint
CREATE INDEX "transmissions_beginning_anywhere" ON "transmissions" USING btree (left("search", 100) text_pattern_ops);--> statement-breakpoint
-- It went with the column that was made anew.
CREATE INDEX "videos_search" ON "videos" USING gin ("organization_id","search" gin_trgm_ops);
