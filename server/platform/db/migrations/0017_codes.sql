-- A mailed code may also open what somebody owes, on one device.
ALTER TABLE flows DROP CONSTRAINT flows_purpose_word;
ALTER TABLE flows ADD CONSTRAINT flows_purpose_word CHECK (purpose IN (
  'reset_password', 'confirm_email', 'login', 'step_up', 'delete_account', 'second_step', 'enroll', 'passkey', 'reauthenticate',
  'own_data', 'own_training'));

-- Whom no mail reaches gets the link on a card that somebody hands over, with a PIN in place of the mailed code.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_channel_word;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_channel_word CHECK (channel IN ('email', 'card'));

CREATE TABLE cards (
  delivery_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  transmission_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Keyed, because a million PINs are quickly hashed.
  pin_hash bytea NOT NULL,
  -- Wrong ones in a row; a right one begins anew.
  tries_left integer NOT NULL DEFAULT 20,
  -- A card that was photographed does not open devices without end.
  devices_left integer NOT NULL DEFAULT 3,
  handed_by uuid NOT NULL,
  handed_by_name text NOT NULL,
  handed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT cards_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id)
);
CREATE INDEX cards_by_person ON cards (user_id);
SELECT add_tenant_policy('cards', 'organization_id');
