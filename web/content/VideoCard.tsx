import { IconMovie } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Video } from '#contract/videos/videos.ts'
import { paths } from '#web/paths.ts'
import { formatRuntime } from '#web/ui/format.ts'
import { isSelected } from '#web/ui/table/selection.ts'
import { SelectBox, type Selecting } from '#web/ui/table/SelectCells.tsx'
import { StatusBadge } from '#web/ui/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { ContinueUpload } from './ContinueUpload.tsx'
import { Progress } from './Progress.tsx'
import { Retry } from './Retry.tsx'
import { isInLine, isMoving, mayRetry, mayUseRest, movementOf, stateLabels } from './states.ts'
import { useFailure } from './useFailure.ts'
import type { UploadHere } from './useUploads.ts'
import { whole } from '#web/ui/tips.ts'
import classes from './Cards.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  video: Video
  projectName: string | undefined
  /** Where videos of several organizations stand beside one another. */
  organizationName: string | undefined
  upload: UploadHere | undefined
  /** Adds a box beside the title. */
  selecting?: (Selecting<Video> & { page: readonly string[] }) | undefined
}

/** A video as a picture with its state; the whole card leads to its page. */
export function VideoCard({ video, projectName, organizationName, upload, selecting }: Props) {
  const { id, title, durationMs, poster, createdAt } = video
  const shape = (video.width ?? 16) / (video.height ?? 9)
  return (
    <li
      data-row
      className={`${shapes.card} ${classes.card}`}
      data-selected={selecting && isSelected(selecting.selection, id) ? true : undefined}
    >
      <div className={`${shapes.blank} ${classes.poster}`}>
        {poster ? (
          <img
            src={poster}
            alt=""
            loading="lazy"
            decoding="async"
            data-fills={(shape > 1.5 && shape < 2) || undefined}
          />
        ) : (
          <IconMovie size={32} aria-hidden />
        )}
        {durationMs !== null && <span>{formatRuntime(durationMs)}</span>}
      </div>
      <div className={classes.text}>
        <div className={shapes.named}>
          <h2 className={shapes.grow}>
            <Link className={shapes.cover} to={paths.video(id)} {...whole}>
              {title}
            </Link>
          </h2>
          {selecting && <SelectBox {...selecting} className={classes.select ?? ''} name={title} id={id} />}
        </div>
        <p className={shapes.hint}>
          {organizationName !== undefined && <>{organizationName} · </>}
          {projectName !== undefined && <>{projectName} · </>}
          <RelativeTime iso={createdAt} />
        </p>
        <State video={video} upload={upload} />
      </div>
    </li>
  )
}

function State({ video, upload }: Pick<Props, 'video' | 'upload'>) {
  const { word, tone, means } = stateLabels[video.state]
  const waits = video.state === 'uploading' && upload !== 'here'
  const showsProgress = isMoving(video) && upload === undefined
  const failure = useFailure(video)
  return (
    <>
      <div className={`${shapes.apart} ${shapes.hint}`}>
        {waits ? (
          <StatusBadge tone="warning" title="Part of the file is missing.">
            Upload unfinished
          </StatusBadge>
        ) : (
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
        )}
        {showsProgress && <span>{movementOf(video)}</span>}
      </div>
      {showsProgress && (
        <Progress name={`${word}: ${video.title}`} share={video.progress} isIdle={waits || isInLine(video)} />
      )}
      {waits && upload === undefined && <ContinueUpload video={video} />}
      {failure !== null && <p>{failure}</p>}
      {(mayRetry(video) || mayUseRest(video)) && <Retry video={video} />}
    </>
  )
}
