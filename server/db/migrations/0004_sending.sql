DROP INDEX "transmissions_newest";--> statement-breakpoint
DROP INDEX "transmissions_active";--> statement-breakpoint
ALTER TABLE "send_lanes" ADD COLUMN "ceiling" double precision DEFAULT 1000 NOT NULL;--> statement-breakpoint
CREATE INDEX "delivery_attempts_newest" ON "delivery_attempts" USING btree ("transmission_id","ended_at" desc);--> statement-breakpoint
CREATE INDEX "transmission_counts_open" ON "transmission_counts" USING btree ("transmission_id") WHERE state in ('queued', 'deferred') and n > 0;--> statement-breakpoint
CREATE INDEX "transmissions_newest" ON "transmissions" USING btree ("organization_id","created_at" desc,"id" desc);--> statement-breakpoint
CREATE INDEX "transmissions_active" ON "transmissions" USING btree ("state") WHERE state in ('scheduled', 'preparing', 'sending');
--> statement-breakpoint
-- The ledger counts itself: one upsert per statement, in the order of the key, so that two workers never wait for each other crosswise.
CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, count(*) FROM new_rows GROUP BY 1, 2, 3 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, sum(n) FROM (
        SELECT transmission_id, organization_id, state, 1 AS n FROM new_rows
        UNION ALL SELECT transmission_id, organization_id, state, -1 FROM old_rows) changed
      GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    INSERT INTO transmission_counts AS c (transmission_id, organization_id, state, n)
      SELECT transmission_id, organization_id, state, -count(*) FROM old_rows GROUP BY 1, 2, 3 ORDER BY 1, 3
      ON CONFLICT (transmission_id, state) DO UPDATE SET n = c.n + excluded.n;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER count_inserted AFTER INSERT ON deliveries REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
--> statement-breakpoint
CREATE TRIGGER count_updated AFTER UPDATE ON deliveries REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
--> statement-breakpoint
CREATE TRIGGER count_deleted AFTER DELETE ON deliveries REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
--> statement-breakpoint
-- Attempts are history: written once, read, never changed.
REVOKE UPDATE, DELETE ON delivery_attempts FROM sendreel_app;
