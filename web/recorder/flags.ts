import { spanFlags } from '#contract/tracking/track-limits.ts'

/** Bits of `spanFlags` that hold for an element of this page right now. */
export function flagsOf(video: HTMLVideoElement): number {
  return (
    (document.hidden ? spanFlags.hidden : 0) |
    (document.pictureInPictureElement === video ? spanFlags.pictureInPicture : 0) |
    (document.fullscreenElement === null ? 0 : spanFlags.fullscreen)
  )
}
