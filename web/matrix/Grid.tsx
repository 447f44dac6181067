import { Link } from '@tanstack/react-router'
import { IconChevronDown, IconChevronUp, IconSelector } from '@tabler/icons-react'
import {
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
} from 'react'
import type { TrainingState } from '#contract/matrix/standing.ts'
import type { TrainingRow, TrainingVideo } from '#contract/matrix/training.ts'
import { paths } from '#web/paths.ts'
import { dash, formatNumber, formatShare } from '#web/ui/format.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { Mark } from '#web/ui/figures/Standing.tsx'
import { stateAt } from '#web/ui/figures/standings.ts'
import { drawn, moved, scrolledTo, type GridPosition } from './window.ts'
import type { Picking } from './usePicked.ts'
import type { VisibleCells } from './useVisibleCells.ts'
import styles from './Training.module.css'
import { shows, tip } from '#web/ui/overlays/tips.ts'
import tableClasses from '#web/ui/table/DataTable.module.css'
import shapes from '#web/ui/look/shapes.module.css'

export type CellIds = { userId: string; videoId: string }

type Props = {
  name: string
  orgId: string
  /** Returns the row with this number; undefined while it is fetched. */
  rowAt: (number: number) => TrainingRow | undefined
  rowCount: number
  videos: readonly TrainingVideo[]
  /** Returns the place of a video in the letters of a row. */
  placeOf: (videoId: string) => number
  state: TrainingState | ''
  sort: string
  onSort: (sort: string) => void
  onOpen: (chosen: CellIds) => void
  /** The page of a person is for everybody, but that of a video's viewing is only for somebody who may open content. */
  mayOpenContent: boolean
  isStale: boolean
  visibleCells: VisibleCells
  /** Null means that nothing is picked here. */
  picking: Picking | null
}

/**
 * Shows people by videos. Only what is in sight, and what has the focus, is in the page; the rest is room to scroll. One cell at a time can
 * be reached by Tab, the others with the arrow keys.
 */
export function Grid(props: Props) {
  const { name, rowCount, videos, isStale, visibleCells } = props
  const { attach, element, look } = visibleCells
  const [active, setActive] = useState<GridPosition>({ row: 0, column: 0 })
  const wanted = useRef<GridPosition | null>(null)
  const focused = {
    row: Math.min(active.row, rowCount - 1),
    column: Math.min(active.column, videos.length - 1),
  }
  const rows = drawn(visibleCells.rows, focused.row, rowCount)
  const columns = drawn(visibleCells.columns, focused.column, videos.length)
  useLayoutEffect(() => {
    if (!wanted.current) return
    const { row, column } = wanted.current
    wanted.current = null
    cellIn(element, row, column)?.focus({ preventScroll: !visibleCells.isWhole })
  })
  const go = (place: GridPosition) => {
    wanted.current = place
    setActive(place)
    scrollIntoView(visibleCells, place)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const place = placeOf(event.target)
    if (!place || event.altKey) return
    if (event.key === ' ' && pickAt(props, place, event)) return event.preventDefault()
    if (event.key === 'Enter' || event.key === ' ') {
      // A link or button that has the focus itself does what it always does.
      if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-at]')) return
      event.preventDefault()
      const inside = event.target.querySelector<HTMLElement>('a, button')
      if (inside) inside.click()
      else openAt(props, place)
      return
    }
    const bounds = { rows: rowCount, columns: videos.length, page: visibleCells.rowsInSight }
    const key = isRightToLeft() ? (mirrored[event.key] ?? event.key) : event.key
    const next = moved(place, { key, isFar: event.ctrlKey || event.metaKey }, bounds)
    if (!next) return
    event.preventDefault()
    go(next)
  }
  const click = (event: MouseEvent<HTMLElement>) => {
    const place = placeOf(event.target)
    if (!place) return
    setActive(place)
    if (!(event.target as HTMLElement).closest('a, button, label')) openAt(props, place)
  }
  const tabIndex = (row: number, column: number) =>
    row === focused.row && column === focused.column ? 0 : -1
  return (
    <div
      ref={attach}
      tabIndex={-1}
      className={`${shapes.card} ${styles.grid}`}
      data-screen-only
      role="grid"
      aria-label={name}
      aria-rowcount={rowCount + 1}
      aria-colcount={videos.length + 1}
      aria-busy={isStale}
      aria-multiselectable={props.picking !== null}
      data-stale={isStale || undefined}
      data-whole={visibleCells.isWhole || undefined}
      style={{ '--videos': videos.length } as CSSProperties}
      onScroll={({ currentTarget }) => look(currentTarget)}
      onKeyDown={press}
      onClick={click}
      onFocus={({ target }) => {
        const place = placeOf(target)
        if (place) setActive(place)
      }}
    >
      <div
        className={styles.room}
        role="presentation"
        style={{
          blockSize: `calc(var(--head) + ${rowCount} * var(--row))`,
          inlineSize: `calc(var(--name) + ${videos.length} * var(--narrowest))`,
        }}
      >
        <HeadRow {...props} columns={columns} tabIndex={tabIndex} />
        {rows
          .filter((row) => row >= 0)
          .map((row) => (
            <BodyRow key={row} {...props} number={row} columns={columns} tabIndex={tabIndex} />
          ))}
      </div>
    </div>
  )
}

