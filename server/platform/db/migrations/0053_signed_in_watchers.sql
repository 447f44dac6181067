-- By what the recipient had signed in before they watched, where the organization asks for that: words of RFC 8176 with spaces between them.
-- Null: the personal link alone was enough.
ALTER TABLE play_sessions ADD COLUMN signed_in_by text;
