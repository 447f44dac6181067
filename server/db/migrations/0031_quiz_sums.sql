-- A row of quiz_sums without its organization: what one person adds to it.
CREATE TYPE quiz_part AS (kind smallint, subject uuid, day date, before date, share float8, n int);--> statement-breakpoint
CREATE TABLE "quiz_attention" (
	"video_id" uuid NOT NULL,
	"person" text NOT NULL,
	"item_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"verdict" smallint NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quiz_attention_video_id_person_item_id_pk" PRIMARY KEY("video_id","person","item_id")
);
--> statement-breakpoint
CREATE TABLE "quiz_attention_marks" (
	"video_id" uuid NOT NULL,
	"person" text NOT NULL,
	"organization_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quiz_attention_sums" (
	"item_id" uuid NOT NULL,
	"verdict" smallint NOT NULL,
	"organization_id" uuid NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "quiz_attention_sums_item_id_verdict_pk" PRIMARY KEY("item_id","verdict")
);
--> statement-breakpoint
CREATE TABLE "quiz_marks" (
	"organization_id" uuid NOT NULL,
	"person" text NOT NULL,
	"user_id" uuid
);
--> statement-breakpoint
CREATE TABLE "quiz_people" (
	"organization_id" uuid NOT NULL,
	"person" text NOT NULL,
	"user_id" uuid,
	"parts" quiz_part[] NOT NULL,
	CONSTRAINT "quiz_people_organization_id_person_pk" PRIMARY KEY("organization_id","person")
);
--> statement-breakpoint
CREATE TABLE "quiz_sums" (
	"kind" smallint NOT NULL,
	"organization_id" uuid NOT NULL,
	"subject" uuid NOT NULL,
	"day" date NOT NULL,
	"before" date NOT NULL,
	"share" double precision NOT NULL,
	"n" bigint NOT NULL,
	CONSTRAINT "quiz_sums_kind_organization_id_day_before_subject_share_pk" PRIMARY KEY("kind","organization_id","day","before","subject","share")
);
--> statement-breakpoint
CREATE INDEX "quiz_attention_marks_by_video" ON "quiz_attention_marks" USING btree ("video_id");--> statement-breakpoint
CREATE INDEX "quiz_people_by_user" ON "quiz_people" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "quiz_attempts_by_nobody" ON "quiz_attempts" USING btree ("organization_id","viewer_key") WHERE user_id is null;--> statement-breakpoint
SELECT raise_wall(name::regclass, 'organization_id') FROM unnest(ARRAY['quiz_sums', 'quiz_people', 'quiz_marks', 'quiz_attention',
  'quiz_attention_sums', 'quiz_attention_marks']) name;--> statement-breakpoint
-- Marks are written and deleted all the time, and few are ever there: dead ones must not be walked through for long.
ALTER TABLE quiz_marks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);--> statement-breakpoint
ALTER TABLE quiz_attention_marks SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);--> statement-breakpoint
CREATE FUNCTION teaches(version uuid) RETURNS boolean LANGUAGE sql STABLE
  RETURN EXISTS (SELECT FROM quiz_items i WHERE i.version_id = version AND i.teaches_to_ms > i.teaches_from_ms);--> statement-breakpoint
-- Whose an attempt was, and whose it is.
CREATE FUNCTION mark_quizzes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_marks (organization_id, person, user_id)
    SELECT DISTINCT organization_id, coalesce(user_id::text, viewer_key), user_id
    FROM (VALUES (OLD.organization_id, OLD.user_id, OLD.viewer_key), (NEW.organization_id, NEW.user_id, NEW.viewer_key))
      a(organization_id, user_id, viewer_key) WHERE organization_id IS NOT NULL;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION mark_attention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF teaches(coalesce(NEW.version_id, OLD.version_id)) THEN
    INSERT INTO quiz_attention_marks (video_id, person, organization_id)
      SELECT DISTINCT video_id, coalesce(user_id::text, viewer_key), organization_id
      FROM (VALUES (OLD.video_id, OLD.organization_id, OLD.user_id, OLD.viewer_key), (NEW.video_id, NEW.organization_id, NEW.user_id, NEW.viewer_key))
        a(video_id, organization_id, user_id, viewer_key) WHERE organization_id IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
-- A right answer may put right an earlier one. A wrong one counts when its attempt becomes the first.
CREATE FUNCTION mark_attention_of_answer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM quiz_items i WHERE i.id = NEW.item_id AND i.teaches_to_ms > i.teaches_from_ms) THEN
    INSERT INTO quiz_attention_marks (video_id, person, organization_id)
      SELECT video_id, coalesce(user_id::text, viewer_key), organization_id FROM quiz_attempts WHERE id = NEW.attempt_id;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
