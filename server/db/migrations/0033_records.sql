ALTER TABLE "videos" ADD COLUMN "length_ms" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "videos_by_title" ON "videos" USING btree ("organization_id",lower("title"),"id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "videos_by_length" ON "videos" USING btree ("organization_id","length_ms","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "transmissions_by_subject" ON "transmissions" USING btree ("organization_id",lower("subject"),"id");--> statement-breakpoint
CREATE INDEX "transmissions_by_recipients" ON "transmissions" USING btree ("organization_id",("audience_total"::float8),"id");--> statement-breakpoint
CREATE INDEX "transmissions_by_state" ON "transmissions" USING btree ("organization_id",(array_position(array['draft', 'pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused', 'completed', 'cancelled', 'failed']::text[], state)::float8),"id");--> statement-breakpoint
CREATE INDEX "transmissions_open_by_video" ON "transmissions" USING btree ("video_id") WHERE state in ('pending_approval', 'scheduled', 'held', 'preparing', 'sending', 'paused');--> statement-breakpoint
CREATE FUNCTION keep_length() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.length_ms := coalesce((SELECT n.duration_ms FROM video_versions n WHERE n.id = NEW.current_version_id), 0);
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER keep_length BEFORE INSERT OR UPDATE OF current_version_id ON videos FOR EACH ROW EXECUTE FUNCTION keep_length();--> statement-breakpoint
UPDATE videos v SET length_ms = coalesce(n.duration_ms, 0) FROM video_versions n WHERE n.id = v.current_version_id;
