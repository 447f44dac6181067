import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Video } from '#contract/videos/videos.ts'
import { paths } from '#web/paths.ts'
import { useVisit } from '#web/layout/useVisit.ts'
import { PageFrame, type FrameProps } from '#web/ui/PageFrame.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'

type Props = {
  video: Pick<Video, 'id' | 'title'>
  /** Name of the tab that is open; none on the page of the video itself. */
  part?: string
  lead?: ReactNode
  actions?: ReactNode
  /** Secondary actions. */
  more?: ReactNode
  /** What is seldom done. */
  seldom?: ReactNode
}

const toContent = <Link to={paths.content()}>Content</Link>

/** The pages of one video, in the order of their tabs. */
const tabs: readonly { label: string; address: (videoId: string) => string }[] = [
  { label: 'Video', address: paths.video },
  { label: 'Viewing', address: paths.videoViewing },
  { label: 'Questions', address: paths.videoQuiz },
  { label: 'Results', address: paths.videoQuizResults },
]

const exactly = { exact: true, includeSearch: false }

/** Stands under the head of every page of a video. */
function VideoTabs({ videoId }: { videoId: string }) {
  return (
    <Tabs label="About this video">
      {tabs.map(({ label, address }) => (
        <Link key={label} to={address(videoId)} activeOptions={exactly}>
          {label}
        </Link>
      ))}
    </Tabs>
  )
}

/** The same head on all pages of a video: its title, and the way to the others. */
export function VideoHead({ video, part, ...head }: Props) {
  useVisit({ kind: 'content', title: video.title, detail: '', picture: null, path: paths.video(video.id) })
  return (
    <>
      <PageHead title={video.title} part={part} crumbs={toContent} {...head} />
      <VideoTabs videoId={video.id} />
    </>
  )
}

/** All of them while their video is not there. */
export function VideoFrame(frame: FrameProps & { bones?: ReactNode; hasAction?: boolean }) {
  const { videoId = '' } = useParams({ strict: false })
  return (
    <PageFrame name="Video" hasLead crumbs={toContent} {...frame}>
      <VideoTabs videoId={videoId} />
    </PageFrame>
  )
}
