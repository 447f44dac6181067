DROP INDEX "audit_by_entity";--> statement-breakpoint
DROP INDEX "audit_by_organization";--> statement-breakpoint
DROP INDEX "audit_by_actor";--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "salt" "bytea" DEFAULT uuid_send(gen_random_uuid());--> statement-breakpoint
ALTER TABLE "audit" ADD COLUMN "search" text GENERATED ALWAYS AS (lower(coalesce(actor_name, '') || ' ' || action
        || ' ' || coalesce(before ->> 'name', before ->> 'title', '') || ' ' || coalesce(after ->> 'name', after ->> 'title', after ->> 'subject', '')
        || ' ' || coalesce(before ->> 'email', '') || ' ' || coalesce(after ->> 'email', ''))) STORED;--> statement-breakpoint
ALTER TABLE "audit_chain" ADD COLUMN "details_hash" "bytea" NOT NULL;--> statement-breakpoint
CREATE INDEX "audit_by_action" ON "audit" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_search" ON "audit" USING gin ("organization_id","search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "sessions_viewing" ON "sessions" USING btree ("viewing_as") WHERE viewing_as is not null;--> statement-breakpoint
CREATE INDEX "audit_by_entity" ON "audit" USING btree ("entity_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_by_organization" ON "audit" USING btree ("organization_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_by_actor" ON "audit" USING btree ("actor_id","at","id");