import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react'
import type { EvidenceVersion } from '#contract/evidence/evidence.ts'
import { formatClock, formatLength, formatPart, formatPosition } from '#web/ui/format.ts'
import { edgesOf, lanesOf, lengthOf, notesOf, partAt, ticksOf, type Lane } from './lanes.ts'
import { useStoryboard } from '#web/ui/plot/storyboard.ts'
import ink from '#web/ui/look/ink.module.css'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { pictureAt, Strip } from './Storyboard.tsx'
import { tipStop } from '#web/ui/overlays/tips.ts'
import classes from './TimeLine.module.css'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { version: EvidenceVersion; title: string }

/** Every kind of part over the time of the video. The cursor says what is known of one moment; a table has all of it. */
export function TimeLine({ version, title }: Props) {
  const { durationMs } = version
  const lanes = lanesOf(version)
  const tiles = useStoryboard(version.storyboard)
  const [at, setAt] = useState(0)
  const share = (ms: number) => `${(ms / Math.max(durationMs, 1)) * 100}%`
  return (
    <>
      <div className={`${classes.plot} ${ink.ink}`}>
        <div className={classes.labels}>
          {tiles.length > 0 && <span className={classes.strip} />}
          {lanes.map(({ kind, label, means, ranges }) => (
            <span key={kind} {...tipStop(means)}>
              <i className={classes.key} data-kind={kind} aria-hidden />
              {label} <small>{formatLength(lengthOf(ranges))}</small>
            </span>
          ))}
        </div>
        <Cursor
          lanes={lanes}
          durationMs={durationMs}
          title={title}
          at={Math.min(at, durationMs)}
          onMove={setAt}
        >
          {tiles.length > 0 && <Strip tiles={tiles} durationMs={durationMs} />}
          {lanes.map(({ kind, ranges }) => (
            <div key={kind} className={classes.lane}>
              {ranges.map(([start, end]) => (
                <span
                  key={start}
                  data-kind={kind}
                  style={{ insetInlineStart: share(start), width: share(end - start) }}
                />
              ))}
            </div>
          ))}
          <div className={`${classes.ticks} ${shapes.hint}`}>
            {ticksOf(durationMs).map((tick) => (
              <span
                key={tick}
                data-end={tick > durationMs * 0.95 || undefined}
                style={{ insetInlineStart: share(tick) }}
              >
                {formatClock(tick)}
              </span>
            ))}
          </div>
        </Cursor>
      </div>
      <ul className={shapes.hint}>
        {notesOf(version).map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <Moment lanes={lanes} at={Math.min(at, durationMs)} picture={pictureAt(tiles, at)} />
      <Table lanes={lanes} />
    </>
  )
}

type CursorProps = {
  lanes: readonly Lane[]
  durationMs: number
  title: string
  at: number
  onMove: (ms: number) => void
  children: React.ReactNode
}

/** One stop of the keyboard for the whole plot: arrows go from edge to edge, pages by a tenth of the video. */
function Cursor({ lanes, durationMs, title, at, onMove, children }: CursorProps) {
  const box = useRef<HTMLDivElement>(null)
  const edges = edgesOf(lanes, durationMs)
  const isBackwards = () => box.current !== null && getComputedStyle(box.current).direction === 'rtl'
  const onKeyDown = (event: KeyboardEvent) => {
    const next = edges.find((edge) => edge > at) ?? durationMs
    const previous = edges.findLast((edge) => edge < at) ?? 0
    const [start, end] = isBackwards() ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight']
    const targets: Record<string, number> = {
      [start]: previous,
      ArrowDown: previous,
      [end]: next,
      ArrowUp: next,
      PageDown: at - durationMs / 10,
      PageUp: at + durationMs / 10,
      Home: 0,
      End: durationMs,
    }
    const target = targets[event.key]
    if (target === undefined) return
    event.preventDefault()
    onMove(Math.min(Math.max(Math.round(target), 0), durationMs))
  }
  const point = (event: PointerEvent) => {
    if (event.pointerType === 'touch' && event.type === 'pointermove') return
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const along = (event.clientX - left) / Math.max(width, 1)
    const part = isBackwards() ? 1 - along : along
    onMove(Math.round(Math.min(Math.max(part, 0), 1) * durationMs))
  }
  return (
    <div
      ref={box}
      className={classes.cursor}
      role="slider"
      tabIndex={0}
      aria-label={`Moment of ${title}`}
      aria-valuemin={0}
      aria-valuemax={durationMs}
      aria-valuenow={at}
      aria-valuetext={`${formatPosition(at)}: ${wordsAt(lanes, at).join(', ')}`}
      onKeyDown={onKeyDown}
      onPointerDown={point}
      onPointerMove={point}
    >
      {children}
      <span
        className={classes.hair}
        data-screen-only
        style={{ insetInlineStart: `${(at / Math.max(durationMs, 1)) * 100}%` }}
      />
    </div>
  )
}

function wordsAt(lanes: readonly Lane[], at: number): string[] {
  const there = lanes.flatMap(({ label, ranges }) => (partAt(ranges, at) ? [label.toLowerCase()] : []))
  return there.length === 0 ? ['the end'] : there
}

type MomentProps = { lanes: readonly Lane[]; at: number; picture: React.CSSProperties | undefined }

/** What is known of the moment under the cursor; the slider says the same aloud. */
function Moment({ lanes, at, picture }: MomentProps) {
  const there = lanes.flatMap(({ kind, label, ranges }) => {
    const part = partAt(ranges, at)
    return part ? [{ kind, label, part }] : []
  })
  return (
    <div className={`${classes.moment} ${ink.ink}`} data-screen-only>
      {picture && <span className={classes.tile} style={picture} aria-hidden />}
      <div>
        <p>
          At <strong>{formatPosition(at)}</strong>
        </p>
        <ul>
          {there.map(({ kind, label, part }) => (
            <li key={kind} className={shapes.row}>
              <i className={classes.key} data-kind={kind} aria-hidden />
              {label}: {formatPart(part)}
            </li>
          ))}
          {there.length === 0 && <li>The end of the video</li>}
        </ul>
      </div>
    </div>
  )
}

type Part = { label: string; start: number; end: number }

const columns: readonly Column<Part>[] = [
  { key: 'part', header: 'Part', isName: true, cell: ({ label }) => label },
  { key: 'from', header: 'From', align: 'end', phone: 'line', cell: ({ start }) => formatPosition(start) },
  { key: 'to', header: 'To', align: 'end', phone: 'line', cell: ({ end }) => formatPosition(end) },
  {
    key: 'length',
    header: 'Length',
    align: 'end',
    phone: 'end',
    cell: ({ start, end }) => formatLength(end - start),
  },
]

function Table({ lanes }: { lanes: readonly Lane[] }) {
  const parts = lanes.flatMap(({ label, ranges }) => ranges.map(([start, end]) => ({ label, start, end })))
  return (
    <details className={classes.table}>
      <summary>All parts as a table</summary>
      <DataTable
        name="All parts"
        columns={columns}
        rows={parts}
        rowKey={({ label, start }) => `${label}${start}`}
        empty={null}
      />
    </details>
  )
}
