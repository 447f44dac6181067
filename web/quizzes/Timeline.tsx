import {
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react'
import type { QuizDraft, QuizQuestion } from '#contract/quizzes/quizzes.ts'
import type { Playback } from '#contract/videos/videos.ts'
import { changeQuestion, within } from './draft.ts'
import type { Editor } from './editor.ts'
import { usePosition, type Playhead } from './playhead.ts'
import { formatPosition } from './position.ts'
import { Shape } from './Shape.tsx'
import { lanesOf, ticksOf, middles } from './timeline.ts'
import { useWidth } from '#web/ui/browser/useWidth.ts'
import { shows, showsStop } from '#web/ui/overlays/tips.ts'
import classes from './Timeline.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { tileAt, useStoryboard, type Tile } from '#web/ui/plot/storyboard.ts'

/** Pixels: the side of a marker, and of the strip of pictures. */
const marker = 28
const film = 56

type Props = {
  draft: QuizDraft
  editor: Editor
  playback: Playback
  durationMs: number
  playhead: Playhead
  chosen: string | null
  onChoose: (key: string) => void
  onRemove: (question: QuizQuestion) => void
}

/**
 * The video from its beginning to its end with a marker for each question: drag it, or move it with the arrow keys. Below the
 * pictures lie the parts that teach the answers.
 */
export function Timeline(props: Props) {
  const { draft, playback, durationMs, chosen, onChoose } = props
  const { ref, width } = useWidth()
  const numbered = draft.questions.map((question, at) => ({ question, number: at + 1 }))
  const placed = numbered.flatMap(({ question, number }) =>
    question.atMs === null ? [] : [{ question, number, ms: Math.min(question.atMs, durationMs) }],
  )
  const atEnd = numbered.filter(({ question }) => question.atMs === null)
  const lanes = lanesOf(
    placed.map(({ ms }) => {
      const from = (ms / durationMs) * width
      return { from, to: from + marker + 2 }
    }),
  )
  const rows = Math.max(0, ...lanes.map((lane) => lane + 1))
  return (
    <div>
      <div className={classes.track} ref={ref}>
        <div className={classes.markers} style={{ height: rows * (marker + 2) }}>
          {placed.map(({ question, number }, at) => (
            <Marker
              key={question.key}
              {...props}
              question={question}
              number={number}
              lane={lanes[at] ?? 0}
              width={width}
              isChosen={question.key === chosen}
            />
          ))}
        </div>
        <Strip {...props} width={width}>
          <Filmstrip playback={playback} durationMs={durationMs} width={width} height={film} />
        </Strip>
        <Parts draft={draft} durationMs={durationMs} chosen={chosen} />
        <Ticks durationMs={durationMs} width={width} />
      </div>
      {atEnd.length > 0 && (
        <div className={`${shapes.row} ${classes.end}`} role="group" aria-label="At the end">
          <span>At the end</span>
          {atEnd.map(({ question, number }) => (
            <button
              key={question.key}
              type="button"
              className={classes.marker}
              aria-pressed={question.key === chosen}
              aria-label={`Question ${number}, at the end${question.gate ? ', must be answered' : ''}`}
              onClick={() => onChoose(question.key)}
            >
              <Shape number={number} isGate={question.gate} />
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

type FilmstripProps = { playback: Playback; durationMs: number; width: number; height: number }

/** Pictures of the video over its time line; nothing where it has none. */
function Filmstrip({ playback, durationMs, width, height }: FilmstripProps) {
  const tiles = useStoryboard(playback.storyboard)
  const first = tiles[0]
  if (!first || width === 0) return null
  const usual = (height * first.width) / first.height
  const count = Math.max(1, Math.round(width / usual))
  return (
    <div className={classes.film} aria-hidden>
      {middles(durationMs, count).map((ms) => (
        <Picture key={ms} tile={tileAt(tiles, ms) ?? first} width={width / count} height={height} />
      ))}
    </div>
  )
}

type PictureProps = { tile: Tile; width: number; height: number }

/** A part of a sheet, scaled so that it fills its place. */
function Picture({ tile, width, height }: PictureProps) {
  const scale = Math.max(width / tile.width, height / tile.height)
  return (
    <span style={{ width, height }}>
      <img
        src={tile.src}
        alt=""
        style={{
          transform: `scale(${scale}) translate(${-tile.x}px, ${-tile.y}px)`,
          clipPath: 'none',
        }}
      />
    </span>
  )
}

/** So far, in per cent of the whole. */
const share = (ms: number, durationMs: number) => `${(ms / durationMs) * 100}%`

type StripProps = Props & { width: number; children: ReactNode }

/** The pictures: pressed anywhere, the video goes there; with the keys it moves by a second, with Shift by ten. */
function Strip({ durationMs, playhead, children }: StripProps) {
  const position = usePosition(playhead)
  const [isHeld, setHeld] = useState(false)
  const go = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    playhead.seek(Math.max(0, Math.min(1, (event.clientX - left) / width)) * durationMs)
  }
  const press = (event: KeyboardEvent) => {
    const to = keyTarget(event, position, durationMs)
    if (to === null) return
    event.preventDefault()
    playhead.seek(to)
  }
  return (
    <div
      className={classes.strip}
      role="slider"
      tabIndex={0}
      aria-label="Position in the video"
      aria-valuemin={0}
      aria-valuemax={Math.round(durationMs / 1_000)}
      aria-valuenow={Math.round(position / 1_000)}
      aria-valuetext={formatPosition(Math.floor(position / 1_000) * 1_000)}
      style={{ height: film }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setHeld(true)
        go(event)
      }}
      onPointerMove={(event) => isHeld && go(event)}
      onPointerUp={() => setHeld(false)}
      onPointerCancel={() => setHeld(false)}
      onKeyDown={press}
    >
      {children}
      <span
        className={classes.needle}
        style={{ insetInlineStart: share(position, durationMs) }}
        aria-hidden
      />
    </div>
  )
}

/** Where a key leads on a line of time; null for keys that lead nowhere. */
function keyTarget(
  { key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent,
  from: number,
  durationMs: number,
): number | null {
  if (ctrlKey || metaKey || altKey) return null
  if (key === 'Home') return 0
  if (key === 'End') return durationMs
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[key]
  if (!way) return null
  return Math.max(0, Math.min(from + way * (shiftKey ? 10_000 : 1_000), durationMs))
}

type MarkerProps = Props & {
  question: QuizQuestion
  number: number
  lane: number
  width: number
  isChosen: boolean
}

/** Pixels that a pressed marker may tremble without being moved. */
const tremble = 4

function Marker(props: MarkerProps) {
  const { question, number, lane, width, isChosen, editor, durationMs, playhead, onChoose, onRemove } = props
  const { key, prompt, gate, atMs } = question
  const at = atMs ?? 0
  const [dragged, setDragged] = useState<number | null>(null)
  const began = useRef<{ x: number; isMoved: boolean } | null>(null)
  const shown = dragged ?? Math.min(at, durationMs)
  const move = (ms: number) =>
    editor.edit(
      (draft) => changeQuestion(draft, key, (one) => ({ ...one, atMs: within(ms, durationMs) })),
      `at:${key}`,
    )
  const drag = ({ clientX }: PointerEvent) => {
    if (!began.current) return
    const way = clientX - began.current.x
    if (!began.current.isMoved && Math.abs(way) < tremble) return
    began.current.isMoved = true
    setDragged(within(at + (way / width) * durationMs, durationMs))
  }
  const drop = () => {
    const wasMoved = began.current?.isMoved ?? false
    began.current = null
    setDragged(null)
    if (wasMoved && dragged !== null) move(dragged)
    playhead.seek(wasMoved && dragged !== null ? dragged : at)
    onChoose(key)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Delete') return onRemove(question)
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      playhead.seek(at)
      return onChoose(key)
    }
    const to = keyTarget(event, at, durationMs)
    if (to === null) return
    event.preventDefault()
    move(to)
    playhead.seek(to)
  }
  return (
    <div
      className={classes.marker}
      role="slider"
      tabIndex={0}
      aria-label={`Question ${number}${gate ? ', must be answered' : ', may be skipped'}: ${prompt.trim() || 'not written yet'}`}
      aria-valuemin={0}
      aria-valuemax={Math.round(durationMs / 1_000)}
      aria-valuenow={Math.round(shown / 1_000)}
      aria-valuetext={formatPosition(shown)}
      {...shows(`${formatPosition(shown)} ${prompt.trim()}`)}
      data-chosen={isChosen || undefined}
      data-dragged={dragged !== null || undefined}
      style={
        {
          insetInlineStart: share(shown, durationMs),
          insetBlockEnd: lane * (marker + 2),
          '--stem': `${lane * (marker + 2) + 6}px`,
        } as CSSProperties
      }
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        began.current = { x: event.clientX, isMoved: false }
      }}
      onPointerMove={drag}
      onPointerUp={() => began.current && drop()}
      onPointerCancel={() => {
        began.current = null
        setDragged(null)
      }}
      onKeyDown={press}
    >
      <Shape number={number} isGate={gate} />
      {dragged !== null && (
        <span className={classes.bubble} aria-hidden>
          {formatPosition(dragged)}
        </span>
      )}
    </div>
  )
}

type PartsProps = Pick<Props, 'draft' | 'durationMs' | 'chosen'>

/** The parts that teach the answers, as bands; that of the chosen question stands out. */
function Parts({ draft, durationMs, chosen }: PartsProps) {
  const parts = draft.questions.flatMap(({ key, teaches }, at) =>
    teaches ? [{ key, teaches, number: at + 1 }] : [],
  )
  if (parts.length === 0) return null
  return (
    <ul className={classes.parts} aria-label="Parts that teach the answers">
      {parts.map(({ key, teaches: [from, to], number }) => (
        <li
          key={key}
          data-chosen={key === chosen || undefined}
          {...showsStop(`Question ${number} is taught from ${formatPosition(from)} to ${formatPosition(to)}`)}
          style={{
            insetInlineStart: share(Math.min(from, durationMs), durationMs),
            width: share(Math.max(0, Math.min(to, durationMs) - from), durationMs),
          }}
        >
          <span className={shapes.sr}>
            Question {number}: {formatPosition(from)} to {formatPosition(to)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Ticks({ durationMs, width }: { durationMs: number; width: number }) {
  return (
    <div className={`${classes.ticks} ${shapes.hint}`} aria-hidden>
      {ticksOf(durationMs, Math.max(2, Math.floor(width / 72))).map((ms) => (
        <span key={ms} style={{ insetInlineStart: share(ms, durationMs) }}>
          {formatPosition(ms)}
        </span>
      ))}
      <span data-last>{formatPosition(Math.floor(durationMs / 1_000) * 1_000)}</span>
    </div>
  )
}
