import type { FoundVideo, Video } from '#contract/videos/videos.ts'
import { useMoves } from '#web/ui/look/motion.ts'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { type Selecting, SelectBox } from '#web/ui/table/SelectCells.tsx'
import type { UploadHere } from './uploads/useUploads.ts'
import classes from './Cards.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { IconMovie } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { formatRuntime } from '#web/ui/format.ts'
import { isSelected } from '#web/ui/table/selection.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { Moments } from './Moments.tsx'
import { ContinueUpload } from './uploads/ContinueUpload.tsx'
import { Progress } from './uploads/Progress.tsx'
import { Retry } from './uploads/Retry.tsx'
import { isInLine, isMoving, mayRetry, mayUseRest, movementOf, stateLabels } from './states.ts'
import { useFailure } from './uploads/useFailure.ts'
import { whole } from '#web/ui/overlays/tips.ts'

/** Of a search, with what is said in it. */
export type ListedVideo = Video & Partial<Pick<FoundVideo, 'moments'>>

type Props = {
  videos: readonly ListedVideo[] | undefined
  projectNames: ReadonlyMap<string, string>
  /** Of several organizations. */
  isMixed: boolean
  isStale: boolean
  uploads: ReadonlyMap<string, UploadHere>
  selecting: Selecting<Video> | undefined
}

/** Videos as pictures. */
export function Cards({ videos, projectNames, isMixed, isStale, uploads, selecting }: Props) {
  const page = videos?.map(({ id }) => id) ?? []
  const list = useMoves<HTMLUListElement>(page)
  return (
    <ul
      ref={list}
      className={classes.cards}
      aria-label="Videos"
      aria-busy={!videos || isStale}
      data-stale={isStale || undefined}
    >
      {videos
        ? videos.map((video) => (
            <VideoCard
              key={video.id}
              video={video}
              projectName={video.projectId === null ? undefined : projectNames.get(video.projectId)}
              organizationName={isMixed ? video.organizationName : undefined}
              upload={uploads.get(video.id)}
              selecting={selecting && { ...selecting, page }}
            />
          ))
        : ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
            <li key={key} data-row className={`${shapes.card} ${classes.card}`} aria-hidden>
              <div className={`${shapes.blank} ${classes.poster}`} />
              <div className={classes.text}>
                <Bone width="70%" />
                <Bone width="40%" />
              </div>
            </li>
          ))}
    </ul>
  )
}

type VideoCardProps = {
  video: ListedVideo
  projectName: string | undefined
  /** Where videos of several organizations stand beside one another. */
  organizationName: string | undefined
  upload: UploadHere | undefined
  /** Adds a box beside the title. */
  selecting?: (Selecting<Video> & { page: readonly string[] }) | undefined
}

/** A video as a picture with its state; the whole card leads to its page. */
function VideoCard({ video, projectName, organizationName, upload, selecting }: VideoCardProps) {
  const { id, title, durationMs, poster, createdAt, tags } = video
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
        {tags.length > 0 && <p className={shapes.hint}>{tags.join(', ')}</p>}
        <State video={video} upload={upload} />
        <Moments videoId={id} moments={video.moments} />
      </div>
    </li>
  )
}

function State({ video, upload }: Pick<VideoCardProps, 'video' | 'upload'>) {
  const { word, tone, means } = stateLabels[video.state]
  const waits = video.state === 'uploading' && upload !== 'here'
  const showsProgress = isMoving(video) && upload === undefined
  const failure = useFailure(video)
  return (
    <>
      <div className={`${shapes.spaceBetween} ${shapes.hint}`}>
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
