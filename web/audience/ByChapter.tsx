import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { AudienceCurves, AudienceVersion, VideoAudience } from '#contract/audience/audience.ts'
import { formatClock, formatNumber, formatShare } from '#web/ui/format.ts'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { figuresByChapter, type ChapterFigures } from './chapterFigures.ts'

type Props = {
  audience: VideoAudience
  version: AudienceVersion
  curves: AudienceCurves
  onPlay?: ((ms: number) => void) | undefined
}

const columnsFor = (who: 'viewers' | 'plays'): Column<ChapterFigures>[] => [
  { key: 'title', header: 'Chapter', isName: true, cell: ({ title }) => <span dir="auto">{title}</span> },
  {
    key: 'time',
    header: 'Time',
    width: '136px',
    phone: 'line',
    cell: ({ startMs, endMs }) => `${formatClock(startMs)}–${formatClock(endMs)}`,
  },
  {
    key: 'share',
    header: who === 'viewers' ? 'Seen by' : 'Seen in',
    width: '160px',
    align: 'end',
    phone: 'end',
    cell: ({ share }) =>
      who === 'viewers' ? `${formatShare(share)} of viewers` : `${formatShare(share)} of plays`,
  },
  {
    key: 'bar',
    header: 'Share',
    width: '160px',
    from: 'md',
    cell: ({ share }) => (
      <ShareBar parts={[{ tone: 'watched', value: share, label: formatShare(share) }]} total={1} />
    ),
  },
  {
    key: 'left',
    header: 'Left in it',
    width: '104px',
    align: 'end',
    phone: 'line',
    cell: ({ left }) => formatNumber(left),
  },
]

const playsFrom =
  (onPlay: (ms: number) => void) =>
  ({ title, startMs }: ChapterFigures) => (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlayerPlay size={14} aria-hidden />}
      aria-label={`Play ${title}`}
      onClick={() => onPlay(startMs)}
    >
      Play
    </Button>
  )

/** How each chapter holds its viewers: the curve above, one row for each. */
export function ByChapter({ audience: { chapters, period }, version, curves, onPlay }: Props) {
  if (chapters.length === 0) return null
  const who = period === 'all' ? 'viewers' : 'plays'
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="by-chapter">
      <h2 id="by-chapter">By chapter</h2>
      <DataTable
        name="What was watched of each chapter"
        columns={columnsFor(who)}
        rows={figuresByChapter(chapters, curves, version.durationMs)}
        rowKey={({ startMs }) => String(startMs)}
        empty={null}
        {...(onPlay && {
          actionsWidth: '96px',
          actions: playsFrom(onPlay),
        })}
      />
    </section>
  )
}
