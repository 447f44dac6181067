-- How the training matrix read at the end of a day. A cell says since when it has been as it is; what it was before is kept with its end.
ALTER TABLE training_cells ADD COLUMN since timestamptz(3) NOT NULL DEFAULT statement_timestamp();
-- Of what was before nothing is known.
ALTER TABLE organizations ADD COLUMN matrix_since timestamptz(3) NOT NULL DEFAULT now();

CREATE TABLE past_training_cells (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  video_id uuid NOT NULL,
  bits smallint NOT NULL,
  late_at timestamptz(3) NOT NULL,
  waived_until timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  since timestamptz(3) NOT NULL,
  until timestamptz(3) NOT NULL,
  CONSTRAINT past_training_cells_pk PRIMARY KEY (organization_id, user_id, video_id, until)
);
CREATE INDEX past_training_cells_until ON past_training_cells (organization_id, until);
SELECT add_tenant_policy('past_training_cells', 'organization_id');

-- What may be told of a single person where only completions are recorded: assigned, delivered and completed, as `trainingFacts` numbers them.
CREATE FUNCTION discreet_bits(bits smallint) RETURNS smallint LANGUAGE sql IMMUTABLE RETURN bits & 11::smallint;

-- In every zone a day ends at a quarter of an hour: what came and went between two of them was so at the end of no day. Of a time before
-- one in which only completions were recorded, no more than them is kept.
CREATE FUNCTION keep_past_cells() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO past_training_cells (organization_id, user_id, video_id, bits, late_at, waived_until, expires_at, since, until)
  SELECT c.organization_id, c.user_id, c.video_id,
    CASE WHEN c.since < (SELECT max(coalesce(p.ended_at, 'infinity')) FROM private_periods p WHERE p.organization_id = c.organization_id)
      THEN discreet_bits(c.bits) ELSE c.bits END,
    c.late_at, c.waived_until, c.expires_at, c.since, statement_timestamp()
  FROM old_rows c WHERE date_bin('15 minutes', statement_timestamp(), 'epoch') > c.since;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_past_update AFTER UPDATE ON training_cells
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_past_cells();
CREATE TRIGGER keep_past_delete AFTER DELETE ON training_cells
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_past_cells();
