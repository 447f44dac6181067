-- The chapters of a version, as one list that is saved as a whole: [{startMs, title, toCheck}], in the order of their times. A version
-- without a row has none. `toCheck`: carried over from the version before, and what plays there may be something else.
CREATE TABLE video_chapters (
  version_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  chapters jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT video_chapters_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id) ON DELETE CASCADE
);
SELECT add_tenant_policy('video_chapters', 'organization_id');

-- Posters that somebody has chosen for a version, newest first, with the one that its conversion has made at the end:
-- [{id, kind, atMs, at, poster, posterSmall}]. Empty while nobody has chosen; which one is shown say `poster` and `poster_small`.
ALTER TABLE video_versions ADD COLUMN posters jsonb NOT NULL DEFAULT '[]';
