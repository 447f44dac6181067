CREATE TABLE "projects" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"parent_id" uuid,
	"name" text NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "projects_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "video_versions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"file_name" text NOT NULL,
	"size" bigint NOT NULL,
	"received_bytes" bigint DEFAULT 0 NOT NULL,
	"uploaded_at" timestamp (3) with time zone,
	"duration_ms" integer,
	"width" integer,
	"height" integer,
	"probe" jsonb,
	"renditions" jsonb,
	"storyboard" jsonb,
	"poster" text,
	"poster_small" text,
	"ready_at" timestamp (3) with time zone,
	"failure" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "video_versions_tenant" UNIQUE("organization_id","id"),
	CONSTRAINT "video_versions_number" UNIQUE("video_id","number")
);
--> statement-breakpoint
CREATE TABLE "videos" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"project_id" uuid,
	"title" text NOT NULL,
	"description" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"state" text DEFAULT 'uploading' NOT NULL,
	"progress" double precision DEFAULT 0 NOT NULL,
	"failure" text,
	"privacy" text DEFAULT 'link' NOT NULL,
	"current_version_id" uuid,
	"created_by" uuid,
	"search" text GENERATED ALWAYS AS (lower(title || ' ' || coalesce(description, ''))) STORED,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "videos_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"key" "bytea" NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"count" integer DEFAULT 0 NOT NULL,
	"blocked_until" timestamp (3) with time zone,
	CONSTRAINT "attempts_key_window_start_pk" PRIMARY KEY("key","window_start")
);
--> statement-breakpoint
CREATE TABLE "audit" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"actor_id" uuid,
	"action" text NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid,
	"before" jsonb,
	"after" jsonb,
	"ip_prefix" "inet",
	"request_id" text,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "flows" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"purpose" text NOT NULL,
	"identifier" text NOT NULL,
	"user_id" uuid,
	"code_hash" "bytea",
	"tries_left" integer DEFAULT 5 NOT NULL,
	"verified" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"actor_id" uuid NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" "bytea" NOT NULL,
	"status" integer,
	"reply" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_actor_id_route_key_pk" PRIMARY KEY("actor_id","route","key")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"idle_expires_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"reauthenticated_at" timestamp (3) with time zone,
	"locked_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"ip_prefix" "inet",
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "setup_links" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "setup_links_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "group_members" (
	"organization_id" uuid NOT NULL,
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"groupadmin" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"kind" text DEFAULT 'static' NOT NULL,
	"rule" jsonb,
	"member_count" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "groups_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"domain" text,
	"time_zone" text DEFAULT 'UTC' NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"policies" jsonb NOT NULL,
	"user_count" bigint DEFAULT 0 NOT NULL,
	"group_count" bigint DEFAULT 0 NOT NULL,
	"video_count" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "organizations_name_filled" CHECK (length(btrim("organizations"."name")) between 1 and 200)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"role" text,
	"state" text DEFAULT 'active' NOT NULL,
	"phone" text,
	"external_id" text,
	"custom_fields" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"locale" text,
	"password_hash" text,
	"search" text GENERATED ALWAYS AS (lower(name || ' ' || email)) STORED,
	"last_seen_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "users_tenant" UNIQUE("organization_id","id"),
	CONSTRAINT "users_home" CHECK (("users"."organization_id" is null) = ("users"."role" is not distinct from 'superadmin')),
	CONSTRAINT "users_email_lower" CHECK ("users"."email" = lower("users"."email"))
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"transmission_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"channel" text DEFAULT 'email' NOT NULL,
	"address" text NOT NULL,
	"content_rev" integer DEFAULT 1 NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"attempt" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"lease_token" uuid,
	"lease_until" timestamp (3) with time zone,
	"handed_at" timestamp (3) with time zone,
	"provider_ref" text,
	"last_code" integer,
	"link_hash" "bytea",
	"accepted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deliveries_transmission_id_id_pk" PRIMARY KEY("transmission_id","id")
) PARTITION BY HASH ("transmission_id");
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"delivery_id" uuid NOT NULL,
	"n" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"transmission_id" uuid NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"handed_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"outcome" text,
	"code" integer,
	"response" text,
	CONSTRAINT "delivery_attempts_delivery_id_n_pk" PRIMARY KEY("delivery_id","n")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"delivery_id" uuid,
	"address" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"html" text,
	"state" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp (3) with time zone,
	CONSTRAINT "mails_deliveryId_unique" UNIQUE("delivery_id")
);
--> statement-breakpoint
CREATE TABLE "send_lanes" (
	"id" text PRIMARY KEY NOT NULL,
	"rate" double precision NOT NULL,
	"burst" double precision NOT NULL,
	"tokens" double precision NOT NULL,
	"refilled_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"backoff_until" timestamp (3) with time zone,
	"state" text DEFAULT 'open' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "transmission_counts" (
	"transmission_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"state" text NOT NULL,
	"n" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "transmission_counts_transmission_id_state_pk" PRIMARY KEY("transmission_id","state")
);
--> statement-breakpoint
CREATE TABLE "transmissions" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"state" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"content_rev" integer DEFAULT 1 NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"video_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"sender_id" uuid NOT NULL,
	"sender_name" text NOT NULL,
	"audience" jsonb NOT NULL,
	"prepare_cursor" uuid,
	"prepared_at" timestamp (3) with time zone,
	"audience_total" bigint DEFAULT 0 NOT NULL,
	"delivery_policy" text DEFAULT 'at_most_once' NOT NULL,
	"state_reason" text,
	"scheduled_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transmissions_tenant" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "day_rollups" (
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"day" text NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"plays" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "day_rollups_organization_id_day_video_id_pk" PRIMARY KEY("organization_id","day","video_id")
);
--> statement-breakpoint
CREATE TABLE "delivery_viewing" (
	"transmission_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"opened_at" timestamp (3) with time zone,
	"first_play_at" timestamp (3) with time zone,
	"last_at" timestamp (3) with time zone,
	"coverage" "int4multirange" DEFAULT '{}' NOT NULL,
	"covered_ms" integer DEFAULT 0 NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "delivery_viewing_transmission_id_delivery_id_pk" PRIMARY KEY("transmission_id","delivery_id")
);
--> statement-breakpoint
CREATE TABLE "play_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"transmission_id" uuid,
	"delivery_id" uuid,
	"user_id" uuid,
	"viewer_key" text NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"wall_ms" bigint DEFAULT 0 NOT NULL,
	"coverage" "int4multirange" DEFAULT '{}' NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"batches_seen" integer DEFAULT 0 NOT NULL,
	"batches_expected" integer DEFAULT 0 NOT NULL,
	"flags" integer DEFAULT 0 NOT NULL,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "play_spans" (
	"session_id" uuid NOT NULL,
	"i" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"start_ms" integer NOT NULL,
	"end_ms" integer NOT NULL,
	"wall_ms" integer NOT NULL,
	"rate" integer NOT NULL,
	"flags" integer NOT NULL,
	"refused" text,
	CONSTRAINT "play_spans_session_id_i_pk" PRIMARY KEY("session_id","i")
);
--> statement-breakpoint
CREATE TABLE "track_batches" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"received_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"batch" bigint NOT NULL,
	"elapsed_ms" bigint NOT NULL,
	"claims" jsonb NOT NULL,
	"spans" jsonb NOT NULL,
	"events" jsonb NOT NULL,
	"state" jsonb,
	"ended" boolean DEFAULT false NOT NULL,
	"folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "track_batches_received_at_id_pk" PRIMARY KEY("received_at","id")
) PARTITION BY RANGE ("received_at");
--> statement-breakpoint
CREATE TABLE "viewer_videos" (
	"version_id" uuid NOT NULL,
	"viewer_key" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"user_id" uuid,
	"coverage" "int4multirange" DEFAULT '{}' NOT NULL,
	"covered_ms" integer DEFAULT 0 NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"plays" integer DEFAULT 0 NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "viewer_videos_version_id_viewer_key_pk" PRIMARY KEY("version_id","viewer_key")
);
--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_parent" FOREIGN KEY ("organization_id","parent_id") REFERENCES "public"."projects"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "video_versions" ADD CONSTRAINT "video_versions_video" FOREIGN KEY ("organization_id","video_id") REFERENCES "public"."videos"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "videos" ADD CONSTRAINT "videos_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "videos" ADD CONSTRAINT "videos_project" FOREIGN KEY ("organization_id","project_id") REFERENCES "public"."projects"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flows" ADD CONSTRAINT "flows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group" FOREIGN KEY ("organization_id","group_id") REFERENCES "public"."groups"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user" FOREIGN KEY ("organization_id","user_id") REFERENCES "public"."users"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "groups" ADD CONSTRAINT "groups_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_transmission" FOREIGN KEY ("organization_id","transmission_id") REFERENCES "public"."transmissions"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transmissions" ADD CONSTRAINT "transmissions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transmissions" ADD CONSTRAINT "transmissions_video" FOREIGN KEY ("organization_id","video_id") REFERENCES "public"."videos"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transmissions" ADD CONSTRAINT "transmissions_version" FOREIGN KEY ("organization_id","version_id") REFERENCES "public"."video_versions"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_name" ON "projects" USING btree ("organization_id",coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid),lower("name")) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "videos_newest" ON "videos" USING btree ("organization_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "videos_search" ON "videos" USING gin ("organization_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "attempts_by_age" ON "attempts" USING btree ("window_start");--> statement-breakpoint
CREATE INDEX "audit_by_entity" ON "audit" USING btree ("entity","entity_id");--> statement-breakpoint
CREATE INDEX "audit_by_organization" ON "audit" USING btree ("organization_id","at" desc);--> statement-breakpoint
CREATE UNIQUE INDEX "flows_token" ON "flows" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "flows_by_identifier" ON "flows" USING btree ("identifier","created_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token" ON "sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_by_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "group_members_by_user" ON "group_members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "groups_name" ON "groups" USING btree ("organization_id",lower("name")) WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_slug" ON "organizations" USING btree ("slug") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "organizations_name" ON "organizations" USING btree (lower("name"),"id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_in_organization" ON "users" USING btree ("organization_id","email") WHERE deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_of_role" ON "users" USING btree ("email") WHERE role is not null and deleted_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "users_external_id" ON "users" USING btree ("organization_id","external_id") WHERE external_id is not null and deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_by_name" ON "users" USING btree ("organization_id",lower("name"),"id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "users_search" ON "users" USING gin ("organization_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_once_per_user" ON "deliveries" USING btree ("transmission_id","user_id","channel");--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_once_per_address" ON "deliveries" USING btree ("transmission_id","address") WHERE state <> 'skipped';--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("transmission_id","due_at","id") WHERE state in ('queued', 'deferred');--> statement-breakpoint
CREATE INDEX "deliveries_leased" ON "deliveries" USING btree ("lease_until") WHERE state = 'sending';--> statement-breakpoint
CREATE INDEX "deliveries_by_link" ON "deliveries" USING btree ("link_hash");--> statement-breakpoint
CREATE INDEX "deliveries_by_user" ON "deliveries" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE INDEX "mails_newest" ON "mails" USING btree ("id" desc);--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("due_at") WHERE state = 'queued';--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_address" ON "suppressions" USING btree ("organization_id","address");--> statement-breakpoint
CREATE INDEX "transmissions_newest" ON "transmissions" USING btree ("organization_id","id" desc);--> statement-breakpoint
CREATE INDEX "transmissions_active" ON "transmissions" USING btree ("state") WHERE state in ('preparing', 'sending');--> statement-breakpoint
CREATE INDEX "play_sessions_by_viewer" ON "play_sessions" USING btree ("version_id","viewer_key");--> statement-breakpoint
CREATE INDEX "play_sessions_by_delivery" ON "play_sessions" USING btree ("transmission_id","delivery_id");--> statement-breakpoint
CREATE INDEX "play_sessions_by_organization" ON "play_sessions" USING btree ("organization_id","last_at");--> statement-breakpoint
CREATE INDEX "track_batches_unfolded" ON "track_batches" USING btree ("video_id","received_at") WHERE not folded;--> statement-breakpoint
CREATE INDEX "track_batches_by_session" ON "track_batches" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "viewer_videos_by_organization" ON "viewer_videos" USING btree ("organization_id","last_at");