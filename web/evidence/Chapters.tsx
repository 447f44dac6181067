import { Link } from '@tanstack/react-router'
import type { EvidenceVersion } from '#contract/evidence/evidence.ts'
import { paths } from '#web/paths.ts'
import { formatClock, formatLength, formatReached } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Chapter = EvidenceVersion['chapters'][number]
type Props = {
  version: EvidenceVersion
  name: string
  /** Where its chapters can be played; null for who may not open content, and for another version than the present one. */
  videoId: string | null
}

const shareOf = ({ startMs, endMs, coveredMs }: Chapter) => coveredMs / Math.max(1, endMs - startMs)
const missingMs = ({ startMs, endMs, coveredMs }: Chapter) => endMs - startMs - coveredMs

const columnsFor = (videoId: string | null): Column<Chapter>[] => [
  {
    key: 'title',
    header: 'Chapter',
    isName: true,
    cell: ({ title, startMs }) =>
      videoId === null ? (
        <span dir="auto">{title}</span>
      ) : (
        <Link to={paths.video(videoId)} hash={`t=${startMs / 1_000}`} dir="auto">
          {title}
        </Link>
      ),
  },
  {
    key: 'time',
    header: 'Time',
    width: '136px',
    phone: 'line',
    cell: ({ startMs, endMs }) => `${formatClock(startMs)}–${formatClock(endMs)}`,
  },
  {
    key: 'share',
    header: 'Seen',
    width: '88px',
    align: 'end',
    phone: 'end',
    cell: (chapter) => formatReached(shareOf(chapter)),
  },
  {
    key: 'bar',
    header: 'Share',
    width: '160px',
    from: 'md',
    cell: (chapter) => (
      <ShareBar
        parts={[{ tone: 'watched', value: shareOf(chapter), label: formatReached(shareOf(chapter)) }]}
        total={1}
      />
    ),
  },
  {
    key: 'missing',
    header: 'Missing',
    width: '120px',
    align: 'end',
    phone: 'line',
    cell: (chapter) => (missingMs(chapter) === 0 ? 'Nothing' : formatLength(missingMs(chapter))),
  },
]

/** What somebody has seen of each chapter. */
export function ChaptersSeen({ version: { chapters }, name, videoId }: Props) {
  if (chapters.length === 0) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="evidence-chapters">
      <h2 id="evidence-chapters">By chapter</h2>
      <DataTable
        name={`What ${name} has seen of each chapter`}
        columns={columnsFor(videoId)}
        rows={chapters}
        rowKey={({ startMs }) => String(startMs)}
        empty={null}
      />
    </section>
  )
}
