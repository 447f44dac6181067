import { useCallback, useSyncExternalStore } from 'react'

const news = ['timeupdate', 'seeking', 'seeked'] as const

/** The whole second at which the player stands; 0 before it is there. */
export function usePlayerSecond(video: HTMLVideoElement | undefined): number {
  const subscribe = useCallback(
    (changed: () => void) => {
      for (const type of news) video?.addEventListener(type, changed)
      return () => {
        for (const type of news) video?.removeEventListener(type, changed)
      }
    },
    [video],
  )
  return useSyncExternalStore(subscribe, () => Math.floor(video?.currentTime ?? 0))
}
