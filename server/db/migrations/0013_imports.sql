CREATE TABLE "import_rows" (
	"operation_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"outcome" text NOT NULL,
	"reason" text,
	"label" text NOT NULL,
	"user_id" uuid,
	"email" text,
	"external_id" text,
	"gives_role" boolean DEFAULT false NOT NULL,
	"changes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "import_rows_operation_id_position_pk" PRIMARY KEY("operation_id","position")
);
--> statement-breakpoint
ALTER TABLE "imports" ALTER COLUMN "options" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "ragged" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "ragged_rows" integer[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "import_rows" ADD CONSTRAINT "import_rows_operation_id_operations_id_fk" FOREIGN KEY ("operation_id") REFERENCES "public"."operations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "import_rows_by_outcome" ON "import_rows" USING btree ("operation_id","outcome","position");--> statement-breakpoint
CREATE INDEX "import_rows_by_email" ON "import_rows" USING btree ("operation_id","email");--> statement-breakpoint
CREATE INDEX "import_rows_by_external_id" ON "import_rows" USING btree ("operation_id","external_id");--> statement-breakpoint
CREATE INDEX "import_rows_by_user" ON "import_rows" USING btree ("operation_id","user_id");--> statement-breakpoint
CREATE INDEX "users_removed_external_id" ON "users" USING btree ("organization_id","external_id") WHERE external_id is not null and deleted_at is not null;--> statement-breakpoint
ALTER TABLE "imports" DROP COLUMN "content";
--> statement-breakpoint
SELECT raise_wall('import_rows'::regclass, 'organization_id');
--> statement-breakpoint
-- An import makes tables many times longer within seconds; whoever does that tells the planner.
GRANT MAINTAIN ON users, group_members TO sendreel_app;
