import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Video } from '#contract/videos.ts'
import { paths } from '#web/paths.ts'
import { useVisit } from '#web/layout/useVisit.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { VideoTabs } from './VideoTabs.tsx'

type Props = {
  video: Pick<Video, 'id' | 'title'>
  /** Name of the tab that is open; none on the page of the video itself. */
  part?: string
  lead?: ReactNode
  actions?: ReactNode
}

/** The same head on all pages of a video: its title, and the way to the others. */
export function VideoHead({ video, part, lead, actions }: Props) {
  useVisit({ kind: 'content', title: video.title, detail: '', picture: null, path: paths.video(video.id) })
  return (
    <>
      <PageHead
        title={video.title}
        part={part}
        crumbs={<Link to={paths.content()}>Content</Link>}
        lead={lead}
        actions={actions}
      />
      <VideoTabs videoId={video.id} />
    </>
  )
}
