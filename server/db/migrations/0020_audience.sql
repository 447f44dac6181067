CREATE TABLE "audience_days" (
	"version_id" uuid NOT NULL,
	"day" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"video_id" uuid NOT NULL,
	"impressions" bigint DEFAULT 0 NOT NULL,
	"plays" bigint DEFAULT 0 NOT NULL,
	"seen_plays" bigint DEFAULT 0 NOT NULL,
	"watch_ms" bigint DEFAULT 0 NOT NULL,
	"wall_ms" bigint DEFAULT 0 NOT NULL,
	"covered_ms" bigint DEFAULT 0 NOT NULL,
	"quarter" bigint DEFAULT 0 NOT NULL,
	"half" bigint DEFAULT 0 NOT NULL,
	"three_quarters" bigint DEFAULT 0 NOT NULL,
	"whole" bigint DEFAULT 0 NOT NULL,
	"viewers" bigint DEFAULT 0 NOT NULL,
	"named" bigint DEFAULT 0 NOT NULL,
	"seeing" bigint DEFAULT 0 NOT NULL,
	"seeing_viewers" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "audience_days_version_id_day_pk" PRIMARY KEY("version_id","day")
);
--> statement-breakpoint
ALTER TABLE "video_heat_days" ADD COLUMN "seek_in" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "video_heat_days" ADD COLUMN "seek_out" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "video_heat_days" ADD COLUMN "pauses" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "video_heat_days" ADD COLUMN "exits" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "viewer_videos" ADD COLUMN "played_on" text;--> statement-breakpoint
CREATE INDEX "viewer_videos_completed_on" ON "viewer_videos" USING btree ("version_id","played_on","organization_id") WHERE completed_at is not null;
--> statement-breakpoint
-- Rows that change with every fold find room on their own page.
ALTER TABLE "video_heat" SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE "video_heat_days" SET (fillfactor = 80);
--> statement-breakpoint
SELECT raise_wall('audience_days'::regclass, 'organization_id');
--> statement-breakpoint
-- What the fold keeps from now on, computed once from the sessions that are stored. Flags: 65536 impressed, 131072 played, 2097152 a program.
CREATE TEMP TABLE sittings ON COMMIT DROP AS
SELECT id, version_id, organization_id, video_id, viewer_key, user_id, to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
  flags & 65536 <> 0 AS seen, flags & 131072 <> 0 AS played, watch_ms, wall_ms, coverage, position, duration_ms,
  greatest(0, ceil(duration_ms / 1000.0)::int - 1) AS last_second,
  least(greatest(0, ceil((duration_ms - 500) / 1000.0)::int - 1) * 1000 + 500, duration_ms - 1) AS last_instant
FROM play_sessions WHERE flags & 2097152 = 0;
--> statement-breakpoint
INSERT INTO audience_days (version_id, day, organization_id, video_id, impressions, plays, seen_plays, watch_ms, wall_ms, covered_ms,
  quarter, half, three_quarters, whole)
SELECT version_id, day, organization_id, video_id, count(*) FILTER (WHERE seen), count(*) FILTER (WHERE played),
  count(*) FILTER (WHERE seen AND played), sum(watch_ms), sum(wall_ms),
  coalesce(sum((SELECT sum(upper(r) - lower(r)) FROM unnest(coverage) r)) FILTER (WHERE played), 0),
  count(*) FILTER (WHERE played AND coverage @> duration_ms / 4), count(*) FILTER (WHERE played AND coverage @> duration_ms / 2),
  count(*) FILTER (WHERE played AND coverage @> (duration_ms * 3::bigint / 4)::int),
  count(*) FILTER (WHERE played AND coverage @> last_instant)
FROM sittings GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
INSERT INTO audience_days (version_id, day, organization_id, video_id, viewers, named, seeing, seeing_viewers)
SELECT version_id, day, organization_id, video_id, sum(viewers), sum(named), sum(seeing), sum(seeing_and_playing) FROM (
  SELECT version_id, max(day) AS day, organization_id, video_id, viewer_key, 1 AS viewers, (max(user_id::text) IS NOT NULL)::int AS named,
    0 AS seeing, 0 AS seeing_and_playing FROM sittings WHERE played GROUP BY 1, 3, 4, 5
  UNION ALL SELECT version_id, max(day), organization_id, video_id, viewer_key, 0, 0, 1, 0 FROM sittings WHERE seen GROUP BY 1, 3, 4, 5
  UNION ALL SELECT version_id, max(day), organization_id, video_id, viewer_key, 0, 0, 0, 1 FROM sittings WHERE seen AND played GROUP BY 1, 3, 4, 5
) last GROUP BY 1, 2, 3, 4
ON CONFLICT (version_id, day) DO UPDATE SET viewers = excluded.viewers, named = excluded.named, seeing = excluded.seeing,
  seeing_viewers = excluded.seeing_viewers;
--> statement-breakpoint
UPDATE viewer_videos v SET played_on = s.day
FROM (SELECT version_id, viewer_key, max(day) AS day FROM sittings WHERE played GROUP BY 1, 2) s
WHERE v.version_id = s.version_id AND v.viewer_key = s.viewer_key;
--> statement-breakpoint
INSERT INTO video_heat_days (version_id, day, sec, organization_id, video_id, seek_in, seek_out, pauses, exits)
SELECT version_id, day, least(last_second, greatest(0, floor(ms / 1000)))::int, organization_id, video_id,
  sum((what = 'in')::int), sum((what = 'out')::int), sum((what = 'pause')::int), sum((what = 'exit')::int)
FROM (
  SELECT s.*, 'exit' AS what, position::float8 AS ms FROM sittings s WHERE played
  UNION ALL SELECT s.*, 'pause', e.position_ms FROM sittings s JOIN play_events e ON e.session_id = s.id WHERE e.type = 'pause'
  UNION ALL SELECT s.*, 'in', (e.data->>'to')::float8 FROM sittings s JOIN play_events e ON e.session_id = s.id
    WHERE e.type = 'seek' AND jsonb_typeof(e.data->'to') = 'number'
  UNION ALL SELECT s.*, 'out', (e.data->>'from')::float8 FROM sittings s JOIN play_events e ON e.session_id = s.id
    WHERE e.type = 'seek' AND jsonb_typeof(e.data->'from') = 'number'
) counted GROUP BY 1, 2, 3, 4, 5
ON CONFLICT (version_id, day, sec) DO UPDATE SET seek_in = excluded.seek_in, seek_out = excluded.seek_out, pauses = excluded.pauses,
  exits = excluded.exits;
--> statement-breakpoint
DROP TABLE sittings;
