import type { Controls } from '#web/player/controls.ts'
import { showCaptions } from '#web/player/captions.ts'
import { tellOf } from './words.ts'

/** The captions of the page, in its player. Where its controls fail to come, those of the browser offer them. */
export function startCaptions({ parts }: Controls, video: HTMLVideoElement): void {
  showCaptions(parts, { video, say: tellOf('captions') })
}
