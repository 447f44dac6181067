ALTER TABLE "served_parts" ADD COLUMN "viewer_key" text NOT NULL;--> statement-breakpoint
CREATE INDEX "served_parts_by_viewer" ON "served_parts" USING btree ("viewer_key");--> statement-breakpoint
CREATE INDEX "viewer_videos_by_user" ON "viewer_videos" USING btree ("user_id");