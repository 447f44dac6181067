import type { Page } from '@playwright/test'

/**
 * Changes the player as soon as a frame of that second is shown, within the turn of that very frame: where a busy machine lets
 * seconds pass between two turns of a page, nobody can say where a jump began. Gives the moment before, in milliseconds.
 */
export function reach(
  page: Page,
  second: number,
  change: { seek?: number; rate?: number; pause?: boolean },
): Promise<number> {
  return page.evaluate(
    ({ least, seek, rate, pause }) =>
      new Promise<number>((resolve, reject) => {
        const video = document.querySelector('video')
        if (!video) return reject(new Error('no video'))
        const onFrame = () => {
          const at = video.currentTime
          if (at < least) return video.requestVideoFrameCallback(onFrame)
          if (pause) video.pause()
          if (rate !== undefined) video.playbackRate = rate
          if (seek !== undefined) video.currentTime = seek
          return resolve(at * 1_000)
        }
        video.requestVideoFrameCallback(onFrame)
      }),
    { least: second, ...change },
  )
}
