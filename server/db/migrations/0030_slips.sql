-- What a word has in common with itself after one slip: its first six letters, and these with one letter less. Two words that are one
-- letter apart (left out, added, another one, two of them swapped) share such a key, so that an index finds what is one slip away as
-- quickly as the word itself. Words of fewer letters or with digits are not corrected; domains of mail addresses say nothing.
CREATE FUNCTION slip_keys(given text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(array_agg(DISTINCT key), '{}')
  FROM (
    SELECT left(one, 6) AS word FROM regexp_split_to_table(regexp_replace(given, '@\S*', ' ', 'g'), '[^[:alpha:]]+') one
    WHERE length(one) > 3 LIMIT 12
  ) w,
  LATERAL (
    SELECT word AS key UNION ALL SELECT overlay(word placing '' FROM at FOR 1) FROM generate_series(1, length(word)) at
  ) k;
END;
--> statement-breakpoint
-- As in 0003: behind row-level security an index serves only what cannot tell anything about a hidden row.
DO $$ BEGIN
  ALTER FUNCTION slip_keys(text) LEAKPROOF;
  ALTER FUNCTION pg_catalog.arrayoverlap(anyarray, anyarray) LEAKPROOF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$;
--> statement-breakpoint
CREATE INDEX "videos_slips" ON "videos" USING gin ("organization_id",slip_keys(fold_text("title")));--> statement-breakpoint
CREATE INDEX "groups_slips" ON "groups" USING gin ("organization_id",slip_keys(fold_text("name")));--> statement-breakpoint
CREATE INDEX "organizations_slips" ON "organizations" USING gin (slip_keys(fold_text("name")));--> statement-breakpoint
CREATE INDEX "users_slips" ON "users" USING gin ("organization_id",slip_keys("search"));--> statement-breakpoint
CREATE INDEX "transmissions_slips" ON "transmissions" USING gin ("organization_id",slip_keys(fold_text("subject")));