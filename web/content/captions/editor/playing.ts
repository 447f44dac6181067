import { useCallback, useEffect, useSyncExternalStore } from 'react'
import type { EditedCue } from '#contract/videos/cues.ts'
import { cueAt, type Cues } from './cues.ts'

const news = ['timeupdate', 'seeking', 'seeked'] as const

/** Milliseconds at which the player stands; 0 before it is there. */
export const momentOf = (video: HTMLVideoElement | undefined): number =>
  Math.round((video?.currentTime ?? 0) * 1_000)

export function moveTo(video: HTMLVideoElement, ms: number): void {
  video.currentTime = ms / 1_000
}

/** The caption that is shown where the player stands. */
export function usePlayingCue(video: HTMLVideoElement | undefined, cues: Cues): EditedCue | undefined {
  const subscribe = useCallback(
    (changed: () => void) => {
      for (const type of news) video?.addEventListener(type, changed)
      return () => {
        for (const type of news) video?.removeEventListener(type, changed)
      }
    },
    [video],
  )
  return useSyncExternalStore(subscribe, () => (video ? cueAt(cues, momentOf(video)) : undefined))
}

/** A player, and the track in which it shows the caption that is being written. */
export type Shown = { video: HTMLVideoElement; track: TextTrack }

export function shownIn(video: HTMLVideoElement): Shown {
  const track = video.addTextTrack('captions')
  track.mode = 'showing'
  return { video, track }
}

/** Shows the caption in the picture, as viewers will see it. */
export function useShownCue(track: TextTrack | undefined, cue: EditedCue | undefined): void {
  useEffect(() => {
    if (!track || !cue || cue.text.trim() === '') return undefined
    const shown = new VTTCue(cue.startMs / 1_000, cue.endMs / 1_000, cue.text)
    track.addCue(shown)
    return () => track.removeCue(shown)
  }, [track, cue])
}
