CREATE TABLE "transmission_approvals" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"transmission_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"content_rev" integer NOT NULL,
	"audience_hash" text NOT NULL,
	"asked_by" uuid NOT NULL,
	"asked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"asked_for" integer NOT NULL,
	"decided_by" uuid,
	"decided_by_name" text,
	"decided_at" timestamp (3) with time zone,
	"decided_for" integer,
	"reason" text,
	CONSTRAINT "transmission_approvals_decided" CHECK (state in ('waiting', 'withdrawn') or decided_by is not null),
	CONSTRAINT "transmission_approvals_by_another" CHECK (decided_by <> asked_by)
);
--> statement-breakpoint
ALTER TABLE "transmission_approvals" ADD CONSTRAINT "transmission_approvals_transmission" FOREIGN KEY ("organization_id","transmission_id") REFERENCES "public"."transmissions"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "transmission_approvals_waiting" ON "transmission_approvals" USING btree ("transmission_id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "transmission_approvals_newest" ON "transmission_approvals" USING btree ("transmission_id","id" desc);--> statement-breakpoint
CREATE INDEX "notifications_wanted" ON "notifications" USING btree ("entity_id") WHERE read_at is null;
--> statement-breakpoint
SELECT raise_wall('transmission_approvals'::regclass, 'organization_id');
--> statement-breakpoint
-- What was decided is evidence.
REVOKE DELETE ON transmission_approvals FROM sendreel_app;
