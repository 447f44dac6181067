-- From when the months of a validity count: from the day on which it was done, or from the end of the last time.
UPDATE assignments SET validity = validity || '{"from": "done"}' WHERE validity IS NOT NULL;

-- The day of the month on which the validity ends, where a month has it; so one that ended on 28 February can end on 31 March.
ALTER TABLE obligations ADD COLUMN valid_day smallint;

-- Further assignments of the same video whose days the message names, as [{"assignmentId", "dueAt"}].
ALTER TABLE transmissions ADD COLUMN also jsonb NOT NULL DEFAULT '[]';

-- The end of a validity in the zone: the last millisecond of the day that lies so many months after another one, on this day of the month.
CREATE FUNCTION valid_end(after date, months integer, day_of_month integer, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT (m.first + least(day_of_month, extract(day FROM m.first + interval '1 month' - interval '1 day')::int) * interval '1 day')
    AT TIME ZONE zone - interval '1 millisecond'
  FROM (SELECT date_trunc('month', after::timestamp) + make_interval(months => months) AS first) m
$$;