const isRightToLeft = () => document.dir === 'rtl'
const mirrored: Record<string, string> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

function cellIn(grid: HTMLElement | null, row: number, column: number): HTMLElement | null {
  return grid?.querySelector<HTMLElement>(`[data-at="${row}:${column}"]`) ?? null
}

function placeOf(target: EventTarget): GridPosition | undefined {
  const at = target instanceof Element ? target.closest('[data-at]')?.getAttribute('data-at') : null
  const [row, column] = at?.split(':').map(Number) ?? []
  return row === undefined || column === undefined ? undefined : { row, column }
}

function scrollIntoView({ element: grid, sizes }: VisibleCells, { row, column }: GridPosition): void {
  if (!grid) return
  const top = { start: grid.scrollTop, length: grid.clientHeight - sizes.head, size: sizes.row }
  const across = {
    start: Math.abs(grid.scrollLeft),
    length: grid.clientWidth - sizes.name,
    size: sizes.column,
  }
  grid.scrollTo({
    top: row < 0 ? grid.scrollTop : scrolledTo(top, row),
    left: column < 0 ? grid.scrollLeft : scrolledTo(across, column) * (isRightToLeft() ? -1 : 1),
  })
}

function openAt({ rowAt, videos, onOpen }: Props, { row, column }: GridPosition): void {
  const [person, video] = [row < 0 ? undefined : rowAt(row), videos[column]]
  if (person && video) onOpen({ userId: person.id, videoId: video.id })
}

type Keys = Pick<KeyboardEvent, 'shiftKey' | 'ctrlKey' | 'target'>

/**
 * Picks by Space. At the head of a row or a column it picks that, and with shift all from the last one along. From a cell it does the same
 * with shift for the row and with control for the column, as grids do. Returns false when it means something else there.
 */
function pickAt(props: Props, { row, column }: GridPosition, { shiftKey, ctrlKey, target }: Keys): boolean {
  if (!props.picking || !(target instanceof Element) || !target.matches('[data-at]')) return false
  if (row >= 0 && (column < 0 || shiftKey)) return pickPerson(props, row, column < 0 && shiftKey)
  if (column >= 0 && (row < 0 || ctrlKey)) return pickVideo(props, column, row < 0 && shiftKey)
  return false
}

function pickPerson({ rowAt, picking }: Props, number: number, isRange: boolean): boolean {
  const person = rowAt(number)
  if (person) picking?.person({ number, id: person.id }, isRange)
  return person !== undefined
}

function pickVideo({ videos, picking }: Props, number: number, isRange: boolean): boolean {
  const video = videos[number]
  if (video) picking?.video({ number, id: video.id }, isRange)
  return video !== undefined
}

type PickProps = { label: string; isOn: boolean; onPick: (isRange: boolean) => void }

