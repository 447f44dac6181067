CREATE TABLE "quiz_item_marks" (
	"item_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"x" double precision NOT NULL,
	"t" double precision NOT NULL,
	"n" integer NOT NULL,
	CONSTRAINT "quiz_item_marks_item_id_x_t_pk" PRIMARY KEY("item_id","x","t")
);
--> statement-breakpoint
CREATE TABLE "quiz_item_times" (
	"item_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"tenths" integer NOT NULL,
	"n" integer NOT NULL,
	CONSTRAINT "quiz_item_times_item_id_tenths_pk" PRIMARY KEY("item_id","tenths")
);
--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "is_first" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "quiz_attempts" ADD COLUMN "took_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "quizzes" ADD COLUMN "updated_by" uuid;--> statement-breakpoint
CREATE UNIQUE INDEX "quiz_attempts_first" ON "quiz_attempts" USING btree ("version_id",coalesce(user_id::text, viewer_key)) WHERE is_first;--> statement-breakpoint
SELECT raise_wall(name::regclass, 'organization_id') FROM unnest(ARRAY['quiz_item_marks', 'quiz_item_times']) name;--> statement-breakpoint
UPDATE quiz_attempts a SET took_ms = w.took
FROM (SELECT attempt_id, sum(took_ms) AS took FROM quiz_answers GROUP BY 1) w WHERE w.attempt_id = a.id;--> statement-breakpoint
UPDATE quiz_attempts SET is_first = true
WHERE id IN (SELECT DISTINCT ON (version_id, coalesce(user_id::text, viewer_key)) id FROM quiz_attempts
  WHERE completed_at IS NOT NULL ORDER BY version_id, coalesce(user_id::text, viewer_key), completed_at, id);--> statement-breakpoint
INSERT INTO quiz_item_marks (item_id, organization_id, x, t, n)
SELECT i.id, a.organization_id, coalesce(w.score, 0), a.score, count(*)
FROM quiz_attempts a JOIN quiz_items i ON i.version_id = a.version_id
LEFT JOIN quiz_answers w ON w.attempt_id = a.id AND w.item_id = i.id AND w.try = 1
WHERE a.is_first GROUP BY 1, 2, 3, 4;--> statement-breakpoint
INSERT INTO quiz_item_times (item_id, organization_id, tenths, n)
SELECT w.item_id, a.organization_id, round(w.took_ms / 100.0), count(*)
FROM quiz_attempts a JOIN quiz_answers w ON w.attempt_id = a.id AND w.try = 1
WHERE a.is_first GROUP BY 1, 2, 3;
