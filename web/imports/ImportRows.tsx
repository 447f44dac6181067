import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { exportImportRows, listImportRows, type Import, type ImportRow } from '#contract/imports/imports.ts'
import type { RowOutcome } from '#contract/operations.ts'
import { useBusy } from '#web/api/attempt.ts'
import { fetchFile } from '../api/client.ts'
import { useList } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePageSearch } from '../layout/page.ts'
import { DataTable, type Column } from '../ui/table/DataTable.tsx'
import { offer } from '../ui/browser/download.ts'
import { EmptyState } from '../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { dash, formatNumber, plural } from '../ui/format.ts'
import { Notice } from '../ui/feedback/Notice.tsx'
import { Pager } from '../ui/table/Pager.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import classes from './ImportRows.module.css'
import { search } from './search.ts'
import { outcomes, shownOutcomes } from './labels.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Phase = 'before' | 'after'
type Props = { orgId: string; importId: string; phase: Phase } & Pick<Import, 'counts' | 'warned'>

/** Counts that choose, and the rows behind them with what changes or what is wrong. */
export function ImportRows({ orgId, importId, counts, warned, phase }: Props) {
  const [{ outcome, offset }, change] = usePageSearch(search)
  const { page, isStale, error, retry } = useList(listImportRows, {
    params: { orgId, importId },
    query: { outcome, offset },
  })
  const left = (counts.conflict ?? 0) + (counts.failed ?? 0)
  return (
    <section className={shapes.stack} aria-label="Rows">
      <Tabs counts={counts} phase={phase} present={outcome} onChoose={(next) => change({ outcome: next })} />
      {left + warned > 0 && <Mend {...{ orgId, importId, left, warned }} />}
      {error ? (
        <NotRead error={error} retry={retry} />
      ) : (
        <DataTable
          name="Rows of the file"
          columns={columnsFor(orgId, phase)}
          rows={page?.items}
          rowKey={({ row }) => String(row)}
          isStale={isStale}
          empty={<EmptyState title="No row here">Choose other rows above.</EmptyState>}
        />
      )}
      {page && <Pager {...page} onOffset={(next) => change({ offset: next })} />}
    </section>
  )
}

type TabsProps = {
  counts: Import['counts']
  phase: Phase
  present: RowOutcome | undefined
  onChoose: (outcome: RowOutcome | undefined) => void
}

function Tabs({ counts, phase, present, onChoose }: TabsProps) {
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
  const shown = [...shownOutcomes, ...(counts.failed ? (['failed'] as const) : [])]
  const tab = (key: RowOutcome | undefined, word: string, count: number) => (
    <button
      key={word}
      type="button"
      className={shapes.tile}
      aria-pressed={present === key}
      data-none={count === 0 || undefined}
      onClick={() => onChoose(key)}
    >
      <strong>{formatNumber(count)}</strong>
      {word}
    </button>
  )
  return (
    <div className={classes.counts} role="group" aria-label="Outcome">
      {tab(undefined, 'All rows', total)}
      {shown.map((one) => tab(one, outcomes[one][phase], counts[one] ?? 0))}
    </div>
  )
}

type MendProps = { orgId: string; importId: string; left: number; warned: number }

function Mend({ orgId, importId, left, warned }: MendProps) {
  const [isBusy, run] = useBusy()
  const save = () =>
    run(async () => {
      offer(await fetchFile(exportImportRows, { params: { orgId, importId } }), 'rows-to-mend.csv')
    })
  return (
    <Notice
      tone="neutral"
      action={
        <Button
          variant="default"
          loading={isBusy}
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => void save()}
        >
          Download these rows
        </Button>
      }
    >
      {left > 0 && `${plural(left, 'row')} cannot be imported.`}{' '}
      {warned > 0 && `${plural(warned, 'row is', 'rows are')} imported without a cell that cannot be read.`}{' '}
      Download these rows, with the reason in one more column. Correct that file, and import it.
    </Notice>
  )
}

function columnsFor(orgId: string, phase: Phase): Column<ImportRow>[] {
  return [
    {
      key: 'row',
      header: 'Row',
      cell: ({ row }) => formatNumber(row),
      align: 'end',
      width: '72px',
      dimmed: true,
    },
    {
      key: 'label',
      header: 'Person',
      isName: true,
      width: '24%',
      cell: ({ label, userId }) =>
        userId === null ? label : <Link to={paths.person(orgId, userId)}>{label}</Link>,
    },
    {
      key: 'outcome',
      header: 'Outcome',
      width: '172px',
      cell: ({ outcome }) => (
        <StatusBadge tone={outcomes[outcome].tone}>{outcomes[outcome][phase]}</StatusBadge>
      ),
    },
    { key: 'what', header: 'Details', cell: (row) => <What {...row} /> },
  ]
}

function What({ reason, changes, outcome }: ImportRow) {
  if (reason === null) return <Changes {...{ changes, outcome }} />
  return (
    <>
      <p className={classes.what}>{reason}</p>
      {changes.length > 0 && <Changes {...{ changes, outcome }} />}
    </>
  )
}

function Changes({ changes, outcome }: Pick<ImportRow, 'changes' | 'outcome'>) {
  if (changes.length === 0) return dash
  if (outcome === 'created') return <span className={classes.what}>{newWords(changes)}</span>
  return (
    <ul className={classes.what}>
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          {field}: {field !== 'Groups' && <del>{before ?? 'nothing'}</del>}
          <span aria-hidden>{field === 'Groups' ? '+ ' : ' → '}</span>
          <ins>{after ?? 'nothing'}</ins>
        </li>
      ))}
    </ul>
  )
}

/** The name stands beside it. */
function newWords(changes: ImportRow['changes']): string {
  const values = changes.filter(({ field, after }) => field !== 'Name' && after !== 'active')
  return values.map(({ field, after }) => (field === 'Email' ? after : `${field}: ${after}`)).join(' · ')
}
