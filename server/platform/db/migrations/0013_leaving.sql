-- When a transmission is to leave; null: as soon as it is let go. `scheduled_at` stays the instant from which it is worked on.
ALTER TABLE transmissions ADD COLUMN leaves_at timestamptz(3);
