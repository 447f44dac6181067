CREATE INDEX "organizations_removed" ON "organizations" USING btree ("id") WHERE deleted_at is not null;--> statement-breakpoint
-- Taking a name apart takes about a thousand times as long as comparing two words. Who plans a statement has to know that: an index that
-- has the keys ready is then asked for them, and they are not made again for each row that another index finds.
ALTER FUNCTION slip_keys(text) COST 1000;
