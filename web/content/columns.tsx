import { Link } from '@tanstack/react-router'
import type { Video } from '#contract/videos/videos.ts'
import { paths } from '#web/paths.ts'
import type { Column } from '#web/ui/DataTable.tsx'
import { formatBytes, formatRuntime } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { Poster } from '#web/ui/Poster.tsx'
import { isMoving, movementOf, privacyLabels, stateLabels } from './states.ts'
import { useFailure } from './useFailure.ts'
import type { UploadHere } from './useUploads.ts'
import { whole } from '#web/ui/tips.ts'
import shapes from '#web/ui/shapes.module.css'

type Named = {
  projectNames: ReadonlyMap<string, string>
  /** Of several organizations. */
  isMixed: boolean
  uploads: ReadonlyMap<string, UploadHere>
}

/** Columns of the table of videos. */
export function videoColumns({ projectNames, isMixed, uploads }: Named): readonly Column<Video>[] {
  const all: readonly Column<Video>[] = [
    {
      key: 'title',
      header: 'Title',
      sort: 'title',
      isName: true,
      cell: ({ id, title, poster }) => (
        <span className={shapes.named}>
          <Poster src={poster} />
          <Link to={paths.video(id)} {...whole}>
            {title}
          </Link>
        </span>
      ),
    },
    {
      key: 'state',
      header: 'State',
      phone: 'end',
      width: '192px',
      cell: (video) => <State video={video} upload={uploads.get(video.id)} />,
    },
    {
      key: 'duration',
      header: 'Length',
      phone: 'end',
      sort: 'duration',
      align: 'end',
      width: '84px',
      cell: ({ durationMs }) => durationMs !== null && formatRuntime(durationMs),
    },
    {
      key: 'project',
      header: 'Project',
      phone: 'line',
      width: '152px',
      from: 'md',
      cell: ({ projectId }) => (projectId === null ? null : (projectNames.get(projectId) ?? '…')),
    },
    {
      key: 'organization',
      header: 'Organization',
      width: '152px',
      from: 'lg',
      dimmed: true,
      cell: ({ organizationName }) => organizationName,
    },
    {
      key: 'privacy',
      header: 'Who may watch',
      width: '132px',
      from: 'lg',
      cell: ({ privacy }) => privacyLabels[privacy].word,
    },
    {
      key: 'size',
      header: 'Size of the file',
      align: 'end',
      width: '128px',
      isExtra: true,
      dimmed: true,
      cell: ({ size }) => size !== null && formatBytes(size),
    },
    {
      key: 'created',
      header: 'Added',
      sort: 'createdAt',
      width: '112px',
      dimmed: true,
      from: 'md',
      cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
    },
  ]
  return isMixed ? all : all.filter(({ key }) => key !== 'organization')
}

function State({ video, upload }: { video: Video; upload: UploadHere | undefined }) {
  const { word, tone, means } = stateLabels[video.state]
  const failure = useFailure(video)
  if (video.state === 'uploading' && upload !== 'here')
    return (
      <StatusBadge tone="warning" title="Part of the file is missing. Open the video to go on.">
        Upload unfinished
      </StatusBadge>
    )
  return (
    <span className={shapes.hint}>
      <StatusBadge tone={tone} title={failure || means}>
        {word}
      </StatusBadge>
      {isMoving(video) && upload === undefined && <span>{movementOf(video)}</span>}
    </span>
  )
}
