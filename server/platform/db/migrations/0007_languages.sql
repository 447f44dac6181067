-- In which language a person is spoken to: in their own, else in that of their organization.
ALTER TABLE users RENAME COLUMN locale TO language;
ALTER TABLE users ADD CONSTRAINT users_language_word CHECK (language IN ('en', 'de'));
ALTER TABLE organizations ADD COLUMN language text NOT NULL DEFAULT 'en';
ALTER TABLE organizations ADD CONSTRAINT organizations_language_word CHECK (language IN ('en', 'de'));
