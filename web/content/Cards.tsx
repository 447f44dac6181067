import type { Video } from '#contract/videos/videos.ts'
import { useMoves } from '#web/ui/motion.ts'
import { Bone } from '#web/ui/Skeletons.tsx'
import type { Selecting } from '#web/ui/table/SelectCells.tsx'
import type { UploadHere } from './useUploads.ts'
import { VideoCard } from './VideoCard.tsx'
import classes from './Cards.module.css'
import shapes from '#web/ui/shapes.module.css'

type Props = {
  videos: readonly Video[] | undefined
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
