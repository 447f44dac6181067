import { Button } from '@mantine/core'
import { Suspense, type ReactNode } from 'react'
import type { AlertKind } from '#contract/platform/alerts.ts'
import type { ViewedList } from '#contract/directory/views.ts'
import { BegunHere } from '#web/lists/operations/Operations.tsx'
import type { BarProps } from '#web/lists/bulk/selected.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { IconFilter } from '@tabler/icons-react'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import type { Filter } from './bar/filters.ts'
import type { Downloadable } from './download/Download.tsx'
import { ListBar } from './bar/ListBar.tsx'
import { onlyThese } from './only.ts'
import { useListLook } from './search.ts'
import { useUniform } from './uniform.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Page<Row> = {
  items: Row[]
  total: number
  totalIsMinimum?: boolean | undefined
  approximate?: boolean | undefined
  offset: number
  limit: number
  next: string | null
  previous?: string | null
}

type LookState = Parameters<typeof useListLook>[2][0]

type Props<Row> = {
  /** Its name among saved views; under it the browser remembers the chosen columns. */
  list: ViewedList
  /** What it lists, for people who cannot see it. */
  name: string
  /** "118 people". */
  counted: (total: number) => string
  columns: readonly Column<Row>[]
  /** What its address says. */
  state: LookState & { q?: string; sort?: string; attention?: AlertKind | undefined }
  /** Written as a method, so that each list may give one that takes its own filters. */
  change(patch: object): void
  found: {
    page: Page<Row> | undefined
    isStale: boolean
    error: Error | null
    retry: () => void
    updatedAt?: number
  }
  /** What its rows are narrowed to. Another filter is another selection. */
  filter: object
  /** What shows everything again, and what is said where nothing is left. Null while nothing is narrowed. */
  narrowed: { all: object; nothing: string; hint?: string; showAll: string } | null
  /** Where there is nothing at all. */
  empty: ReactNode
  /** Whose saved views; without an organization those of all. */
  orgId?: string | undefined
  /** What its search is called, where it can be searched. */
  search?: string
  /** What narrows it; null leaves the whole bar out. */
  filters: readonly Filter[] | null
  /** In the bar, before its menu. */
  tools?: ReactNode
  /** What can be taken along, in the menu of the bar. */
  files?: readonly Downloadable[]
  /** Further rows of that menu: import. */
  items?: ReactNode
  actions?: ((row: Row) => ReactNode) | undefined
  actionsWidth?: string
  /** What its rows are called where several are chosen, and the bar of what can be done with them. */
  bulk?: { nameOf: (row: Row) => string; renderBar: (chosen: BarProps) => ReactNode } | undefined
}

/**
 * A list of records: the bar with search, filters and menu, the table with its pages, and what can be done
 * with several rows. A list adds its columns, its filters and its words.
 */
export function RecordList<Row extends { id: string }>(given: Props<Row>) {
  const { list, state, filter, narrowed, filters, bulk, orgId, found } = given
  const change = (patch: object) => given.change(patch)
  const { columns, uniform } = useUniform({ ...given, ...found, of: orgId })
  const { look, view, pager } = useListLook(list, columns, [state, change])
  const [selection, onSelect] = useSelection({ orgId, ...filter })
  const { page } = found
  const nothing = narrowed && (
    <EmptyState
      title={narrowed.nothing}
      icon={<IconFilter size={24} />}
      action={
        <Button variant="default" onClick={() => change(narrowed.all)}>
          {narrowed.showAll}
        </Button>
      }
    >
      {narrowed.hint}
    </EmptyState>
  )
  return (
    <>
      {filters !== null && (
        <ListBar
          search={
            given.search === undefined
              ? undefined
              : { label: given.search, value: state.q ?? '', onSearch: (q) => change({ q }) }
          }
          filters={[...onlyThese(state.attention, () => change({ attention: undefined })), ...filters]}
          onClear={narrowed ? () => change(narrowed.all) : undefined}
          found={found.isStale ? undefined : page}
          uniform={uniform}
          updatedAt={found.updatedAt}
          views={{ list, orgId, drawn: view }}
          table={view}
          files={given.files}
          items={given.items}
        >
          {given.tools}
        </ListBar>
      )}
      {state.q !== undefined && <Similar approximate={page?.approximate} q={state.q} />}
      {found.error && <NotRead error={found.error} retry={found.retry} />}
      {(page || !found.error) && (
        <DataTable
          look={look}
          name={given.name}
          columns={columns}
          rows={page?.items}
          rowKey={({ id }) => id}
          isStale={found.isStale}
          empty={nothing ?? given.empty}
          {...(state.sort !== undefined && {
            sort: page?.approximate ? '' : state.sort,
            onSort: (sort: string) => change({ sort }),
          })}
          {...(given.actions && { actions: given.actions })}
          {...(given.actionsWidth && { actionsWidth: given.actionsWidth })}
          selecting={bulk && { selection, onSelect, nameOf: bulk.nameOf }}
        />
      )}
      {page && <Pager {...page} {...pager} />}
      {page && bulk && selection !== nothingSelected && (
        <Suspense>
          {bulk.renderBar({ ...page, selection, onSelect, total: page.approximate ? 0 : page.total })}
        </Suspense>
      )}
      {bulk && <BegunHere />}
    </>
  )
}

type SimilarProps = { approximate: boolean | undefined; q: string }

/** Says above a list that nothing has the words that were looked for. */
function Similar({ approximate, q }: SimilarProps) {
  return (
    <p role="status" className={approximate ? undefined : shapes.sr}>
      {approximate && `No exact match for “${q}”. These are similar.`}
    </p>
  )
}
