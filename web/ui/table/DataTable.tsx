import { IconChevronDown, IconChevronUp, IconSelector } from '@tabler/icons-react'
import { Fragment, memo, type ReactNode } from 'react'
import { dash } from '../format.ts'
import { useMoves } from '../look/motion.ts'
import { Bone } from '../feedback/Skeletons.tsx'
import { isChosen, shown, useTableChoice, type Look } from './choice.ts'
import { SelectPage, SelectRow, type Selecting } from './SelectCells.tsx'
import { isSelected } from './selection.ts'
import { whole, wholeStop } from '../overlays/tips.ts'
import shapes from '../look/shapes.module.css'
import classes from './DataTable.module.css'

export type Column<Row> = {
  key: string
  header: string
  /** `null`, `undefined`, `false` and '' become a dash. */
  cell: (row: Row) => ReactNode
  /** `end` for numbers: right-aligned, in figures of equal width. */
  align?: 'start' | 'end'
  /** Name of this order for the API; the header becomes a button. */
  sort?: string
  /** Any CSS width. Columns without one share what is left. */
  width?: string
  /** The cell that names the row; the title of its card on phones. */
  isName?: boolean
  /** Shown only once somebody has chosen it. */
  isExtra?: boolean
  /** Its word within "118 people, all active", should each row say the same (`useUniform`); '' where there is nothing to say. */
  uniformWord?: (row: Row) => string
  /** Each row says the same: left out, unless somebody has chosen columns. */
  isUniform?: boolean
  dimmed?: boolean
  /** Left out where the table is narrower than this; on phones where its place there says otherwise. */
  from?: 'md' | 'lg'
  /**
   * Its place in a row of a phone: on a line below the name, or at the end of the row. Where no column says one, each has a line with
   * its header; else what says none is left out there.
   */
  phone?: 'line' | 'end'
}

/** Rows that belong together, and what is said of them. */
type Group = { key: string; head: ReactNode }

type Props<Row> = {
  /** Under this name the browser remembers the chosen columns; put a `TableView` with the same one beside the filters. */
  id?: string
  /** Where the page decides how the table looks, because its address says so. */
  look?: Look
  /** What the table lists, for people who cannot see it. */
  name: string
  columns: readonly Column<Row>[]
  /** `undefined` draws a skeleton. */
  rows: readonly Row[] | undefined
  rowKey: (row: Row) => string
  /** Such as `name` or `-name`. */
  sort?: string
  onSort?: (sort: string) => void
  /** Buttons of a row, in a fixed last column. */
  actions?: (row: Row) => ReactNode
  actionsWidth?: string
  /** On a phone the buttons have a line of their own: they would leave the row no room. */
  hasWideActions?: boolean
  /** A heading above the first row of each group; for an order in which the rows of a group stand together. */
  groupOf?: ((row: Row) => Group) | undefined
  /** Adds boxes at the start of the rows. */
  selecting?: Selecting<Row> | undefined
  /** Stands in place of the table when there are no rows. */
  empty: ReactNode
  /** Rows of another page, order or filter, shown until the wanted ones arrive. */
  isStale?: boolean
  skeletonRows?: number
}

/** A list that the server pages and sorts. One line per cell; on phones a row has lines. */
export function DataTable<Row>(given: Props<Row>) {
  const stored = useTableChoice(given.id)
  const choice = given.look ?? stored
  const isOwn = isChosen(choice.columns)
  const isSorted = ({ sort }: Column<Row>) => sort !== undefined && given.sort?.endsWith(sort)
  const isDrawn = (column: Column<Row>) => isOwn || !column.isUniform || isSorted(column)
  const chosen = shown(given.columns, choice.columns).filter(isDrawn)
  const hasPlaces = given.columns.some(({ phone }) => phone)
  const props = { ...given, columns: hasPlaces ? chosen : chosen.map(onLine) }
  const { rows, columns, name, isStale = false, actionsWidth = '52px' } = props
  const page = rows?.map(props.rowKey) ?? []
  const body = useMoves<HTMLTableSectionElement>(page)
  if (rows?.length === 0) return <div className={shapes.card}>{props.empty}</div>
  return (
    <div className={shapes.card} data-part="table-card" data-stale={isStale || undefined}>
      <table
        className={classes.table}
        data-density={choice.density}
        data-labelled={!hasPlaces || undefined}
        data-part="table"
        aria-busy={rows === undefined || isStale}
      >
        <caption className={shapes.sr}>{name}</caption>
        <thead>
          <tr data-stop>
            {props.selecting && <SelectPage {...props.selecting} page={page} />}
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} {...pick(props)} />
            ))}
            {props.actions && (
              <th scope="col" style={{ width: actionsWidth }}>
                <span className={shapes.sr}>Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody ref={body}>{rows ? <BodyRows {...props} rows={rows} page={page} /> : skeleton(props)}</tbody>
      </table>
    </div>
  )
}

