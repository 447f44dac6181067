-- What an organization writes often, to begin a message with.
CREATE TABLE message_templates (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL REFERENCES organizations (id),
  name text NOT NULL,
  -- Empty: as is usual.
  subject text NOT NULL,
  message text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX message_templates_name ON message_templates (organization_id, lower(name));
SELECT add_tenant_policy('message_templates', 'organization_id');
