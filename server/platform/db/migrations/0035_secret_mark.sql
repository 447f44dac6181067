-- By which a process knows whether its secret is the one of this database: a keyed hash, of which nobody learns the secret. One row; none
-- before the first start that writes it.
CREATE TABLE secret_mark (
  id boolean PRIMARY KEY DEFAULT true,
  mark text NOT NULL,
  -- Since when the secret is this one, as far as that is known.
  since timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT secret_mark_one CHECK (id)
);
-- For the system alone.
ALTER TABLE secret_mark ENABLE ROW LEVEL SECURITY;
CREATE POLICY system ON secret_mark USING ((SELECT app_system()));
