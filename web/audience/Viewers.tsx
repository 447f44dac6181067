import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { listViewers, type Viewer } from '#contract/audience/audience.ts'
import type { Video } from '#contract/videos/videos.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useListLook } from '#web/lists/search.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { readSearch } from '#web/layout/page.ts'
import { Strip } from '#web/ui/figures/Strip.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatDuration, formatNumber, formatReached, plural } from '#web/ui/format.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { evidenceLabels } from '#web/evidence/labels.ts'
import { RelativeTime } from '#web/ui/Time.tsx'
import { search, viewersQuery, type Search } from './search.ts'
import { whole } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  video: Pick<Video, 'id' | 'organizationId'>
  durationMs: number
  state: Search
  change: (patch: Partial<Search>) => void
}

/** Who watched, by name; each row leads to the evidence about that person. */
export function Viewers({ video: { id: videoId, organizationId }, durationMs, state, change }: Props) {
  const { q, sort, evidence } = state
  const { page, isStale, error, retry } = useList(listViewers, {
    params: { videoId },
    query: viewersQuery(state),
  })
  const columns = useMemo(() => columnsFor(videoId, durationMs), [videoId, durationMs])
  const { look, view, pager } = useListLook('viewers', columns, [state, change])
  return (
    <section className={shapes.stack} aria-labelledby="viewers-title">
      <header className={shapes.spaceBetween}>
        <h2 id="viewers-title">Viewers</h2>
        {page && <p className={shapes.hint}>{anonymousText(page.anonymous)}</p>}
      </header>
      <ListBar
        search={{ label: 'Name or email', value: q, onSearch: (text) => change({ q: text }) }}
        filters={[
          choice({
            label: 'Evidence',
            none: 'Any evidence',
            options: evidenceOptions,
            value: evidence,
            onChange: (value) => change({ evidence: value }),
          }),
        ]}
        onClear={() => change({ q: '', evidence: undefined })}
        found={isStale ? undefined : page}
        views={{ list: 'viewers', orgId: organizationId, drawn: view }}
        table={view}
      />
      {error ? (
        <NotRead error={error} retry={retry} />
      ) : (
        <DataTable
          look={look}
          name="Viewers of this video"
          columns={columns}
          rows={page?.items}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={(next) => change({ sort: readSearch(search, { sort: next }).sort })}
          isStale={isStale}
          empty={
            <EmptyState title={q === '' && !evidence ? 'Nobody known by name' : 'Nobody found'}>
              {evidence
                ? 'No viewer has this evidence, with what else you are looking for.'
                : q === ''
                  ? 'Who opens the video with a personal link stands here with a name.'
                  : 'No viewer has these words in the name or the email.'}
            </EmptyState>
          }
        />
      )}
      {page && <Pager {...page} {...pager} />}
    </section>
  )
}

/** States that somebody who has played the video can have. */
const filterable = ['proven', 'likely', 'checking', 'contradicted'] as const
const evidenceOptions = filterable.map((value) => [value, evidenceLabels[value].word] as const)

function anonymousText({
  viewers,
  completed,
  watchedMs,
}: {
  viewers: number
  completed: number
  watchedMs: number
}) {
  if (viewers === 0) return 'All of them are known by name.'
  return `Besides, ${plural(viewers, 'visitor')} without a name: ${formatDuration(watchedMs)} watched, ${formatNumber(completed)} completed.`
}

function columnsFor(videoId: string, durationMs: number): readonly Column<Viewer>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      sort: 'name',
      isName: true,
      cell: ({ name, organizationId, userId, exists }) => (
        <Link to={paths.evidence(organizationId, userId, videoId)} {...whole}>
          {exists ? name : `${name} (removed)`}
        </Link>
      ),
    },
    {
      key: 'coverage',
      header: 'Parts seen',
      width: '240px',
      cell: ({ coverage }) => <Strip watched={coverage} durationMs={durationMs} />,
    },
    {
      key: 'share',
      header: 'Seen',
      sort: 'share',
      align: 'end',
      width: '88px',
      cell: ({ share }) => formatReached(share),
    },
    {
      key: 'watchedMs',
      header: 'Time watched',
      sort: 'watchedMs',
      align: 'end',
      width: '120px',
      cell: ({ watchedMs }) => formatDuration(watchedMs),
    },
    {
      key: 'plays',
      header: 'Plays',
      sort: 'plays',
      align: 'end',
      width: '80px',
      from: 'md',
      cell: ({ plays }) => formatNumber(plays),
    },
    {
      key: 'completedAt',
      header: 'Completed',
      sort: 'completedAt',
      width: '136px',
      dimmed: true,
      cell: ({ completedAt }) => completedAt && <RelativeTime iso={completedAt} />,
    },
    {
      key: 'evidence',
      header: 'Evidence',
      width: '150px',
      cell: ({ evidence }) => (
        <StatusBadge tone={evidenceLabels[evidence].tone} title={evidenceLabels[evidence].means}>
          {evidenceLabels[evidence].word}
        </StatusBadge>
      ),
    },
    {
      key: 'lastAt',
      header: 'Last watched',
      sort: 'lastAt',
      width: '136px',
      dimmed: true,
      cell: ({ lastAt }) => <RelativeTime iso={lastAt} />,
    },
  ]
}
