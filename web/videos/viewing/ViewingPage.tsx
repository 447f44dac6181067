import { readVideo } from '#contract/videos.ts'
import { prefetch, useEndpoint } from '#web/api/query.ts'
import { usePathParam, type LoadInput } from '#web/shell/page.ts'
import { VideoHead } from '../VideoHead.tsx'
import { Nobody } from './Nobody.tsx'

export async function load({ params: { videoId = '' } }: LoadInput) {
  await prefetch(readVideo, { params: { videoId } })
}

export function ViewingPage() {
  const videoId = usePathParam('videoId')
  const video = useEndpoint(readVideo, { params: { videoId } })
  return (
    <>
      <VideoHead video={video} part="Viewing" />
      <Nobody video={video} />
    </>
  )
}