-- Sessions change all the time, and hardly ever what somebody had watched when they answered. Only people with a verdict need a mark:
-- whoever has none yet has one already, and verdicts are found under the lock of the video, which whoever writes its sessions holds.
CREATE FUNCTION mark_attention_of_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_attention_marks (video_id, person, organization_id)
    SELECT DISTINCT v.video_id, v.person, v.organization_id FROM changed c
    CROSS JOIN LATERAL (SELECT t.* FROM quiz_attention t WHERE t.video_id = c.video_id
      AND t.person = ANY (ARRAY[c.viewer_key, split_part(c.viewer_key, ':', 2)])
      AND (TG_OP <> 'UPDATE' OR c.started_at < t.until OR c.flags & 2097152 <> 0) OFFSET 0) v;
  RETURN NULL;
END $$;--> statement-breakpoint
-- Spans that are written come with their session. These go, perhaps without it.
CREATE FUNCTION mark_attention_of_spans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quiz_attention_marks (video_id, person, organization_id)
    SELECT DISTINCT v.video_id, v.person, v.organization_id FROM (SELECT DISTINCT session_id FROM changed) c
    CROSS JOIN LATERAL (SELECT t.* FROM play_sessions t WHERE t.id = c.session_id OFFSET 0) s
    CROSS JOIN LATERAL (SELECT t.* FROM quiz_attention t WHERE t.video_id = s.video_id
      AND t.person = ANY (ARRAY[s.viewer_key, split_part(s.viewer_key, ':', 2)]) OFFSET 0) v;
  RETURN NULL;
END $$;--> statement-breakpoint
-- An attempt that is not completed moves nothing, however often it changes.
CREATE TRIGGER mark_quizzes_of_new AFTER INSERT ON quiz_attempts FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION mark_quizzes();--> statement-breakpoint
CREATE TRIGGER mark_quizzes_of_changed AFTER UPDATE ON quiz_attempts FOR EACH ROW
  WHEN (coalesce(NEW.completed_at, OLD.completed_at) IS NOT NULL
    AND (NEW.completed_at, NEW.score, NEW.max_score, NEW.passed, NEW.is_first, NEW.user_id, NEW.viewer_key)
      IS DISTINCT FROM (OLD.completed_at, OLD.score, OLD.max_score, OLD.passed, OLD.is_first, OLD.user_id, OLD.viewer_key))
  EXECUTE FUNCTION mark_quizzes();--> statement-breakpoint
CREATE TRIGGER mark_quizzes_of_gone AFTER DELETE ON quiz_attempts FOR EACH ROW WHEN (OLD.completed_at IS NOT NULL) EXECUTE FUNCTION mark_quizzes();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_new AFTER INSERT ON quiz_attempts FOR EACH ROW WHEN (NEW.is_first) EXECUTE FUNCTION mark_attention();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_changed AFTER UPDATE ON quiz_attempts FOR EACH ROW
  WHEN ((NEW.is_first, NEW.user_id, NEW.viewer_key) IS DISTINCT FROM (OLD.is_first, OLD.user_id, OLD.viewer_key))
  EXECUTE FUNCTION mark_attention();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON quiz_attempts FOR EACH ROW EXECUTE FUNCTION mark_attention();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_new AFTER INSERT ON quiz_answers FOR EACH ROW WHEN (NEW.correct) EXECUTE FUNCTION mark_attention_of_answer();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_new AFTER INSERT ON play_sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_changed AFTER UPDATE ON play_sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON play_sessions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_sessions();--> statement-breakpoint
CREATE TRIGGER mark_attention_of_gone AFTER DELETE ON play_spans REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION mark_attention_of_spans();--> statement-breakpoint
-- Everybody is new to these sums: they are counted after the next turns of the fold, and until then whoever asks counts them.
INSERT INTO quiz_marks (organization_id, person, user_id)
  SELECT DISTINCT organization_id, coalesce(user_id::text, viewer_key), user_id FROM quiz_attempts WHERE completed_at IS NOT NULL;--> statement-breakpoint
INSERT INTO quiz_attention_marks (video_id, person, organization_id)
  SELECT DISTINCT video_id, coalesce(user_id::text, viewer_key), organization_id FROM quiz_attempts WHERE is_first AND teaches(version_id);
