-- Whoever is in the audience is obliged once they have done this one; null: at once. Rings are refused under the lock of its organization.
ALTER TABLE assignments
  ADD COLUMN waits_for uuid,
  ADD CONSTRAINT assignments_waits_for FOREIGN KEY (organization_id, waits_for) REFERENCES assignments (organization_id, id),
  ADD CONSTRAINT assignments_not_for_itself CHECK (waits_for <> id);
CREATE INDEX assignments_waiting ON assignments (waits_for) WHERE waits_for IS NOT NULL;
