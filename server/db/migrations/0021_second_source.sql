CREATE TABLE "served_runs" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"recorded_to" timestamp (3) with time zone NOT NULL,
	"beaten_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "retention_marks" ADD COLUMN "gone" jsonb DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "certificates" ADD COLUMN "format" integer DEFAULT 1 NOT NULL;