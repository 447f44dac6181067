DROP INDEX "deliveries_by_user";--> statement-breakpoint
DROP INDEX "deliveries_once_per_user";--> statement-breakpoint
DROP INDEX "deliveries_leased";--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_once_per_user" ON "deliveries" USING btree ("user_id","transmission_id","channel");--> statement-breakpoint
CREATE INDEX "deliveries_leased" ON "deliveries" USING btree ("lease_token","id") WHERE state = 'sending';