-- A mailed code may also open what somebody owes, on one device.
ALTER TABLE flows DROP CONSTRAINT flows_purpose_word;
ALTER TABLE flows ADD CONSTRAINT flows_purpose_word CHECK (purpose IN (
  'reset_password', 'confirm_email', 'login', 'step_up', 'delete_account', 'second_step', 'enroll', 'passkey', 'reauthenticate',
  'own_data', 'own_training'));
