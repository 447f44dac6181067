-- What a report with the sign of a program brings counts only where an administrator decided that a person watched. By the id of the session and
-- without a reference to it: sessions are taken away and computed anew from the log.
CREATE TABLE viewing_decisions (
  session_id uuid CONSTRAINT viewing_decisions_pk PRIMARY KEY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  reason text NOT NULL DEFAULT '',
  decided_by uuid,
  decided_by_name text NOT NULL,
  decided_at timestamptz(3) NOT NULL DEFAULT now()
);
SELECT add_tenant_policy('viewing_decisions', 'organization_id');

ALTER TABLE play_spans DROP CONSTRAINT play_spans_refused_word;
ALTER TABLE play_spans ADD CONSTRAINT play_spans_refused_word
  CHECK (refused IN ('range', 'rate', 'mismatch', 'faster', 'hidden', 'concurrent', 'program'));
