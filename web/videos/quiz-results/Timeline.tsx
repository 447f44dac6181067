import type { CSSProperties } from 'react'
import type { QuestionResult } from '#contract/quiz-results.ts'
import { formatClock, formatShare, plural } from '#web/ui/format.ts'
import { shareRange } from './words.ts'

type Props = { questions: readonly QuestionResult[]; durationMs: number | null }

const numberOf = ({ position }: QuestionResult) => position + 1

/** How hard each question is, where in the video it is asked, and which part teaches it. The table below holds the numbers. */
export function Timeline({ questions, durationMs }: Props) {
  const length = durationMs ?? 0
  const inside = length === 0 ? [] : questions.filter(({ atMs }) => atMs !== null)
  const atEnd = questions.filter((one) => !inside.includes(one))
  const taught =
    length === 0 ? [] : questions.flatMap((one) => (one.teaches ? [{ one, teaches: one.teaches }] : []))
  const rated = questions.filter(({ facility }) => facility !== null).length
  const isSplit = inside.length > 0 || taught.length > 0
  return (
    <section className="ui-card ui-card-pad key-plot" aria-labelledby="timeline-title">
      <header>
        <h2 id="timeline-title">Facility over the video</h2>
        <p>
          {rated === questions.length
            ? 'Share of the points that people earn, with its range'
            : `Dashed: not enough answers yet (${plural(questions.length - rated, 'question')})`}
        </p>
      </header>
      <div
        className="quiz-timeline"
        aria-hidden
        style={{ gridTemplateColumns: columnsFor(isSplit, atEnd.length) }}
      >
        <div className="quiz-scale">
          <span>100%</span>
          <span>50%</span>
          <span>0%</span>
        </div>
        {isSplit && (
          <div className="quiz-plane">
            {inside.map((one) => (
              <Mark key={one.id} one={one} style={placeIn(one, inside, length)} />
            ))}
          </div>
        )}
        {atEnd.length > 0 && (
          <div className="quiz-plane">
            {atEnd.map((one, at) => (
              <Mark
                key={one.id}
                one={one}
                style={{ insetInlineStart: `${((at + 0.5) / atEnd.length) * 100}%` }}
              />
            ))}
          </div>
        )}
        <span />
        {isSplit && <Taught taught={taught} length={length} />}
        {atEnd.length > 0 && <p className="quiz-at-end">At the end</p>}
      </div>
    </section>
  )
}

/** The scale, the video, and beside it the questions at its end. */
function columnsFor(isSplit: boolean, atEnd: number): string {
  const all = 'minmax(0, 1fr)'
  const end = isSplit ? `minmax(72px, ${Math.min(40, atEnd * 4)}%)` : all
  return ['32px', ...(isSplit ? [all] : []), ...(atEnd > 0 ? [end] : [])].join(' ')
}

type TaughtProps = { taught: readonly { one: QuestionResult; teaches: [number, number] }[]; length: number }

/** The parts that teach the answers, on the line of the video. */
function Taught({ taught, length }: TaughtProps) {
  return (
    <div className="quiz-taught">
      <div>
        {taught.map(({ one, teaches: [from, to] }) => (
          <span
            key={one.id}
            title={`Taught from ${formatClock(from)} to ${formatClock(to)}: ${one.prompt}`}
            style={{
              insetInlineStart: `${(from / length) * 100}%`,
              width: `${((to - from) / length) * 100}%`,
            }}
          />
        ))}
      </div>
      <p>
        <span>0:00</span>
        <span>{formatClock(length)}</span>
      </p>
    </div>
  )
}

/** Questions at the same moment stand beside each other. */
function placeIn(one: QuestionResult, all: readonly QuestionResult[], length: number): CSSProperties {
  const same = all.filter(({ atMs }) => atMs === one.atMs)
  const step = (same.indexOf(one) - (same.length - 1) / 2) * 20
  return { insetInlineStart: `calc(${((one.atMs ?? 0) / length) * 100}% + ${step}px)` }
}

function Mark({ one, style }: { one: QuestionResult; style: CSSProperties }) {
  const { facility, prompt } = one
  if (!facility)
    return (
      <span className="quiz-mark" data-empty style={style} title={`${prompt}: not enough data yet`}>
        <b>{numberOf(one)}</b>
      </span>
    )
  const { value, interval, band } = facility
  const [low, high] = interval
  return (
    <span
      className="quiz-mark"
      data-band={band}
      style={style}
      title={`${prompt}: ${formatShare(value)}, range ${shareRange(interval)}`}
    >
      <i style={{ insetBlockEnd: `${low * 100}%`, height: `${(high - low) * 100}%` }} />
      <b style={{ insetBlockEnd: `${value * 100}%` }}>{numberOf(one)}</b>
    </span>
  )
}
