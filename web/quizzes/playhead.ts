import { useSyncExternalStore } from 'react'
import { openStore } from '#web/ui/browser/store.ts'

type Media = Pick<
  HTMLVideoElement,
  'currentTime' | 'readyState' | 'seeking' | 'pause' | 'addEventListener' | 'removeEventListener'
>

/** Milliseconds from a moment at which the video is there. */
const near = 300
/** `HAVE_CURRENT_DATA`: from here on the element goes where it is told to. */
const movable = 2

const news = ['timeupdate', 'seeked', 'loadeddata', 'canplay', 'ended'] as const

/** Where the video stands, in milliseconds, and the way to another moment. Works before the player is there. */
export function openPlayhead() {
  let video: Media | null = null
  const { read, set, subscribe } = openStore(() => 0)
  /** Where somebody wants to go, until the video is there: what it reports meanwhile is where it was. */
  let wanted: { ms: number; isRepeated: boolean } | null = null
  const tell = (ms: number) => {
    if (ms !== read()) set(ms)
  }
  const hear = () => {
    if (!video) return
    const ms = Math.round(video.currentTime * 1_000)
    if (wanted !== null) {
      if (video.seeking || video.readyState < movable) return
      if (Math.abs(ms - wanted.ms) > near && !wanted.isRepeated) {
        // It was told before it could go.
        wanted.isRepeated = true
        video.currentTime = wanted.ms / 1_000
        return
      }
      wanted = null
    }
    tell(ms)
  }
  return {
    attach: (found: Media): void => {
      for (const type of news) video?.removeEventListener(type, hear)
      video = found
      for (const type of news) video.addEventListener(type, hear)
    },
    read,
    subscribe,
    seek(ms: number): void {
      wanted = { ms, isRepeated: false }
      if (video) video.currentTime = ms / 1_000
      tell(Math.round(ms))
    },
    pause: (): void => video?.pause(),
  }
}
export type Playhead = ReturnType<typeof openPlayhead>

/** The position, renewed a few times a second while the video plays: only for parts that show it. */
export function usePosition(playhead: Playhead): number {
  return useSyncExternalStore(playhead.subscribe, playhead.read)
}
