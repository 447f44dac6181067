import { Button } from '@mantine/core'
import { IconEye, IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Video } from '#contract/videos/videos.ts'
import { paths } from '#web/paths.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import shapes from '#web/ui/shapes.module.css'

/** Before anybody has watched: what will stand here, and how it comes about. */
export function Nobody({ video }: { video: Pick<Video, 'id' | 'state'> }) {
  return (
    <div className={shapes.card}>
      <EmptyState
        title="Nobody has watched this video yet"
        icon={<IconEye size={24} />}
        action={
          video.state === 'ready' && (
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              renderRoot={(props) => (
                <Link to={paths.transmissionCreate()} search={{ videoId: video.id }} {...props} />
              )}
            >
              Send this video
            </Button>
          )
        }
      >
        As soon as somebody plays it, this page shows which parts they watched, watched again and left out.
      </EmptyState>
    </div>
  )
}
