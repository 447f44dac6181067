-- How an organization looks to the people whom it sends something: beside its logo one colour, from which the bands and buttons of its mails
-- and pages are made (contract/directory/brand.ts).
ALTER TABLE organizations ADD COLUMN accent_color text
  CONSTRAINT organizations_accent_color_form CHECK (accent_color ~ '^#[0-9a-f]{6}$');

-- Under which name a mail leaves; without one under that of the installation.
ALTER TABLE mails ADD COLUMN sender_name text;
