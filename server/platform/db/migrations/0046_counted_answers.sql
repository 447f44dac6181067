-- Results tell who got a question right, what was chosen, and whether its key may be wrong. Nothing reads sums of squares, medians of times
-- and the rest score of each answer any more.
ALTER TABLE quiz_item_stats
  DROP COLUMN sum_x,
  DROP COLUMN sum_xx,
  DROP COLUMN sum_t,
  DROP COLUMN sum_tt,
  DROP COLUMN sum_xt,
  DROP COLUMN median_ms;

-- Each option, or answer in a short form, keeps only how often it was chosen.
UPDATE quiz_item_stats s SET options = (SELECT coalesce(jsonb_object_agg(o.key, o.value -> 'n'), '{}') FROM jsonb_each(s.options) o);
