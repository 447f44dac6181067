CREATE TABLE "quiz_answers" (
	"attempt_id" uuid NOT NULL,
	"item_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"try" integer DEFAULT 1 NOT NULL,
	"answer" jsonb NOT NULL,
	"score" double precision NOT NULL,
	"correct" boolean NOT NULL,
	"answered_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"took_ms" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "quiz_answers_attempt_id_item_id_try_pk" PRIMARY KEY("attempt_id","item_id","try")
);
--> statement-breakpoint
CREATE TABLE "quiz_attempts" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"quiz_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"viewer_key" text NOT NULL,
	"user_id" uuid,
	"transmission_id" uuid,
	"delivery_id" uuid,
	"session_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"seed" integer NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	"score" double precision DEFAULT 0 NOT NULL,
	"max_score" double precision NOT NULL,
	"passed" boolean,
	CONSTRAINT "quiz_attempts_number" UNIQUE("quiz_id","viewer_key","number")
);
--> statement-breakpoint
CREATE TABLE "quiz_item_stats" (
	"item_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"n" integer DEFAULT 0 NOT NULL,
	"sum_x" double precision DEFAULT 0 NOT NULL,
	"sum_xx" double precision DEFAULT 0 NOT NULL,
	"sum_t" double precision DEFAULT 0 NOT NULL,
	"sum_tt" double precision DEFAULT 0 NOT NULL,
	"sum_xt" double precision DEFAULT 0 NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quiz_items" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"key" uuid NOT NULL,
	"position" integer NOT NULL,
	"kind" text NOT NULL,
	"at_ms" integer,
	"gate" boolean DEFAULT false NOT NULL,
	"points" double precision NOT NULL,
	"question" jsonb NOT NULL,
	"teaches_from_ms" integer,
	"teaches_to_ms" integer,
	CONSTRAINT "quiz_items_key" UNIQUE("version_id","key")
);
--> statement-breakpoint
CREATE TABLE "quiz_versions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"quiz_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"settings" jsonb NOT NULL,
	"max_score" double precision NOT NULL,
	"published_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"published_by" uuid,
	CONSTRAINT "quiz_versions_number" UNIQUE("quiz_id","number"),
	CONSTRAINT "quiz_versions_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "quizzes" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"draft" jsonb NOT NULL,
	"current_version_id" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "quizzes_videoId_unique" UNIQUE("video_id"),
	CONSTRAINT "quizzes_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"number" bigint NOT NULL,
	"user_id" uuid,
	"video_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"issued_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"issued_by" uuid,
	"body" text,
	"body_hash" "bytea" NOT NULL,
	"previous_hash" "bytea",
	"hash" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"signature" "bytea" NOT NULL,
	CONSTRAINT "certificates_number" UNIQUE("organization_id","number")
);
--> statement-breakpoint
CREATE TABLE "play_events" (
	"session_id" uuid NOT NULL,
	"n" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"type" text NOT NULL,
	"at_ms" bigint NOT NULL,
	"position_ms" integer NOT NULL,
	"data" jsonb,
	CONSTRAINT "play_events_session_id_n_pk" PRIMARY KEY("session_id","n")
);
--> statement-breakpoint
CREATE TABLE "served_parts" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"parts" "int4multirange" DEFAULT '{}' NOT NULL,
	"requests" integer DEFAULT 0 NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "video_heat" (
	"version_id" uuid NOT NULL,
	"sec" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"viewers_delta" integer DEFAULT 0 NOT NULL,
	"passes_delta" integer DEFAULT 0 NOT NULL,
	"seek_in" integer DEFAULT 0 NOT NULL,
	"seek_out" integer DEFAULT 0 NOT NULL,
	"pauses" integer DEFAULT 0 NOT NULL,
	"exits" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "video_heat_version_id_sec_pk" PRIMARY KEY("version_id","sec")
);
--> statement-breakpoint
CREATE TABLE "video_heat_days" (
	"version_id" uuid NOT NULL,
	"day" text NOT NULL,
	"sec" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"sessions_delta" integer DEFAULT 0 NOT NULL,
	"passes_delta" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "video_heat_days_version_id_day_sec_pk" PRIMARY KEY("version_id","day","sec")
);
--> statement-breakpoint
CREATE TABLE "viewer_days" (
	"organization_id" uuid NOT NULL,
	"day" text NOT NULL,
	"video_id" uuid NOT NULL,
	"viewer_key" text NOT NULL,
	"user_id" uuid,
	"sessions" integer DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"wall_ms" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "viewer_days_organization_id_day_video_id_viewer_key_pk" PRIMARY KEY("organization_id","day","video_id","viewer_key")
);
--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "sessions" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "impressions" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "anonymous" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "bots" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "capped" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "refused" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "batches_seen" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "day_rollups" ADD COLUMN "batches_expected" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery_viewing" ADD COLUMN "covered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "dropped" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "ended" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "track_batches" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "viewer_videos" ADD COLUMN "covered_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "quiz_answers" ADD CONSTRAINT "quiz_answers_attempt_id_quiz_attempts_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."quiz_attempts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_items" ADD CONSTRAINT "quiz_items_version" FOREIGN KEY ("organization_id","version_id") REFERENCES "public"."quiz_versions"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quiz_versions" ADD CONSTRAINT "quiz_versions_quiz" FOREIGN KEY ("organization_id","quiz_id") REFERENCES "public"."quizzes"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quizzes" ADD CONSTRAINT "quizzes_video" FOREIGN KEY ("organization_id","video_id") REFERENCES "public"."videos"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "quiz_answers_by_item" ON "quiz_answers" USING btree ("item_id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_by_version" ON "quiz_attempts" USING btree ("version_id","completed_at");--> statement-breakpoint
CREATE INDEX "quiz_attempts_by_person" ON "quiz_attempts" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_by_delivery" ON "quiz_attempts" USING btree ("transmission_id","delivery_id");--> statement-breakpoint
CREATE INDEX "certificates_by_person" ON "certificates" USING btree ("organization_id","user_id","video_id");--> statement-breakpoint
CREATE INDEX "served_parts_by_video" ON "served_parts" USING btree ("video_id");--> statement-breakpoint
CREATE INDEX "viewer_days_by_user" ON "viewer_days" USING btree ("organization_id","user_id","day");--> statement-breakpoint
UPDATE viewer_videos SET covered_at = completed_at WHERE completed_at IS NOT NULL;
--> statement-breakpoint
UPDATE delivery_viewing SET covered_at = completed_at WHERE completed_at IS NOT NULL;
--> statement-breakpoint
SELECT raise_wall(name::regclass, 'organization_id') FROM unnest(ARRAY['play_events', 'served_parts', 'video_heat', 'video_heat_days', 'viewer_days', 'certificates', 'quizzes', 'quiz_versions', 'quiz_items', 'quiz_attempts', 'quiz_answers', 'quiz_item_stats']) name;
