CREATE TABLE "consent_texts" (
	"organization_id" uuid NOT NULL,
	"hash" text NOT NULL,
	"text" text NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "consent_texts_organization_id_hash_pk" PRIMARY KEY("organization_id","hash")
);
--> statement-breakpoint
CREATE TABLE "consents" (
	"organization_id" uuid NOT NULL,
	"viewer_key" text NOT NULL,
	"hash" text NOT NULL,
	"first_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "consents_organization_id_viewer_key_hash_pk" PRIMARY KEY("organization_id","viewer_key","hash")
);
--> statement-breakpoint
CREATE TABLE "evidence_erasures" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"asked_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"asked_by" uuid,
	"done_at" timestamp (3) with time zone,
	"counts" jsonb
);
--> statement-breakpoint
CREATE TABLE "forgotten_viewing" (
	"video_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"since" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "private_periods" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"began_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"wiped_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "retention_marks" (
	"organization_id" uuid PRIMARY KEY NOT NULL,
	"cleared_to" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "evidence_erasures_waiting" ON "evidence_erasures" USING btree ("user_id") WHERE done_at is null;--> statement-breakpoint
CREATE INDEX "private_periods_open" ON "private_periods" USING btree ("organization_id") WHERE wiped_at is null;
--> statement-breakpoint
SELECT raise_wall(name::regclass, 'organization_id') FROM unnest(ARRAY['private_periods', 'consent_texts', 'consents', 'evidence_erasures', 'retention_marks', 'forgotten_viewing']) name;
--> statement-breakpoint
-- Takes what names somebody out of sealed entries; the links keep their hashes, so the chain still fits. The application itself
-- may change nothing in the log.
CREATE FUNCTION erase_audit_details(ids uuid[], about uuid, owner uuid) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  erased int;
BEGIN
  UPDATE audit a SET actor_name = NULL, before = NULL, after = NULL, ip_prefix = NULL, user_agent = NULL, salt = NULL
  WHERE a.id = ANY(ids) AND a.salt IS NOT NULL AND NOT EXISTS (SELECT FROM audit_unsealed u WHERE u.audit_id = a.id);
  GET DIAGNOSTICS erased = ROW_COUNT;
  IF erased > 0 THEN
    INSERT INTO audit (organization_id, action, entity, entity_id, after)
    VALUES (owner, 'audit.erased', 'user', about, jsonb_build_object('entries', erased));
  END IF;
  RETURN erased;
END $$;
--> statement-breakpoint
-- A day of the raw log that nobody keeps any more. No organization may keep less than a month, so a younger day is a mistake.
CREATE FUNCTION drop_track_day(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF day > (now() AT TIME ZONE 'UTC')::date - 27 THEN
    RAISE EXCEPTION 'the raw log of % is too young to be dropped', day;
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS %I', 'track_batches_' || to_char(day, 'YYYYMMDD'));
END $$;
--> statement-breakpoint
REVOKE ALL ON FUNCTION erase_audit_details(uuid[], uuid, uuid), drop_track_day(date) FROM PUBLIC;
--> statement-breakpoint
GRANT EXECUTE ON FUNCTION erase_audit_details(uuid[], uuid, uuid), drop_track_day(date) TO sendreel_app;
