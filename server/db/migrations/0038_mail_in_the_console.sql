CREATE TABLE "mail_server" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"encryption" text NOT NULL,
	"login" text,
	"password_sealed" "bytea",
	"sender_name" text NOT NULL,
	"sender_address" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_server_single" CHECK ("mail_server"."id" = 1),
	CONSTRAINT "mail_server_encryption" CHECK ("mail_server"."encryption" in ('starttls', 'tls', 'none'))
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "link_revoked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "link_revoked_reason" text;--> statement-breakpoint
ALTER TABLE "transmissions" ADD COLUMN "links_end_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "deliveries_resting" ON "deliveries" USING btree ("transmission_id") WHERE state = 'accepted' and provider_ref = 'outbox';
--> statement-breakpoint
-- Every transaction may know that there is a mail server, because it decides whether a mail leaves; only the system sets one.
ALTER TABLE "mail_server" ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE "mail_server" FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY known ON "mail_server" FOR SELECT USING (true);
--> statement-breakpoint
CREATE POLICY set_by_system ON "mail_server" USING ((SELECT app_system())) WITH CHECK ((SELECT app_system()));
