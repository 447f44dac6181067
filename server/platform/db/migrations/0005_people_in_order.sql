-- The indexes of people, with what asks for them. Fewer are smaller and quicker to write.

-- What the list is sorted by and what a search begins with: the name, in the order of its letters without their accents, in every
-- installation alike. A column of its own, because an index answers without the rows only for columns; as long as an entry may be.
DROP INDEX users_by_name, users_beginning, users_beginning_anywhere, users_search, users_removed, users_removed_external_id;
ALTER TABLE users ADD COLUMN called text COLLATE "C" GENERATED ALWAYS AS (left(fold_text(name), 100)) STORED;

-- Pages of the list of people by name, however deep (server/directory/users/queries.ts), and whose name begins as somebody types
-- (server/search/find.ts).
CREATE INDEX users_by_name ON users (organization_id, called, id) WHERE deleted_at IS NULL;
-- The same over all organizations, for a superadmin's search.
CREATE INDEX users_by_name_anywhere ON users (called) WHERE deleted_at IS NULL;
-- Words of three letters and more, alone and with a state: the list of people, the search, slips of one or two words.
CREATE INDEX users_search ON users USING gin (organization_id, state, search gin_trgm_ops);
-- Who was removed: whether a number was theirs (server/imports/stored.ts), and whose details are to be taken away
-- (server/directory/users/erase.ts).
CREATE INDEX users_removed ON users (organization_id, external_id) WHERE deleted_at IS NOT NULL;

COMMENT ON INDEX users_tenant IS 'keys of other tables that name a person with their organization';
COMMENT ON INDEX users_email_in_organization IS 'an address is there once; the list by address';
COMMENT ON INDEX users_email_of_account IS 'signing in';
COMMENT ON INDEX users_external_id IS 'a number of the organization is there once; the import';
COMMENT ON INDEX users_newest IS 'the list by creation, the days of creation, and a search that many agree with';
COMMENT ON INDEX users_by_last_seen IS 'the list by the last visit';
COMMENT ON INDEX users_by_state IS 'how many are in a state, without their rows';
COMMENT ON INDEX users_with_role IS 'administrators of an organization: the list by role, notices, approvals';
COMMENT ON INDEX users_avatar IS 'whose picture a file is';
COMMENT ON INDEX users_custom_fields IS 'the list by a field of the organization';
COMMENT ON INDEX users_slips IS 'names with a slip (server/platform/db/similar.ts)';
