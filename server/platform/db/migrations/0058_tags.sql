-- Tags of a video are found by the same search as its title and its description. `array_to_string` depends on settings for values that
-- print otherwise by them; words do not, so that this may stand in a column that is worked out. The column is made anew, because a server
-- before 17 cannot give it another expression.
CREATE FUNCTION tags_text(given text[]) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  AS $$ SELECT array_to_string(given, ' ') $$;
ALTER TABLE videos DROP COLUMN search;
ALTER TABLE videos ADD COLUMN search text GENERATED ALWAYS AS
  (fold_text(title || ' ' || coalesce(description, '') || ' ' || tags_text(tags))) STORED;
CREATE INDEX videos_search ON videos USING gin (organization_id, search gin_trgm_ops);
CREATE INDEX videos_beginning ON videos (organization_id, left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;
CREATE INDEX videos_beginning_anywhere ON videos (left(search, 100) text_pattern_ops) WHERE deleted_at IS NULL;

-- A tag is given to many videos at once, and taken from them.
ALTER TABLE operations DROP CONSTRAINT operations_kind_word;
ALTER TABLE operations ADD CONSTRAINT operations_kind_word CHECK (kind IN (
  'users.import', 'users.change', 'users.remove', 'users.add_to_group', 'users.remove_from_group', 'users.invite', 'groups.remove',
  'waivers.remove', 'waivers.give', 'waivers.end', 'organizations.change', 'organizations.remove', 'videos.change', 'videos.move',
  'videos.tag', 'videos.untag', 'videos.remove', 'transmissions.cancel', 'barred_addresses.lift'));
