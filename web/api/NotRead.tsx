import { Button } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { Notice } from '../ui/feedback/Notice.tsx'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import { sentence } from './errors.ts'

type Props = {
  error: unknown
  /** What it is about, where that is not all of the page. */
  about?: string
  retry?: () => void
  height?: number
}

/** In place of what has not been read: a grey bar of its height, or a line that says why it could not be. */
export function NotRead({ error, about, retry, height = 0 }: Props) {
  if (!error) return <Bone height={height} />
  return (
    <Notice
      tone="danger"
      role="alert"
      icon={IconAlertTriangle}
      action={
        retry && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={retry}
          >
            Try again
          </Button>
        )
      }
    >
      {about && `${about}: not there right now. `}
      {sentence(error)}
    </Notice>
  )
}
