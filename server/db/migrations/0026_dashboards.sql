CREATE TABLE "hidden_attention" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid,
	"owner_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"count" integer NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "hidden_attention" ADD CONSTRAINT "hidden_attention_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hidden_attention" ADD CONSTRAINT "hidden_attention_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "hidden_attention_once" ON "hidden_attention" USING btree ("owner_id",coalesce("organization_id", "owner_id"),"kind");
--> statement-breakpoint
SELECT raise_wall('hidden_attention'::regclass, 'organization_id');
