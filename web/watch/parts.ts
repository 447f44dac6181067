import type { Part } from '#contract/tracking/missing-parts.ts'
import type { receipt } from '#contract/messages/en/receipt.ts'
import type { Say } from '#contract/platform/text/say.ts'
import { named } from './receipt.module.css?adopted'

export type PartPlayer = { play: (parts: readonly Part[]) => void; stop: () => void }

/** Seconds that a part is played before it begins and after it ends: players do not start and stop to the millisecond. */
const margin = 0.3

/** Plays parts one after another, and stops where the last of them ends. Whoever seeks goes their own way. */
export function partPlayer(video: HTMLVideoElement, playAt: (seconds: number) => void): PartPlayer {
  let queue: Part[] = []
  let until = Infinity
  let target = -1

  function next(): void {
    const part = queue.shift()
    if (!part) {
      until = Infinity
      video.pause()
      return
    }
    until = part[1] / 1000 + margin
    target = Math.max(0, part[0] / 1000 - margin)
    playAt(target)
  }

  video.addEventListener('timeupdate', () => {
    // Parts that reach the end stop there by themselves.
    if (video.currentTime >= until && !video.seeking) next()
  })
  video.addEventListener('seeking', () => {
    if (Math.abs(video.currentTime - target) >= 0.5) stop()
  })

  function stop(): void {
    queue = []
    until = Infinity
  }

  return {
    play(parts) {
      queue = [...parts]
      next()
    },
    stop,
  }
}

type Reminding = {
  video: HTMLVideoElement
  /** Starts playing at this second, also where nothing was played yet. */
  playAt: (seconds: number) => void
  player: PartPlayer
  say: Say<typeof receipt>
}

/**
 * The link of a reminder: the first press on play plays what is missing, until somebody wants all of it. What is missing the server decides
 * and tells; gives what takes the newest sentence about it, empty once everything was seen.
 */
export function playMissing(
  missing: readonly Part[],
  { video, playAt, player, say }: Reminding,
): (sentence: string) => void {
  const box = document.getElementById('missing')
  const start = document.getElementById('start')
  const begin = () => player.play(missing)
  const whole = document.createElement('button')
  whole.type = 'button'
  whole.textContent = say('wholeVideo')
  whole.addEventListener('click', () => {
    start?.removeEventListener('click', begin, true)
    player.stop()
    box?.remove()
    row.remove()
    playAt(0)
  })
  const row = document.createElement('div')
  row.className = named('row')
  row.append(whole)
  document.getElementById('receipt')?.after(row)
  // Before the page's own listener, which would play from the beginning.
  start?.addEventListener('click', begin, { capture: true, once: true })
  // Pressed before this was here.
  if (!video.paused) begin()

  return (sentence) => {
    if (sentence === '') row.remove()
    const text = sentence || say('missingSeen')
    if (box && box.textContent !== text) box.textContent = text
  }
}
