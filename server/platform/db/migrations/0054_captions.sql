-- What is said in a video, as text that stands beside it: one of each language and kind for each version. The rows of a version stay when
-- another takes its place, as the version itself does.
CREATE TABLE captions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL,
  version_id uuid NOT NULL,
  -- A tag such as `de` or `pt-BR`.
  language text NOT NULL,
  kind text NOT NULL,
  -- Shown to whoever has chosen nothing yet.
  is_default boolean NOT NULL DEFAULT false,
  -- The file that they came from, and the number of the version that it was made for.
  format text NOT NULL,
  file_name text,
  made_for integer NOT NULL,
  -- Styles and regions of the file, as they stand before the first cue of a VTT.
  head text NOT NULL DEFAULT '',
  -- In order: {"id", "startMs", "endMs", "settings", "text"}.
  cues jsonb NOT NULL,
  cue_count integer NOT NULL,
  -- Cues of a former version that hold no more, at their times in that one.
  former jsonb NOT NULL DEFAULT '[]',
  -- Made of what is shown: the address of the file that players fetch and keep.
  revision text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT captions_one UNIQUE (version_id, language, kind),
  CONSTRAINT captions_version FOREIGN KEY (organization_id, version_id) REFERENCES video_versions (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT captions_kind_word CHECK (kind IN ('captions', 'subtitles', 'descriptions')),
  CONSTRAINT captions_format_word CHECK (format IN ('vtt', 'srt'))
);
SELECT add_tenant_policy('captions', 'organization_id');
CREATE UNIQUE INDEX captions_default ON captions (version_id) WHERE is_default;
CREATE INDEX captions_video ON captions (video_id);
