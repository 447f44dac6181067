-- The questions in a video: a draft that may change at any time, and published versions that never do.
CREATE TABLE quizzes (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  video_id uuid NOT NULL CONSTRAINT "quizzes_videoId_unique" UNIQUE,
  draft jsonb NOT NULL,
  -- The version that people are asked now; null while none is, and after it was withdrawn.
  current_version_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Who saved the draft last.
  updated_by uuid,
  CONSTRAINT quizzes_tenant UNIQUE (organization_id, id),
  CONSTRAINT quizzes_video FOREIGN KEY (organization_id, video_id) REFERENCES videos (organization_id, id)
);
SELECT add_tenant_policy('quizzes', 'organization_id');

-- Immutable.
CREATE TABLE quiz_versions (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  number integer NOT NULL,
  settings jsonb NOT NULL,
  max_score double precision NOT NULL,
  published_at timestamptz(3) NOT NULL DEFAULT now(),
  published_by uuid,
  CONSTRAINT quiz_versions_number UNIQUE (quiz_id, number),
  CONSTRAINT quiz_versions_tenant UNIQUE (organization_id, id),
  CONSTRAINT quiz_versions_quiz FOREIGN KEY (organization_id, quiz_id) REFERENCES quizzes (organization_id, id)
);
SELECT add_tenant_policy('quiz_versions', 'organization_id');

-- One question of one version. `key` is the same in every version; `id` is what answers refer to.
CREATE TABLE quiz_items (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  version_id uuid NOT NULL,
  key uuid NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  -- Media milliseconds at which it is asked; null: at the end.
  at_ms integer,
  -- The video is completed only when this has been answered.
  gate boolean NOT NULL DEFAULT false,
  points double precision NOT NULL,
  -- The question as `QuizQuestion`, its key included: never leaves the server whole.
  question jsonb NOT NULL,
  teaches_from_ms integer,
  teaches_to_ms integer,
  CONSTRAINT quiz_items_key UNIQUE (version_id, key),
  CONSTRAINT quiz_items_version FOREIGN KEY (organization_id, version_id) REFERENCES quiz_versions (organization_id, id),
  CONSTRAINT quiz_items_kind_word CHECK (kind IN ('single', 'multiple', 'true_false', 'number', 'text'))
);
SELECT add_tenant_policy('quiz_items', 'organization_id');

CREATE TABLE quiz_attempts (
  id uuid PRIMARY KEY DEFAULT uuidv7(),
  organization_id uuid NOT NULL,
  quiz_id uuid NOT NULL,
  version_id uuid NOT NULL,
  video_id uuid NOT NULL,
  -- As in `play_sessions`.
  viewer_key text NOT NULL,
  user_id uuid,
  transmission_id uuid,
  delivery_id uuid,
  session_id uuid NOT NULL,
  -- From 1 for each viewer and quiz.
  number integer NOT NULL,
  -- Decides the order in which questions and options are shown.
  seed integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  completed_at timestamptz(3),
  -- Sum of the scores of its answers; final when completed.
  score double precision NOT NULL DEFAULT 0,
  max_score double precision NOT NULL,
  passed boolean,
  -- The first that its person completed with this version: what statistics are made of.
  is_first boolean NOT NULL DEFAULT false,
  -- Milliseconds for which its questions were in sight, all tries.
  took_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT quiz_attempts_number UNIQUE (quiz_id, viewer_key, number)
);
CREATE INDEX quiz_attempts_by_version ON quiz_attempts (version_id, completed_at);
CREATE UNIQUE INDEX quiz_attempts_first ON quiz_attempts (version_id, coalesce(user_id::text, viewer_key)) WHERE is_first;
CREATE INDEX quiz_attempts_by_nobody ON quiz_attempts (organization_id, viewer_key) WHERE user_id IS NULL;
CREATE INDEX quiz_attempts_by_whom ON quiz_attempts (organization_id, user_id, video_id);
CREATE INDEX quiz_attempts_by_delivery ON quiz_attempts (transmission_id, delivery_id);
SELECT add_tenant_policy('quiz_attempts', 'organization_id');

-- What was answered, as it was given and as it was graded; nothing here is ever changed.
CREATE TABLE quiz_answers (
  attempt_id uuid NOT NULL,
  item_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  -- From 1; a question in the video may be tried again after its part was watched again. The first one counts.
  try integer NOT NULL DEFAULT 1,
  answer jsonb NOT NULL,
  score double precision NOT NULL,
  correct boolean NOT NULL,
  answered_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Milliseconds for which the question was in sight.
  took_ms integer NOT NULL DEFAULT 0,
  CONSTRAINT quiz_answers_attempt_id_item_id_try_pk PRIMARY KEY (attempt_id, item_id, try),
  CONSTRAINT quiz_answers_attempt_id_quiz_attempts_id_fk FOREIGN KEY (attempt_id) REFERENCES quiz_attempts (id) ON DELETE CASCADE
);
CREATE INDEX quiz_answers_by_item ON quiz_answers (item_id);
SELECT add_tenant_policy('quiz_answers', 'organization_id');

-- Worked out by `server/quizzes/item-figures.ts` from the first completed attempt of each person: x is the score of the question, t that
-- of the whole attempt.
CREATE TABLE quiz_item_stats (
  item_id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version_id uuid NOT NULL,
  n integer NOT NULL,
  sum_x double precision NOT NULL,
  sum_xx double precision NOT NULL,
  sum_t double precision NOT NULL,
  sum_tt double precision NOT NULL,
  sum_xt double precision NOT NULL,
  -- Option id, or the answer in a short form, to how often it was chosen and the rest score of those who chose it.
  options jsonb NOT NULL,
  -- x, t, and how many people have both.
  marks jsonb NOT NULL,
  -- For how long the question was in sight.
  median_ms double precision
);
CREATE INDEX quiz_item_stats_by_version ON quiz_item_stats (version_id);
SELECT add_tenant_policy('quiz_item_stats', 'organization_id');
