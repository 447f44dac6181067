-- Since when passing the questions counts; null: since the rest does. Whoever owes only what was changed of a video has passed before.
ALTER TABLE obligations ADD COLUMN answers_from timestamptz(3);
