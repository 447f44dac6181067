-- In waves: first a small share of its people, then a pause, then the others. Null: all at once.
ALTER TABLE transmissions ADD COLUMN waves jsonb;

-- With which wave it was let go; null: with none yet (then `due_at` is infinity), or its transmission has none.
ALTER TABLE deliveries ADD COLUMN wave integer;
CREATE INDEX deliveries_by_wave ON deliveries (transmission_id, wave, state) WHERE wave IS NOT NULL;

-- The waves that were let go. The ledger says who belongs to one.
CREATE TABLE transmission_waves (
  transmission_id uuid NOT NULL,
  number integer NOT NULL,
  organization_id uuid NOT NULL,
  -- How many it is to have, and how many of them were let go: fewer only while it grows, piece by piece.
  size integer NOT NULL,
  people integer NOT NULL DEFAULT 0,
  begun_at timestamptz(3) NOT NULL DEFAULT now(),
  -- When the next one may begin; null: mails of this one have not left yet.
  next_at timestamptz(3),
  -- Too many of it did not arrive, for which the transmission was paused: whoever resumes it knows that.
  is_troubled boolean NOT NULL DEFAULT false,
  PRIMARY KEY (transmission_id, number),
  CONSTRAINT transmission_waves_transmission FOREIGN KEY (organization_id, transmission_id) REFERENCES transmissions (organization_id, id)
);
SELECT add_tenant_policy('transmission_waves', 'organization_id');

ALTER TABLE transmissions DROP CONSTRAINT transmissions_state_reason_word;
ALTER TABLE transmissions ADD CONSTRAINT transmissions_state_reason_word CHECK (state_reason IN (
  'no_recipients', 'many_rejected', 'many_returned', 'wave_troubled', 'organization_closed', 'audience_grown', 'audience_changed',
  'time_passed', 'restored', 'video_not_ready', 'video_failed', 'video_removed', 'sender_unverified'));
