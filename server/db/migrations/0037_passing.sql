-- Whether the questions of a video have to be passed: where a pass mark is set, unless their author says otherwise.
UPDATE quizzes SET draft = jsonb_set(draft, '{settings,passRequired}', 'true');--> statement-breakpoint
UPDATE quiz_versions SET settings = settings || '{"passRequired": true}';--> statement-breakpoint
-- Until now everybody had completed a video who had watched it while its questions had to be passed.
CREATE TEMPORARY TABLE tested ON COMMIT DROP AS
  SELECT q.id AS quiz_id, q.video_id, (SELECT min(f.published_at) FROM quiz_versions f WHERE f.quiz_id = q.id) AS since
  FROM quizzes q JOIN quiz_versions n ON n.id = q.current_version_id JOIN organizations o ON o.id = q.organization_id
  WHERE (n.settings ->> 'passMark')::float8 > 0 AND o.policies ->> 'trackingMode' IS DISTINCT FROM 'completed_only';--> statement-breakpoint
UPDATE viewer_videos w SET completed_at = NULL FROM tested t
  WHERE w.video_id = t.video_id AND w.completed_at >= t.since AND NOT EXISTS (SELECT FROM quiz_attempts a
    WHERE a.quiz_id = t.quiz_id AND a.passed AND coalesce(a.user_id::text, a.viewer_key) = coalesce(w.user_id::text, w.viewer_key));--> statement-breakpoint
UPDATE delivery_viewing w SET completed_at = NULL FROM tested t, transmissions m, deliveries d
  WHERE m.video_id = t.video_id AND m.id = w.transmission_id AND d.transmission_id = w.transmission_id AND d.id = w.delivery_id
    AND w.completed_at >= t.since AND NOT EXISTS (SELECT FROM quiz_attempts a
    WHERE a.quiz_id = t.quiz_id AND a.passed AND a.user_id = d.user_id);
--> statement-breakpoint
-- What a report calls active, in the console or in a video, is no longer called seen.
UPDATE report_schedules SET view = view || jsonb_build_object('sort', replace(view ->> 'sort', 'lastSeenAt', 'lastActiveAt'))
  WHERE view ->> 'sort' LIKE '%lastSeenAt';
