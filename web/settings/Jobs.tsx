import { Button } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Reply } from '#contract/endpoint.ts'
import { jobKinds, readJobs, retryJob, type JobFailure, type JobKind } from '#contract/platform/upkeep.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { Says, SetAside } from '#web/settings/SetAside.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatDuration, formatNumber } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Count = Reply<typeof readJobs>['kinds'][number]

const words: Record<JobKind, { name: string; failed: string }> = {
  'video.probe': {
    name: 'Looking at uploaded files',
    failed: 'An uploaded file could not be looked at.',
  },
  'video.process': { name: 'Preparing videos', failed: 'A video could not be prepared.' },
  'captions.recognise': { name: 'Recognising speech', failed: 'The speech of a video was not recognised.' },
  'transmission.run': { name: 'Sending messages', failed: 'A message was not sent to its end.' },
  'operation.run': {
    name: 'Imports and changes of many',
    failed: 'An import, or a change of many, was not brought to its end.',
  },
  'mail.send': {
    name: 'Codes, invitations and notices',
    failed: 'Sending codes, invitations and notices broke off.',
  },
  'mail.returns': { name: 'Mails that come back', failed: 'Reading the mails that came back broke off.' },
  'sample.fill': { name: 'Sample data', failed: 'The sample data was not filled in to its end.' },
  'reports.send': { name: 'Reports by mail', failed: 'Sending reports by mail broke off.' },
  'backup.run': { name: 'Backups', failed: 'A backup broke off.' },
  housekeeping: { name: 'Tidying up', failed: 'Tidying up broke off.' },
}

const nothingFailed = (
  <EmptyState title="Nothing has failed" icon={<IconCircleCheck size={24} />}>
    What fails is tried again by itself several times. Only what has failed at every try appears here, for a
    week.
  </EmptyState>
)

/** What works in the background: what waits and since when, what runs, and what has failed for good. */
export function Jobs() {
  const { page, error, retry } = useList(readJobs, {}, { every: 5_000 })
  if (error)
    return (
      <div className={shapes.card}>
        <NotRead error={error} retry={retry} />
      </div>
    )
  return (
    <div className={shapes.stack}>
      <section className={shapes.stack} aria-labelledby="jobs-kinds">
        <h2 id="jobs-kinds">What waits and runs</h2>
        <DataTable
          name="Background work by its kind"
          columns={counts}
          rows={page?.kinds}
          rowKey={({ kind }) => kind}
          empty={null}
          skeletonRows={8}
        />
      </section>
      <section className={shapes.stack} aria-labelledby="jobs-failures">
        <h2 id="jobs-failures">What has failed</h2>
        <DataTable
          name="Background work that has failed, newest first"
          columns={failures}
          rows={page?.failures}
          rowKey={({ id }) => id}
          empty={nothingFailed}
          skeletonRows={2}
          actions={again}
          actionsWidth="136px"
          hasWideActions
        />
      </section>
      <SetAside />
    </div>
  )
}

const some = (count: number) => count > 0 && formatNumber(count)

const counts: readonly Column<Count>[] = [
  { key: 'kind', header: 'Work', isName: true, cell: ({ kind }) => words[kind].name },
  { key: 'running', header: 'Running', align: 'end', width: '104px', cell: ({ running }) => some(running) },
  { key: 'waiting', header: 'Waiting', align: 'end', width: '104px', cell: ({ waiting }) => some(waiting) },
  {
    key: 'oldest',
    header: 'Oldest waiting',
    align: 'end',
    width: '136px',
    dimmed: true,
    cell: ({ oldestSeconds }) => oldestSeconds !== null && formatDuration(oldestSeconds * 1_000),
  },
  {
    key: 'later',
    header: 'Due later',
    align: 'end',
    width: '112px',
    dimmed: true,
    from: 'md',
    cell: ({ later }) => some(later),
  },
  {
    key: 'failed',
    header: 'Failed',
    align: 'end',
    width: '112px',
    cell: ({ failed }) =>
      failed > 0 && (
        <StatusBadge tone="danger" title="Failed at every try">
          {formatNumber(failed)}
        </StatusBadge>
      ),
  },
  {
    key: 'lastError',
    header: 'Last failure',
    dimmed: true,
    from: 'lg',
    cell: ({ lastError }) => lastError,
  },
]

/** What it was about, with the way there. */
function About({ video, transmission, organizationName }: JobFailure) {
  if (video) return <Link to={paths.video(video.id)}>{video.title}</Link>
  if (transmission) return <Link to={paths.transmission(transmission.id)}>{transmission.subject}</Link>
  return organizationName
}

const failures: readonly Column<JobFailure>[] = [
  {
    key: 'what',
    header: 'What',
    isName: true,
    cell: ({ kind, message }) => <Says words={words[kind].failed} reason={message} />,
  },
  { key: 'about', header: 'About', width: '200px', cell: About },
  { key: 'at', header: 'When', width: '136px', dimmed: true, cell: ({ at }) => <RelativeTime iso={at} /> },
]

const again = (failure: JobFailure) => <Again failure={failure} />

function Again({ failure: { id, kind, video } }: { failure: JobFailure }) {
  const retry = useChange(retryJob, [readJobs])
  if (jobKinds[kind] === 'itself') return <span className={shapes.unit}>Again by itself</span>
  if (jobKinds[kind] === 'video')
    return video ? (
      <Link to={paths.video(video.id)}>Open the video</Link>
    ) : (
      <span className={shapes.unit}>Removed</span>
    )
  const press = () => attempt(() => retry.mutateAsync({ params: { jobId: id } }), 'It is in line again.')
  return (
    <Button size="xs" variant="default" loading={retry.isPending} onClick={() => void press()}>
      Try again
    </Button>
  )
}
