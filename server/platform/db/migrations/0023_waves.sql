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
  'time_passed', 'restored', 'video_not_ready', 'video_failed', 'video_removed', 'sender_unverified', 'webhook_missing'));

-- The zone of whoever is somewhere else than their organization (IANA); null: that of the organization.
ALTER TABLE users ADD COLUMN time_zone text;
CREATE INDEX users_elsewhere ON users (organization_id, time_zone) WHERE time_zone IS NOT NULL;

-- A zone as far as the database knows it, else another one: a name that only the program knows stops no transmission.
CREATE FUNCTION known_zone(zone text, usual text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF zone IS NULL THEN RETURN usual; END IF;
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN usual;
END $$;

-- The instant of an hour on a clock there: of one that exists twice the first, of one that is left out the moment as long after it.
CREATE FUNCTION clock_instant(clock timestamp, zone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT least(clock AT TIME ZONE zone, (clock - interval '1 hour') AT TIME ZONE zone + interval '1 hour')
$$;

-- An hour that is meant on the clock of each recipient; null: `leaves_at` is the same instant for all.
ALTER TABLE transmissions ADD COLUMN leaves_clock timestamp;
-- Zones of its recipients, but for that of the organization.
ALTER TABLE transmissions ADD COLUMN zones text[] NOT NULL DEFAULT '{}';
-- As it was when the list of recipients was made; null: that of the organization.
ALTER TABLE deliveries ADD COLUMN time_zone text;
