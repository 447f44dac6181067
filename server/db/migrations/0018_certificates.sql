-- A certificate is written once. Of its columns only the text may change, and only to nothing, when its person is erased.
REVOKE UPDATE, DELETE ON certificates FROM sendreel_app;
--> statement-breakpoint
GRANT UPDATE (body) ON certificates TO sendreel_app;
--> statement-breakpoint
CREATE FUNCTION certificate_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.body IS NOT NULL AND new.body IS DISTINCT FROM old.body THEN
    RAISE EXCEPTION 'the text of a certificate never changes';
  END IF;
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER certificate_stays BEFORE UPDATE ON certificates FOR EACH ROW EXECUTE FUNCTION certificate_stays();
