-- A transmission may go to people of an earlier one: whose mail failed, who have not watched it, who joined since.
ALTER TABLE transmissions
  ADD COLUMN follows_id uuid,
  ADD CONSTRAINT transmissions_follows FOREIGN KEY (organization_id, follows_id) REFERENCES transmissions (organization_id, id);
CREATE INDEX transmissions_by_followed ON transmissions (follows_id) WHERE follows_id IS NOT NULL;
