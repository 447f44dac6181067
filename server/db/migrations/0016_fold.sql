ALTER TABLE "play_sessions" ADD COLUMN "passes" integer[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
-- The raw log is whole up to here, so everything is folded anew from it: curves, days of viewers, passes, and no programs among people.
DELETE FROM play_spans;
--> statement-breakpoint
DELETE FROM play_sessions;
--> statement-breakpoint
DELETE FROM day_rollups;
--> statement-breakpoint
-- Who has completed stays; the rest of these rows is written again with their sessions.
DELETE FROM viewer_videos WHERE covered_at IS NULL AND completed_at IS NULL;
--> statement-breakpoint
DELETE FROM delivery_viewing WHERE covered_at IS NULL AND completed_at IS NULL;
--> statement-breakpoint
UPDATE track_batches SET folded = false WHERE folded;
