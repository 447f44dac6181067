CREATE INDEX "group_members_groupadmins" ON "group_members" USING btree ("group_id","user_id") WHERE groupadmin;--> statement-breakpoint
CREATE INDEX "users_avatar" ON "users" USING btree ("avatar") WHERE avatar is not null;--> statement-breakpoint
CREATE INDEX "mails_failed" ON "mails" USING btree ("organization_id","created_at") WHERE state = 'failed';