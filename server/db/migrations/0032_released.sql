DROP INDEX "transmissions_newest";--> statement-breakpoint
ALTER TABLE "transmissions" ADD COLUMN "released_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "transmissions" ADD COLUMN "dated_at" timestamp (3) with time zone GENERATED ALWAYS AS (coalesce(released_at, created_at)) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "transmissions_newest" ON "transmissions" USING btree ("organization_id","dated_at" desc,"id" desc);--> statement-breakpoint
-- Until now an approval wrote the day of writing anew; the id still tells that one.
UPDATE transmissions t SET released_at = t.created_at
  WHERE t.state NOT IN ('draft', 'pending_approval') AND (t.state <> 'cancelled' OR t.scheduled_at IS NOT NULL);--> statement-breakpoint
UPDATE transmissions t SET created_at = uuid_extract_timestamp(t.id)
  WHERE t.released_at IS NOT NULL AND uuid_extract_timestamp(t.id) < t.created_at
    AND EXISTS (SELECT 1 FROM transmission_approvals a WHERE a.transmission_id = t.id AND a.state = 'approved');
