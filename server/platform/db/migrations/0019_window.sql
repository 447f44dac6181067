-- A draft is kept while it is written, before it names a video or the video has a version. Whatever goes on has both.
ALTER TABLE transmissions ALTER COLUMN video_id DROP NOT NULL;
ALTER TABLE transmissions ALTER COLUMN version_id DROP NOT NULL;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_video_named CHECK (
  state IN ('draft', 'cancelled') OR (video_id IS NOT NULL AND version_id IS NOT NULL));

-- Somebody has let it leave outside the hours of its organization, knowing that.
ALTER TABLE transmissions ADD COLUMN outside_window boolean NOT NULL DEFAULT false;

-- From when mails may leave, as of an instant: that instant within the hours of the organization, or where it has none; otherwise the
-- moment at which they begin next. The hours are those of a clock in its zone, so that they stay where they are when clocks change.
CREATE FUNCTION window_opens(hours jsonb, zone text, at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN hours IS NULL OR jsonb_typeof(hours) = 'null' THEN at ELSE (
    SELECT greatest(at, (d.day + (hours->>'from')::time) AT TIME ZONE zone)
    FROM (SELECT (at AT TIME ZONE zone)::date + n AS day FROM generate_series(0, 8) n) d
    WHERE hours->'days' @> to_jsonb(extract(isodow FROM d.day)::int) AND (d.day + (hours->>'to')::time) AT TIME ZONE zone > at
    ORDER BY d.day LIMIT 1) END
$$;
