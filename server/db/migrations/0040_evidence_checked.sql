ALTER TABLE "delivery_viewing" ADD COLUMN "evidence" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "play_sessions" ADD COLUMN "run" uuid;--> statement-breakpoint
ALTER TABLE "viewer_videos" ADD COLUMN "evidence" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
CREATE INDEX "viewer_videos_checking" ON "viewer_videos" USING btree ("last_at") WHERE evidence = 'checking';--> statement-breakpoint
ALTER TABLE "delivery_viewing" ADD CONSTRAINT "delivery_viewing_evidence" CHECK (evidence in ('proven', 'likely', 'delivered', 'checking', 'contradicted', 'none'));--> statement-breakpoint
ALTER TABLE "viewer_videos" ADD CONSTRAINT "viewer_videos_evidence" CHECK (evidence in ('proven', 'likely', 'delivered', 'checking', 'contradicted', 'none'));
--> statement-breakpoint
-- What both sources say of what was watched so far is found out in the background; where the sessions are forgotten, by what is left.
update viewer_videos v set evidence = case
  when exists (select from play_sessions p where p.video_id = v.video_id and p.viewer_key = v.viewer_key and p.version_id = v.version_id)
    then 'checking'
  when v.covered_ms > 0 then 'likely' else 'delivered' end;
--> statement-breakpoint
update delivery_viewing d set evidence = case
  when exists (select from play_sessions p where p.transmission_id = d.transmission_id and p.delivery_id = d.delivery_id) then 'checking'
  when d.covered_ms > 0 then 'likely' else 'delivered' end;
