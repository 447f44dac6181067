-- Attempts that count for nothing: of previews, and of programs. In the database, because the next request of the same page may reach another
-- process. By the session of the page and without a reference to anything: nothing reads them but the page, and a day later they are gone.
CREATE TABLE quiz_trials (
  organization_id uuid NOT NULL,
  session_id uuid NOT NULL,
  run jsonb NOT NULL,
  changed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT quiz_trials_pk PRIMARY KEY (organization_id, session_id)
);
SELECT add_tenant_policy('quiz_trials', 'organization_id');
-- Which of an organization are the newest.
CREATE INDEX quiz_trials_newest ON quiz_trials (organization_id, changed_at);
