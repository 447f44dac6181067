CREATE TABLE "training_waivers" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"until" timestamp (3) with time zone,
	"given_by" uuid,
	"given_by_name" text NOT NULL,
	"given_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_by" uuid,
	"ended_by_name" text
);
--> statement-breakpoint
ALTER TABLE "transmissions" ADD COLUMN "due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "training_waivers" ADD CONSTRAINT "training_waivers_video" FOREIGN KEY ("organization_id","video_id") REFERENCES "public"."videos"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "training_waivers_standing" ON "training_waivers" USING btree ("organization_id","user_id","video_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "training_waivers_by_person" ON "training_waivers" USING btree ("user_id","video_id");
--> statement-breakpoint
SELECT raise_wall('training_waivers'::regclass, 'organization_id');
