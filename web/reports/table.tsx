import type { ComponentProps, ReactNode } from 'react'
import { useListLook } from '#web/lists/search.ts'
import type { Column } from '#web/ui/DataTable.tsx'
import { TableView } from '#web/ui/table/TableView.tsx'
import type { ReportTable } from './report.ts'

type ReportTableOptions<Row> = {
  /** Under this name the browser remembers the chosen columns. */
  name: string
  columns: readonly Column<Row>[]
  /** Whether the rows are of more than one organization; its column is left out otherwise, chosen or not. */
  ofAll: boolean
}

/** How the table of a report looks, and what turns its pages: as the address says, else as this browser remembers. */
export function useReportTable<Row>(
  { name, columns, ofAll }: ReportTableOptions<Row>,
  [state, change]: ReportTable,
) {
  const { look, view, pager } = useListLook(name, columns, [state, change])
  const shown = ofAll ? columns : columns.filter(({ key }) => key !== 'organization')
  return {
    /** For a `DataTable`. */
    table: { look, columns: shown },
    /** For its heading. */
    view: { ...view, columns: shown },
    /** For saved views. */
    drawn: { columns, look },
    pager: { ...pager, onOffset: (offset: number) => change({ offset }) },
  }
}

type Props = { title: string; view: ComponentProps<typeof TableView>; children: ReactNode }

/** The table of a report under its heading, with the choice of its columns. */
export function Rows({ title, view, children }: Props) {
  return (
    <section className="report-rows" aria-labelledby="rows">
      <header>
        <h2 id="rows">{title}</h2>
        <TableView {...view} />
      </header>
      {children}
    </section>
  )
}
