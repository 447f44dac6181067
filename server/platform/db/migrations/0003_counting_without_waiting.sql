-- Counters are changed by appending what comes and goes, so that nobody waits for another who creates something in the same organization
-- or group. The worker adds it up; whoever reads adds what is still here (server/directory/organizations/counts.ts).
CREATE TABLE count_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- The organization or the group.
  subject uuid NOT NULL,
  -- The column that counts.
  counted text NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT count_changes_counted_word CHECK (counted IN ('user_count', 'group_count', 'video_count', 'member_count'))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE INDEX count_changes_of_subject ON count_changes (subject, counted);
SELECT add_tenant_policy('count_changes', 'organization_id');

CREATE OR REPLACE FUNCTION count_in_organization() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO count_changes (organization_id, subject, counted, n)
    SELECT organization_id, organization_id, TG_ARGV[0], count(*) FROM new_rows
    WHERE deleted_at IS NULL AND organization_id IS NOT NULL GROUP BY organization_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO count_changes (organization_id, subject, counted, n)
    SELECT organization_id, organization_id, TG_ARGV[0], sum(d.n) FROM (
      SELECT organization_id, 1 AS n FROM new_rows WHERE deleted_at IS NULL
      UNION ALL SELECT organization_id, -1 FROM old_rows WHERE deleted_at IS NULL) d
    WHERE organization_id IS NOT NULL GROUP BY organization_id HAVING sum(d.n) <> 0;
  ELSE
    INSERT INTO count_changes (organization_id, subject, counted, n)
    SELECT organization_id, organization_id, TG_ARGV[0], -count(*) FROM old_rows
    WHERE deleted_at IS NULL AND organization_id IS NOT NULL GROUP BY organization_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO count_changes (organization_id, subject, counted, n)
    SELECT organization_id, group_id, 'member_count', count(*) FROM new_rows GROUP BY organization_id, group_id;
  ELSE
    INSERT INTO count_changes (organization_id, subject, counted, n)
    SELECT organization_id, group_id, 'member_count', -count(*) FROM old_rows GROUP BY organization_id, group_id;
  END IF;
  RETURN NULL;
END $$;
