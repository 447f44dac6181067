import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { QuizDraft, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import type { VideoDetail } from '#contract/videos/videos.ts'
import { PlayerStage } from '../content/PlayerStage.tsx'
import columns from '#web/ui/table/columns.module.css'
import type { Editor } from './editor.ts'
import { usePosition, type Playhead } from './playhead.ts'
import { formatPosition } from './position.ts'
import { Shape } from './Shape.tsx'
import { Timeline } from './Timeline.tsx'
import classes from './Stage.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  video: VideoDetail
  draft: QuizDraft
  editor: Editor
  playhead: Playhead
  chosen: string | null
  onChoose: (key: string) => void
  onRemove: (question: QuizQuestion) => void
  onAdd: () => void
}

/** The video with its time line, and the way to a new question at the present moment. */
export function Stage({ video, onAdd, ...props }: Props) {
  const { playback, durationMs } = video
  const { playhead, draft } = props
  if (!playback || durationMs === null)
    return (
      <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
        <h2>The video cannot be played yet</h2>
        <p>
          You can write questions for its end already. When it is ready, this page shows it with its time
          line.
        </p>
      </div>
    )
  return (
    <section
      className={`${shapes.card} ${shapes.stack} ${classes.stage} ${columns.stays}`}
      aria-label="Video and time line"
      data-screen-only
    >
      <PlayerStage video={video} playback={playback} onVideo={playhead.attach} />
      <Timeline {...props} playback={playback} durationMs={durationMs} />
      <div className={shapes.spaceBetween}>
        <AddHere playhead={playhead} onAdd={onAdd} />
        {draft.questions.length > 0 && <Legend />}
      </div>
    </section>
  )
}

function AddHere({ playhead, onAdd }: { playhead: Playhead; onAdd: () => void }) {
  const position = usePosition(playhead)
  return (
    <Button
      data-create
      leftSection={<IconPlus size={16} aria-hidden />}
      aria-keyshortcuts="Q"
      onClick={onAdd}
    >
      Add a question here&nbsp;
      {formatPosition(Math.floor(position / 1_000) * 1_000)}
    </Button>
  )
}

function Legend() {
  return (
    <ul className={`${shapes.row} ${shapes.hint} ${classes.legend}`}>
      <li className={shapes.row}>
        <Shape number={1} isGate /> must be answered
      </li>
      <li className={shapes.row}>
        <Shape number={2} isGate={false} /> may be skipped
      </li>
      <li className={shapes.row}>
        <span className={classes.part} aria-hidden /> teaches the answer
      </li>
    </ul>
  )
}
