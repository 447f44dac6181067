CREATE TABLE "sending_guard" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"batch" bigint DEFAULT 0 NOT NULL,
	"marker" text,
	"spoke_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"held_at" timestamp (3) with time zone,
	"signs" text[],
	"answer" text,
	CONSTRAINT "sending_guard_one" CHECK (id),
	CONSTRAINT "sending_guard_answer" CHECK (answer is null or (answer = 'restored' and held_at is not null))
);
--> statement-breakpoint
ALTER TABLE "send_lanes" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "send_lanes" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
INSERT INTO sending_guard DEFAULT VALUES;
