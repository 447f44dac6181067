-- Who says that captions are right, and when; and the model that made them, as long as nobody has said so. Any other text makes it open
-- again.
ALTER TABLE captions
  ADD COLUMN proof_read_at timestamptz(3),
  ADD COLUMN proof_read_by uuid,
  ADD COLUMN recognised_with text;
