DROP INDEX "play_sessions_by_viewer";--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "zero_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "impression_ms" integer;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "duration_ms" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "max_rate" integer DEFAULT 200 NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "theta" double precision DEFAULT 0.95 NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "position_batch" integer DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "batches" "int4multirange" DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "play_spans" ADD COLUMN "began_ms" bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "play_spans" ADD COLUMN "seen_ms" bigint NOT NULL;--> statement-breakpoint
ALTER TABLE "track_batches" ADD COLUMN "dropped" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "track_batches" ADD COLUMN "capped" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "track_batches" ADD COLUMN "user_agent" text;--> statement-breakpoint
CREATE INDEX "play_sessions_by_viewer" ON "play_sessions" USING btree ("video_id","viewer_key");