import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  readEvidenceSession,
  type EvidenceEvent,
  type EvidenceSession,
  type EvidenceSpan,
} from '#contract/evidence/evidence.ts'
import { language } from '#contract/platform/text/language.ts'
import { queryOf } from '#web/api/query.ts'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatLength, formatNumber, formatPosition } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { eventWord, marksIn, refusalLabels } from '#web/evidence/labels.ts'
import { wholeStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  address: { orgId: string; userId: string; videoId: string }
  session: EvidenceSession
}

const clock = new Intl.DateTimeFormat(language, { timeStyle: 'medium' })
const timeOf = (iso: string) => <time dateTime={iso}>{clock.format(new Date(iso))}</time>

const spanColumns: readonly Column<EvidenceSpan>[] = [
  {
    key: 'part',
    header: 'Played',
    isName: true,
    width: '168px',
    cell: ({ startMs, endMs }) => `${formatPosition(startMs)} to ${formatPosition(endMs)}`,
  },
  { key: 'at', header: 'Began', width: '120px', cell: ({ at }) => timeOf(at) },
  {
    key: 'wall',
    header: 'Took',
    align: 'end',
    width: '96px',
    cell: ({ wallMs }) => formatLength(wallMs),
  },
  { key: 'rate', header: 'Speed', align: 'end', width: '72px', cell: ({ rate }) => `${rate}×` },
  { key: 'how', header: 'How', width: '120px', from: 'md', cell: ({ marks }) => marksIn(marks).join(', ') },
  { key: 'counts', header: 'Counts', cell: counts },
]

function counts({ refused, credited, startMs, endMs }: EvidenceSpan) {
  if (refused !== null)
    return (
      <span {...wholeStop}>
        <StatusBadge tone="neutral">No</StatusBadge> {refusalLabels[refused]}
      </span>
    )
  if (credited === null) return 'No'
  if (credited[0] === startMs && credited[1] >= endMs) return 'All of it'
  return `${formatPosition(credited[0])} to ${formatPosition(credited[1])}`
}

const eventColumns: readonly Column<EvidenceEvent>[] = [
  { key: 'type', header: 'Event', isName: true, cell: ({ type }) => eventWord(type) },
  { key: 'at', header: 'When', width: '120px', cell: ({ at }) => timeOf(at) },
  {
    key: 'position',
    header: 'In the video',
    width: '120px',
    align: 'end',
    cell: ({ positionMs }) => formatPosition(positionMs),
  },
  { key: 'data', header: 'Details', cell: detailsOf },
]

function detailsOf({ type, data }: EvidenceEvent): string | null {
  if (data === null) return null
  const to = data['to']
  if (type === 'seek' && typeof to === 'number') return `to ${formatPosition(to)}`
  const ms = data['ms']
  if (typeof ms === 'number') return formatLength(ms)
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** The stretches and events of one session, fetched when it is unfolded and again when it has reported more. */
export function SessionDetail({ address, session }: Props) {
  const params = { ...address, sessionId: session.id }
  const { data, error, refetch } = useQuery({
    ...queryOf(readEvidenceSession, { params }),
    refetchInterval: () => (Date.now() - Date.parse(session.lastAt) < 60_000 ? 5_000 : false),
  })
  if (error || !data) return <NotRead error={error} retry={() => void refetch()} height={120} />
  return (
    <>
      <h3>Stretches</h3>
      <Rows
        name="Stretches that were played"
        columns={spanColumns}
        rows={data.spans}
        rowKey={({ index }) => `${index}`}
        empty="Nothing was played"
      />
      {data.events.length > 0 && (
        <>
          <h3>Events</h3>
          <Rows
            name="What else happened"
            columns={eventColumns}
            rows={data.events}
            rowKey={({ number }) => `${number}`}
            empty="Nothing else happened"
          />
        </>
      )}
    </>
  )
}

type RowsProps<Row> = {
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  empty: string
}

/** A session may have thousands; nobody reads them all by accident. */
const most = 50

function Rows<Row>({ rows, empty, ...table }: RowsProps<Row>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, most)
  return (
    <div>
      <DataTable {...table} rows={shown} empty={<EmptyState title={empty} />} />
      {shown.length < rows.length && (
        <button type="button" className={shapes.link} onClick={() => setWhole(true)}>
          Show all {formatNumber(rows.length)}
        </button>
      )}
    </div>
  )
}
