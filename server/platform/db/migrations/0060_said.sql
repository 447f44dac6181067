-- What is said in a video, so that it is found by its words.

-- A text as its words are compared: letters and digits without case and accents, each word behind a space. Where words are not parted by
-- spaces (Han, kana, Thai, Lao) each sign is one.
CREATE FUNCTION said_line(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT regexp_replace(
    regexp_replace(' ' || fold_text(given) COLLATE "pg_c_utf8", '([\u0E00-\u0EFF\u3040-\u30FF\u3400-\u9FFF])', ' \1 ', 'g'),
    '[^[:alnum:]\n]+', ' ', 'g');
END;

-- All cues of one language, each on a line of its own, so that the number of a line is that of its cue.
CREATE FUNCTION said_text(cues jsonb) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(said_line(string_agg(
    ' ' || translate(regexp_replace(regexp_replace(c.cue->>'text', '<[^>]*>', '', 'g'), '&(amp|lt|gt);', ' ', 'g'), E'\n', ' '),
    E'\n' ORDER BY c.n)), '')
  FROM jsonb_array_elements(cues) WITH ORDINALITY c (cue, n);
END;

-- Its different words. An index takes a megabyte of them; so many are in no speech, and what is behind them is not found.
CREATE FUNCTION said_words(said text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_to_tsvector(coalesce(array_agg(k.word), '{}'))
  FROM (
    SELECT d.word, sum(octet_length(d.word)) OVER (ORDER BY d.first, d.word) AS bytes
    FROM (
      SELECT left(w.word, 60) AS word, min(w.n) AS first
      FROM string_to_table(translate(said, E'\n', ''), ' ') WITH ORDINALITY w (word, n) WHERE w.word <> '' GROUP BY 1
    ) d
  ) k WHERE k.bytes < 900000;
END;

-- Every word begins one that is said; a single sign is a word by itself. Null where there is none.
CREATE FUNCTION said_query(given text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT string_agg(quote_literal(left(w.word, 60)) || CASE WHEN length(w.word) > 1 THEN ':*' ELSE '' END, ' & ')::tsquery
  FROM string_to_table(said_line(given), ' ') w (word) WHERE w.word <> '';
END;

-- Worked out by the database itself, so that whoever writes captions need not think of it. Descriptions tell what is seen, not what is said.
ALTER TABLE captions
  ADD COLUMN said text NOT NULL GENERATED ALWAYS AS (CASE kind WHEN 'descriptions' THEN '' ELSE said_text(cues) END) STORED,
  ADD COLUMN said_words tsvector NOT NULL
    GENERATED ALWAYS AS (said_words(CASE kind WHEN 'descriptions' THEN '' ELSE said_text(cues) END)) STORED;
CREATE INDEX captions_said ON captions USING gin (organization_id, said_words);
COMMENT ON INDEX captions_said IS 'videos in which something is said';

-- As with the other searches: behind row-level security an index serves only what cannot tell anything about a hidden row.
DO $$ BEGIN
  -- To compare them takes far longer than to compare two numbers: what is long lies elsewhere and is packed.
  ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF COST 100;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
