import { Suspense, type ComponentProps } from 'react'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import classes from './Player.module.css'

const Player = onDemand(async () => (await import('./Player.tsx')).Player)

/** The player, and until it is there the picture of the video in the same place. */
export function PlayerStage(props: ComponentProps<typeof Player>) {
  const { video, playback } = props
  return (
    <Suspense
      fallback={
        <div className={classes.film}>
          <img
            src={playback.poster ?? undefined}
            alt=""
            width={video.width ?? 16}
            height={video.height ?? 9}
          />
          <div className={classes.controls} />
        </div>
      }
    >
      <Player {...props} />
    </Suspense>
  )
}
