import { Button } from '@mantine/core'
import { IconColumns3 } from '@tabler/icons-react'
import { Suspense, useId, useState } from 'react'
import type { TrainingVideo } from '#contract/training.ts'
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
  const [isWanted, setWanted] = useState(false)
  const id = useId()
  const shown = chosenFrom(videos, choice).length
  return (
    <div className="ui-view">
      <Button
        variant="default"
        aria-haspopup="dialog"
        leftSection={<IconColumns3 size={16} aria-hidden />}
        onClick={() => setWanted(true)}
        // From the second press on the browser itself opens and closes it.
        {...(isWanted ? { popoverTarget: id } : {})}
      >
        {shown === videos.length
          ? 'All videos'
          : `${formatNumber(shown)} of ${plural(videos.length, 'video')}`}
      </Button>
      {isWanted && (
        <Suspense>
          <VideoPanel id={id} videos={videos} choice={choice} onChoose={onChoose} />
        </Suspense>
      )}
    </div>
  )
}
