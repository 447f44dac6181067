import { Button } from '@mantine/core'
import { IconRefresh, IconScissors } from '@tabler/icons-react'
import { listVideos, readVideo, retryVideo, searchVideos, type Video } from '#contract/videos/videos.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { mayUseRest } from '../states.ts'

/** Another try at preparing a video whose file is on the server; of one that was cut off, with what is there. */
export function Retry({ video }: { video: Video }) {
  const isFromFragment = mayUseRest(video)
  const retry = useChange(retryVideo, [listVideos, searchVideos, readVideo])
  return (
    <Button
      variant="default"
      leftSection={
        isFromFragment ? <IconScissors size={16} aria-hidden /> : <IconRefresh size={16} aria-hidden />
      }
      loading={retry.isPending}
      onClick={() =>
        retry.mutate(
          { params: { videoId: video.id }, body: { acceptIncomplete: isFromFragment } },
          { onError: (error) => toast.failure(sentence(error)) },
        )
      }
    >
      {isFromFragment ? 'Use what is there' : 'Try again'}
    </Button>
  )
}