const onLine = <Row,>(column: Column<Row>): Column<Row> =>
  column.isName ? column : { ...column, phone: 'line' }

type Order = { sort?: string; onSort?: (sort: string) => void }
function pick<Row>({ sort, onSort }: Props<Row>): Order {
  return { ...(sort === undefined ? {} : { sort }), ...(onSort ? { onSort } : {}) }
}

function HeaderCell<Row>({ column, sort, onSort }: { column: Column<Row> } & Order) {
  const isUp = column.sort !== undefined && sort === column.sort
  const isDown = column.sort !== undefined && sort === `-${column.sort}`
  const Icon = isUp ? IconChevronUp : isDown ? IconChevronDown : IconSelector
  const isSortable = column.sort !== undefined && onSort !== undefined
  const order = isUp ? 'ascending' : isDown ? 'descending' : undefined
  return (
    <th
      scope="col"
      data-align={column.align}
      data-from={column.from}
      aria-sort={order}
      data-label={column.header}
      style={{ width: column.width }}
      {...(isSortable ? {} : wholeStop)}
    >
      {isSortable ? (
        <button
          type="button"
          className={classes.sort}
          {...whole}
          onClick={() => onSort?.(isUp ? `-${column.sort}` : (column.sort ?? ''))}
        >
          {column.header}
          <Icon size={14} aria-hidden />
        </button>
      ) : (
        column.header
      )}
    </th>
  )
}

type BodyProps<Row> = Props<Row> & { rows: readonly Row[]; page: readonly string[] }

function AllRows<Row>({ rows, ...props }: BodyProps<Row>): ReactNode {
  const { groupOf, columns, selecting, actions } = props
  if (!groupOf) return rows.map((row) => <BodyRow key={props.rowKey(row)} row={row} {...props} />)
  const width = columns.length + (selecting ? 1 : 0) + (actions ? 1 : 0)
  return rows.map((row, at) => {
    const { key, head } = groupOf(row)
    const above = rows[at - 1]
    const isFirst = above === undefined || groupOf(above).key !== key
    return (
      <Fragment key={props.rowKey(row)}>
        {isFirst && (
          <tr data-group={key}>
            <td data-place="group" colSpan={width}>
              {head}
            </td>
          </tr>
        )}
        <BodyRow row={row} {...props} />
      </Fragment>
    )
  })
}

const keysOf = ({ columns }: { columns: readonly { key: string }[] }) => columns.map(({ key }) => key).join()

/** Rows that are shown until others arrive stay as they are: to draw them twice more held up the others for longer than the server did. */
const BodyRows = memo(
  AllRows,
  (before, after) =>
    after.isStale === true &&
    after.rows === before.rows &&
    (after.groupOf === undefined) === (before.groupOf === undefined) &&
    keysOf(after) === keysOf(before) &&
    after.selecting?.selection === before.selecting?.selection,
) as typeof AllRows

type RowProps<Row> = Omit<Props<Row>, 'rows'> & { row: Row; page: readonly string[] }

function BodyRow<Row>({ row, page, ...given }: RowProps<Row>) {
  const { columns, actions, hasWideActions, selecting, rowKey } = given
  const isChosen = selecting && isSelected(selecting.selection, rowKey(row))
  return (
    <tr data-chosen={isChosen || undefined}>
      {selecting && <SelectRow {...selecting} row={row} id={rowKey(row)} page={page} />}
      {columns.map((column) => {
        const Cell = column.isName ? 'th' : 'td'
        const content = column.cell(row)
        const isEmpty = content === null || content === undefined || content === '' || content === false
        return (
          <Cell
            key={column.key}
            scope={column.isName ? 'row' : undefined}
            data-key={column.key}
            data-label={column.header}
            data-align={column.align}
            data-from={column.from}
            // What somebody has chosen to see is seen on a phone too.
            data-place={column.phone ?? (column.isExtra ? 'line' : undefined)}
            data-dimmed={column.dimmed || isEmpty || undefined}
            data-empty={isEmpty || undefined}
            {...(typeof content === 'string' ? wholeStop : {})}
          >
            {isEmpty ? dash : content}
          </Cell>
        )
      })}
      {actions && (
        <td className={classes.actions} data-wide={hasWideActions || undefined} data-part="row-actions">
          {actions(row)}
        </td>
      )}
    </tr>
  )
}

function skeleton<Row>({ columns, actions, selecting, skeletonRows = 10 }: Props<Row>) {
  return Array.from({ length: skeletonRows }, (_nothing, number) => (
    <tr key={`skeleton-${number}`} aria-hidden>
      {selecting && <td />}
      {columns.map((column) => (
        <td
          key={column.key}
          data-align={column.align}
          data-from={column.from}
          data-place={column.isName ? 'name' : column.phone}
        >
          <Bone width={`${40 + ((number * 17 + column.key.length * 11) % 45)}%`} />
        </td>
      ))}
      {actions && <td />}
    </tr>
  ))
}
