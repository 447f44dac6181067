import type { ComponentProps, ReactNode } from 'react'
import type * as z from 'zod/mini'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Quality } from '#contract/tracking/quality.ts'
import type { ReportName } from '#contract/reports/report-heads.ts'
import type { Overview as OverviewLabels } from '#contract/reports/report-overviews.ts'
import type { Role } from '#contract/roles.ts'
import { fetchFile, type Address } from '#web/api/client.ts'
import { prefetch, soon, useList } from '#web/api/query.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import type { Filter } from '#web/lists/bar/filters.ts'
import { useListLook } from '#web/lists/search.ts'
import { useUser } from '#web/session/useSession.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import type { SearchField } from '#web/ui/fields/SearchField.tsx'
import type { PageSize } from '#web/ui/table/choice.ts'
import type { ReportHead } from './Filters.tsx'
import { pageOf, reportQuery, type ReportState, type RowChoice, type ReportTable } from './report.ts'
import { ReportFrame } from './ReportFrame.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Answering<T> = Omit<EndpointDefinition, 'reply' | 'query'> & { reply: z.ZodMiniType<T> }
type Figures = ReportHead & { quality: Quality | null; asOf: string | null }
type PageOf<Row> = {
  items: Row[]
  total: number
  totalIsMinimum?: boolean | undefined
  offset: number
  limit: number
  next: string | null
}
type State = ReportState &
  RowChoice & {
    sort: string
    offset: number
    rows?: PageSize | undefined
    density?: ReportTable[0]['density']
    cols?: string | undefined
    view?: string | undefined
  }

/** A report as it is drawn for somebody. */
export type ReportView<Report, S> = {
  role: Role
  isSuperadmin: boolean
  /** Whether its rows are of more than one organization. */
  ofAll: boolean
  /** Once it is there. */
  report: Report | undefined
  state: S
  change: (patch: Partial<S>) => void
}

type ReportPageOptions<Report, Row, S> = {
  name: ReportName
  /** What is in its address. */
  search: z.ZodMiniType<S>
  report: Answering<Report>
  list: Answering<PageOf<Row>>
  file: EndpointDefinition
  overview: (report: Report) => OverviewLabels
  /** What its table holds. */
  title: string
  columns: (shown: ReportView<Report, S>) => readonly Column<Row>[]
  rowKey: (row: Row) => string
  /** Draws rows that belong together as one; a hook. */
  useFold?: (
    rows: readonly Row[] | undefined,
    columns: readonly Column<Row>[],
  ) => { rows: readonly Row[] | undefined; columns: readonly Column<Row>[] }
  empty: (shown: ReportView<Report, S>) => ReactNode
  /** The search and the filters of this report alone, and what else can be done with it. */
  searchField?: (shown: ReportView<Report, S>) => ComponentProps<typeof SearchField>
  filters?: (shown: ReportView<Report, S>) => readonly Filter[]
  /** The organization whose raw evidence can be taken along. */
  evidenceOf?: (shown: ReportView<Report, S>) => string | undefined
  /** Something about all of it, below the table. */
  before?: ReactNode
  /** Something about how the figures came to be, in place of the quality of evidence. */
  note?: ReactNode
}

const unfolded = <Row, Columns>(rows: Row, columns: Columns) => ({ rows, columns })

/** Of any report: what its query may be, its schema in the contract says to the server. */
const at = (query: object) => ({ query }) as unknown as Address<EndpointDefinition>

function rowsQuery({ q, action, sort, ...state }: State) {
  return { ...reportQuery(state), ...(q !== undefined && { q }), ...(action && { action }), sort }
}
const listQuery = (state: State) => ({ ...rowsQuery(state), ...pageOf(state) })

/** The page of a report and its loader, from what is its own. */
export function reportPage<Report extends Figures, Row, S extends State>(
  given: ReportPageOptions<Report, Row, S>,
) {
  const { name, search, title, useFold = unfolded } = given
  const reads = [given.report, given.list]

  function load({ search: asked }: LoadInput) {
    const state = readSearch(search, asked)
    return soon([prefetch(given.report, at(reportQuery(state))), prefetch(given.list, at(listQuery(state)))])
  }

  function Page() {
    const { role } = useUser()
    const [state, change] = usePageSearch(search)
    const figures = useList(given.report, at(reportQuery(state)))
    const report = figures.page as Report | undefined
    const { isStale, error, isBeingWorkedOut, retry, ...rows } = useList(given.list, at(listQuery(state)))
    const page = rows.page as PageOf<Row> | undefined
    const patch = change as (patch: Partial<State>) => void
    const isSuperadmin = role === 'superadmin'
    const ofAll = isSuperadmin && (report?.organization ?? null) === null
    const shown = { role, isSuperadmin, ofAll, report, state, change }
    const columns = given.columns(shown)
    // Whose a row is says nothing where all are of one organization, chosen or not.
    const offered = ofAll ? columns : columns.filter(({ key }) => key !== 'organization')
    const folded = useFold(page?.items, offered)
    const { look, view, pager } = useListLook(name, columns, [state, patch])
    return (
      <ReportFrame
        name={name}
        state={state}
        onChange={patch}
        report={report}
        failure={figures.error ?? error}
        isBeingWorkedOut={figures.isBeingWorkedOut || isBeingWorkedOut}
        onRetry={figures.error ? figures.retry : retry}
        reads={reads}
        overview={report && given.overview(report)}
        search={given.searchField?.(shown)}
        filters={given.filters?.(shown)}
        table={{ ...view, columns: offered }}
        read={(format) => fetchFile(given.file, at({ ...rowsQuery(state), format }))}
        evidenceOf={given.evidenceOf?.(shown)}
        before={given.before}
        note={given.note}
        hasRows={page !== undefined || error !== null}
      >
        <h2 className={shapes.sr}>{title}</h2>
        {(page || !error) && (
          <DataTable
            look={look}
            {...folded}
            name={title}
            rowKey={given.rowKey}
            sort={state.sort}
            onSort={(sort) => patch({ sort: readSearch(search, { sort }).sort })}
            isStale={isStale}
            empty={given.empty(shown)}
          />
        )}
        {page && <Pager {...page} {...pager} offset={page.offset} onOffset={(offset) => patch({ offset })} />}
      </ReportFrame>
    )
  }

  return { load, Page }
}
