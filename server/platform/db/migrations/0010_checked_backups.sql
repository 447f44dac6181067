-- Backups name their installation, since several may have the same folder; and the plan also restores some of them to see whether they are
-- whole.
ALTER TABLE backup_plan
  ADD COLUMN installation uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN check_every text NOT NULL DEFAULT 'week',
  ADD COLUMN check_started_at timestamptz(3),
  ADD COLUMN check_ended_at timestamptz(3),
  -- Why the last one could not be made, which says nothing about the backup; null: it could.
  ADD COLUMN check_failure text,
  -- When one was last found to be whole, by whomever.
  ADD COLUMN checked_at timestamptz(3),
  -- What is wrong with the newest one that was checked; null: nothing.
  ADD COLUMN damage text,
  ADD CONSTRAINT backup_plan_check_every_word CHECK (check_every IN ('never', 'week', 'backup'));
