import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { Tabs } from '#web/ui/Tabs.tsx'

/** The pages of one video, in the order of their tabs. */
const tabs: readonly { label: string; address: (videoId: string) => string }[] = [
  { label: 'Video', address: paths.video },
  { label: 'Viewing', address: paths.videoViewing },
  { label: 'Questions', address: paths.videoQuiz },
  { label: 'Results', address: paths.videoQuizResults },
]

const exactly = { exact: true, includeSearch: false }

/** Stands under the head of every page of a video. */
export function VideoTabs({ videoId }: { videoId: string }) {
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
