CREATE TABLE "report_schedules" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"owner_id" uuid NOT NULL,
	"report" text NOT NULL,
	"view" jsonb NOT NULL,
	"period" text NOT NULL,
	"rhythm" text NOT NULL,
	"weekday" integer NOT NULL,
	"month_day" integer NOT NULL,
	"hour" integer NOT NULL,
	"time_zone" text NOT NULL,
	"formats" text[] NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"pause_reason" text,
	"next_at" timestamp (3) with time zone NOT NULL,
	"retry_at" timestamp (3) with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"last_sent_at" timestamp (3) with time zone,
	"last_mail_id" uuid,
	"fault_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "report_schedules_paused" CHECK (("report_schedules"."state" = 'paused') = ("report_schedules"."pause_reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "mail_attachments" (
	"mail_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"organization_id" uuid,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "mail_attachments_mail_id_position_pk" PRIMARY KEY("mail_id","position")
);
--> statement-breakpoint
ALTER TABLE "mails" ADD COLUMN "headers" jsonb;--> statement-breakpoint
ALTER TABLE "report_schedules" ADD CONSTRAINT "report_schedules_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "report_schedules" ADD CONSTRAINT "report_schedules_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mail_attachments" ADD CONSTRAINT "mail_attachments_mail_id_mails_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "report_schedules_due" ON "report_schedules" USING btree ((case when "retry_at" is null then "next_at" else "retry_at" end)) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX "report_schedules_of_owner" ON "report_schedules" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "report_schedules_of_organization" ON "report_schedules" USING btree ("organization_id","created_at","id");
--> statement-breakpoint
SELECT raise_wall('report_schedules'::regclass, 'organization_id');
--> statement-breakpoint
SELECT raise_wall('mail_attachments'::regclass, 'organization_id');