/** The arrow keys reach it together with the head that it stands in. */
function Pick({ label, isOn, onPick }: PickProps) {
  return (
    <span className={tableClasses.select} data-part="select">
      <label>
        <span className={shapes.sr}>{label}</span>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isOn}
          onChange={({ nativeEvent }) => onPick(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    </span>
  )
}

type Part = Props & { columns: readonly number[]; tabIndex: (row: number, column: number) => number }

function HeadRow(props: Part) {
  const { videos, columns, sort, onSort, tabIndex, mayOpenContent, picking } = props
  const isDown = sort === '-name'
  const Order = sort === 'name' ? IconChevronUp : isDown ? IconChevronDown : IconSelector
  return (
    <div className={styles.head} role="row" aria-rowindex={1}>
      <div
        role="columnheader"
        className={styles.name}
        aria-colindex={1}
        aria-sort={sort === 'name' ? 'ascending' : isDown ? 'descending' : 'none'}
        data-at="-1:-1"
        tabIndex={tabIndex(-1, -1)}
      >
        <button
          type="button"
          className={tableClasses.sort}
          tabIndex={-1}
          onClick={() => onSort(sort === 'name' ? '-name' : 'name')}
        >
          Name
          <Order size={14} aria-hidden />
        </button>
        <span className={`${shapes.unit} ${shapes.updated} ${styles.share}`}>Completed</span>
      </div>
      {columns
        .filter((column) => column >= 0)
        .map((column) => {
          const video = videos[column]
          if (!video) return null
          const { id, title, done, required } = video
          return (
            <div
              key={id}
              role="columnheader"
              className={styles.title}
              aria-colindex={column + 2}
              data-at={`-1:${column}`}
              aria-selected={picking?.picked.videos.has(id)}
              tabIndex={tabIndex(-1, column)}
              style={{ insetInlineStart: `calc(var(--name) + ${column} * var(--column))` }}
              {...shows(title)}
            >
              {mayOpenContent ? (
                <Link to={paths.videoViewing(id)} tabIndex={-1}>
                  {title}
                </Link>
              ) : (
                <span>{title}</span>
              )}
              <div className={styles.foot}>
                {picking && (
                  <Pick
                    label={`Select ${title}`}
                    isOn={picking.picked.videos.has(id)}
                    onPick={(isRange) => pickVideo(props, column, isRange)}
                  />
                )}
                <small>{required === 0 ? dash : `${formatNumber(done)} of ${formatNumber(required)}`}</small>
              </div>
            </div>
          )
        })}
    </div>
  )
}

function BodyRow(props: Part & { number: number }) {
  const { orgId, number, rowAt, columns, videos, placeOf: letterOf, state: only, tabIndex, picking } = props
  const person = rowAt(number)
  const isPicked = person !== undefined && picking !== null && picking.picked.people.has(person.id)
  return (
    <div
      className={styles.row}
      role="row"
      aria-rowindex={number + 2}
      data-picked={isPicked || undefined}
      style={{ insetBlockStart: `calc(var(--head) + ${number} * var(--row))` }}
    >
      <div
        role="rowheader"
        className={styles.name}
        aria-colindex={1}
        data-at={`${number}:-1`}
        aria-selected={picking ? isPicked : undefined}
        tabIndex={tabIndex(number, -1)}
        {...tip(person?.email)}
      >
        {person ? (
          <>
            {picking && (
              <Pick
                label={`Select ${person.name}`}
                isOn={isPicked}
                onPick={(isRange) => pickPerson(props, number, isRange)}
              />
            )}
            <Link className={shapes.cut} to={paths.person(orgId, person.id)} tabIndex={-1}>
              {person.name}
            </Link>
            <span className={`${shapes.unit} ${shapes.updated} ${styles.share}`}>
              {person.required === 0 ? dash : formatShare(person.done / person.required)}
            </span>
          </>
        ) : (
          <Bone width="60%" />
        )}
      </div>
      {columns
        .filter((column) => column >= 0)
        .map((column) => {
          const video = videos[column]
          if (!video) return null
          const state = person && stateAt(person.cells, letterOf(video.id))
          const isIn = isPicked && picking.picked.videos.has(video.id)
          return (
            <div
              key={video.id}
              role="gridcell"
              className={styles.cell}
              aria-colindex={column + 2}
              data-at={`${number}:${column}`}
              aria-label={person && !state ? 'Not sent' : undefined}
              data-picked={isIn || undefined}
              aria-selected={picking ? isIn : undefined}
              data-other={(only !== '' && state !== only) || undefined}
              tabIndex={tabIndex(number, column)}
              style={{ insetInlineStart: `calc(var(--name) + ${column} * var(--column))` }}
            >
              {state ? <Mark state={state} /> : person && <i>{dash}</i>}
            </div>
          )
        })}
    </div>
  )
}
