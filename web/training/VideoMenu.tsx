import { IconColumns3 } from '@tabler/icons-react'
import type { TrainingVideo } from '#contract/training.ts'
import { FlyoutButton } from '#web/ui/Flyout.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { chosenFrom, type VideoChoice } from './choice.ts'

const VideoPanel = onDemand(async () => (await import('./VideoPanel.tsx')).VideoPanel)

type Props = {
  videos: readonly TrainingVideo[]
  choice: VideoChoice
  onChoose: (choice: VideoChoice, isOrdered: boolean) => void
}

/** Which videos have a column; the button says how many of them. */
export function VideoMenu({ videos, choice, onChoose }: Props) {
  const shown = chosenFrom(videos, choice).length
  return (
    <FlyoutButton
      icon={<IconColumns3 size={16} aria-hidden />}
      label={
        shown === videos.length ? 'All videos' : `${formatNumber(shown)} of ${plural(videos.length, 'video')}`
      }
    >
      {(id) => <VideoPanel id={id} videos={videos} choice={choice} onChoose={onChoose} />}
    </FlyoutButton>
  )
}
