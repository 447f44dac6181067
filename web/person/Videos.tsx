import { Link } from '@tanstack/react-router'
import { listEvidence, type EvidenceVideo } from '#contract/evidence.ts'
import { listTraining, type TrainingState } from '#contract/training.ts'
import type { User } from '#contract/users.ts'
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
import { Mark } from '#web/training/Legend.tsx'
import { stateAt } from '#web/training/states.ts'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { whole } from '#web/ui/tips.ts'

type Props = { orgId: string; user: User; offset: number; onOffset: (offset: number) => void }

/** In which nothing is asked, whatever was completed before. */
const over = new Set<TrainingState | undefined>(['passed', 'completed', 'expired', 'waived', undefined])

type Shown = {
  orgId: string
  userId: string
  stateOf: (row: EvidenceVideo) => TrainingState | undefined
}

function columnsFor({ orgId, userId, stateOf }: Shown): readonly Column<EvidenceVideo>[] {
  return [
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
      width: '128px',
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
      cell: (row) => {
        const state = stateOf(row)
        return state && <Mark state={state} />
      },
    },
    {
      key: 'completed',
      header: 'Completed',
      width: '184px',
      dimmed: true,
      from: 'lg',
      cell: (row) =>
        row.completedAt && (
          <>
            <KeptTime iso={row.completedAt} />
            {!over.has(stateOf(row)) && ', asked again'}
          </>
        ),
    },
    {
      key: 'state',
      header: 'Evidence',
      width: '120px',
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
}

/** The row of the training matrix, by which everybody stands everywhere. */
export const rowOf = (orgId: string, userId: string) => ({
  params: { orgId },
  query: { personId: userId, videos: 'any' as const, limit: 1 },
})

/** How far somebody is with what the matrix does not have: a video that was removed, or a person who is disabled. */
function ownState({ failed, completedAt, coverage }: EvidenceVideo): TrainingState | undefined {
  if (failed) return failed.isFinal ? 'out_of_attempts' : 'failed'
  if (completedAt) return 'completed'
  return coverage.length > 0 ? 'started' : undefined
}

/** The videos that somebody was sent or has watched; each leads to its evidence. */
export function Videos({ orgId, user, offset, onOffset }: Props) {
  const address = { params: { orgId, userId: user.id }, query: { offset } }
  const { page, isStale, error, retry } = useList(listEvidence, address)
  const training = useList(listTraining, rowOf(orgId, user.id)).page
  const stateOf = (row: EvidenceVideo) =>
    stateAt(training?.items[0]?.cells ?? '', training?.videoIds.indexOf(row.video.id) ?? -1) ?? ownState(row)
  if (error) return <NotRead error={error} retry={retry} />
  return (
    <section aria-label="Videos">
      <DataTable
        name={`Videos of ${user.name}`}
        columns={columnsFor({ orgId, userId: user.id, stateOf })}
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
