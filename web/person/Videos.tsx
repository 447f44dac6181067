import { Link } from '@tanstack/react-router'
import { listEvidence, type EvidenceVideo } from '#contract/evidence/evidence.ts'
import type { User } from '#contract/directory/users.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { Strip } from '#web/ui/Strip.tsx'
import { DataTable, type Column } from '#web/ui/DataTable.tsx'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatReached } from '#web/ui/format.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { KeptTime } from '#web/ui/KeptTime.tsx'
import { Standing } from '#web/ui/Standing.tsx'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { whole } from '#web/ui/tips.ts'

type Props = { orgId: string; user: User; offset: number; onOffset: (offset: number) => void }

const columnsFor = (orgId: string, userId: string): readonly Column<EvidenceVideo>[] => [
  {
    key: 'video',
    header: 'Video',
    isName: true,
    cell: ({ video: { id, title, exists } }) => (
      <Link to={paths.evidence(orgId, userId, id)} {...whole}>
        {title}
        {!exists && ' (removed)'}
      </Link>
    ),
  },
  {
    key: 'watched',
    header: 'Parts seen',
    phone: 'line',
    width: '104px',
    cell: ({ coverage, durationMs }) =>
      coverage.length > 0 && <Strip watched={coverage} durationMs={durationMs} />,
  },
  {
    key: 'share',
    header: 'Seen',
    align: 'end',
    width: '76px',
    cell: ({ share, coverage }) => coverage.length > 0 && formatReached(share),
  },
  {
    key: 'progress',
    header: 'State',
    phone: 'end',
    width: '160px',
    cell: ({ standing, completedAt }) =>
      standing && <Standing standing={standing} completedAt={completedAt} />,
  },
  {
    key: 'completed',
    header: 'Completed',
    width: '184px',
    dimmed: true,
    from: 'lg',
    cell: ({ completedAt }) => completedAt && <KeptTime iso={completedAt} />,
  },
  {
    key: 'state',
    header: 'Evidence',
    width: '144px',
    cell: ({ state }) => {
      if (state === null) return null
      const { word, tone, means } = evidenceLabels[state]
      return (
        <StatusBadge tone={tone} title={means}>
          {word}
        </StatusBadge>
      )
    },
  },
  {
    key: 'last',
    header: 'Last watched',
    width: '124px',
    dimmed: true,
    from: 'lg',
    cell: ({ lastAt }) => lastAt && <KeptTime iso={lastAt} />,
  },
]

/** The videos that somebody was sent or has watched; each leads to its evidence. */
export function Videos({ orgId, user, offset, onOffset }: Props) {
  const address = { params: { orgId, userId: user.id }, query: { offset } }
  const { page, isStale, error, retry } = useList(listEvidence, address)
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <section aria-label="Videos">
      <DataTable
        name={`Videos of ${user.name}`}
        columns={columnsFor(orgId, user.id)}
        rows={page?.items}
        rowKey={({ video }) => video.id}
        isStale={isStale}
        empty={
          <EmptyState title={`${user.name} has got no video yet`}>
            Send a video to {user.name}; which seconds they watched of it then stands here, and how that is
            known.
          </EmptyState>
        }
      />
      {page && <Pager {...page} offset={offset} onOffset={onOffset} />}
    </section>
  )
}
