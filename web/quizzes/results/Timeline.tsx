import type { QuestionResult } from '#contract/quizzes/quiz-results.ts'
import { dash, formatClock, formatShare, plural } from '#web/ui/format.ts'
import { Frame } from '#web/ui/plot/Frame.tsx'
import { PlotTable } from '#web/ui/plot/PlotTable.tsx'
import ink from '#web/ui/look/ink.module.css'
import { useWalk } from '#web/ui/plot/walk.ts'
import { openQuestion } from './Questions.tsx'
import plot from '#web/ui/plot/plot.module.css'
import track from '../Timeline.module.css'
import classes from './Timeline.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { questions: readonly QuestionResult[]; durationMs: number | null }

const name = 'Right answers over the video'
const height = 184
const scale = [1, 0.5, 0].map((value) => ({ value, label: formatShare(value) }))
const numberOf = ({ position }: QuestionResult) => position + 1

/** Draws which share of people got each question right, where in the video it is asked, and which part teaches it. */
export function Timeline({ questions, durationMs }: Props) {
  const shown = questions.filter(({ right }) => right !== null).length
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="timeline-title">
      <header className={shapes.spaceBetween}>
        <h2 id="timeline-title">{name}</h2>
        <p>
          {shown === questions.length
            ? 'Share of people who got a question right'
            : `Dashed: too few people (${plural(questions.length - shown, 'question')})`}
        </p>
      </header>
      <Plot questions={questions} durationMs={durationMs} />
      <PlotTable
        name={name}
        heads={['Question', 'Asked', 'Right', 'Taught']}
        rows={questions.map((one) => [
          `${numberOf(one)}. ${one.prompt}`,
          askedAt(one),
          one.right === null ? 'Too few people' : formatShare(one.right / one.people),
          one.teaches ? partText(one.teaches) : dash,
        ])}
      />
    </section>
  )
}

const askedAt = ({ atMs }: QuestionResult) => (atMs === null ? 'At the end' : formatClock(atMs))
const partText = ([from, to]: readonly [number, number]) => `${formatClock(from)} to ${formatClock(to)}`

function Plot({ questions, durationMs }: Props) {
  const { points, videoEnd } = placed(questions, durationMs ?? 0)
  const walk = useWalk({
    name,
    count: points.length,
    places: points.map(({ place }) => place),
    describe: (at) => (points[at] ? wordsOf(points[at].one) : ''),
    onPick: (at) => points[at] && openQuestion(points[at].one.id),
  })
  const point = points[walk.index]
  return (
    <div className={`${plot.plot} ${classes.timeline}`} dir="ltr">
      <Frame
        kind="time"
        panels={[{ name, height, max: 1, marks: scale, layers: [] }]}
        walk={walk}
        cursor={(point?.place ?? 0) * 100}
      >
        {() => (
          <div aria-hidden>
            <div className={`${classes.plane} ${ink.ink}`} style={{ height }}>
              {points.map(({ one, place, step }, at) => (
                <Mark key={one.id} one={one} at={at} place={`calc(${place * 100}% + ${step}px)`} />
              ))}
              {videoEnd > 0 && videoEnd < 1 && (
                <span className={classes.end} style={{ insetInlineStart: `${videoEnd * 100}%` }} />
              )}
            </div>
            <Below questions={questions} durationMs={durationMs ?? 0} videoEnd={videoEnd} />
          </div>
        )}
      </Frame>
      <div className={plot.read} dir="auto">
        <p aria-hidden>
          {walk.isShown && point
            ? wordsOf(point.one)
            : 'Point at a question, or use the arrow keys. Enter opens it.'}
        </p>
        {walk.isShown && point && (
          <button type="button" className={plot.play} onClick={() => openQuestion(point.one.id)}>
            Open question {numberOf(point.one)}
          </button>
        )}
      </div>
    </div>
  )
}

/** What is true of a question, in a sentence for the eye and the ear. */
function wordsOf({ position, prompt, atMs, right, people, teaches }: QuestionResult): string {
  const asked = atMs === null ? 'at the end' : `at ${formatClock(atMs)}`
  const got = right === null ? 'too few people' : `${formatShare(right / people)} right`
  const taught = teaches ? `; taught from ${partText(teaches)}` : ''
  return `Question ${position + 1}, ${asked}: ${prompt} – ${got}${taught}`
}

/** A place is a share of the width; `step` moves those of the same moment beside each other, in pixels. */
type Point = { one: QuestionResult; place: number; step: number }

/** In the order in which they are asked; those at the end stand beside the video. */
function placed(
  questions: readonly QuestionResult[],
  durationMs: number,
): { points: readonly Point[]; videoEnd: number } {
  const inside = durationMs === 0 ? [] : questions.filter(({ atMs }) => atMs !== null)
  const atEnd = questions.filter((one) => !inside.includes(one))
  const hasVideo = inside.length > 0 || (durationMs > 0 && questions.some(({ teaches }) => teaches !== null))
  const room = atEnd.length === 0 ? 0 : Math.min(0.4, Math.max(0.16, atEnd.length * 0.04))
  const videoEnd = hasVideo ? 1 - room : 0
  const points = inside.map((one) => {
    const same = inside.filter(({ atMs }) => atMs === one.atMs)
    const step = (same.indexOf(one) - (same.length - 1) / 2) * 20
    return { one, place: ((one.atMs ?? 0) / durationMs) * videoEnd, step }
  })
  const last = atEnd.map((one, at) => ({
    one,
    place: videoEnd + ((at + 0.5) / atEnd.length) * (1 - videoEnd),
    step: 0,
  }))
  return { points: [...points.toSorted((a, b) => a.place - b.place), ...last], videoEnd }
}

type BelowProps = { questions: readonly QuestionResult[]; durationMs: number; videoEnd: number }

/** The line of the video with the parts that teach the answers, and what lies behind it. */
function Below({ questions, durationMs, videoEnd }: BelowProps) {
  const percent = (ms: number) => `${(ms / durationMs) * 100}%`
  return (
    <div className={classes.below}>
      {videoEnd > 0 && (
        <div style={{ width: `${videoEnd * 100}%` }}>
          <div className={`${track.parts} ${classes.taught} ${ink.ink}`}>
            {questions.map(
              ({ id, teaches }) =>
                teaches && (
                  <span
                    key={id}
                    style={{ insetInlineStart: percent(teaches[0]), width: percent(teaches[1] - teaches[0]) }}
                  />
                ),
            )}
          </div>
          <div className={`${shapes.hint} ${shapes.spaceBetween}`}>
            <span>0:00</span>
            <span>{formatClock(durationMs)}</span>
          </div>
        </div>
      )}
      {videoEnd < 1 && <p className={shapes.hint}>At the end</p>}
    </div>
  )
}

function Mark({ one, at, place }: { one: QuestionResult; at: number; place: string }) {
  const { right, people } = one
  const isShown = right !== null
  return (
    <span data-point={at} data-empty={!isShown || undefined} style={{ insetInlineStart: place }}>
      <b style={isShown ? { insetBlockEnd: `${(right / people) * 100}%` } : undefined}>{numberOf(one)}</b>
    </span>
  )
}
