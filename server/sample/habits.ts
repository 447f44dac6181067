import { spanFlags } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'

/** How people watch, in shares that a training department would recognise. */
const habits: readonly { share: number; watch: (session: Watching) => void }[] = [
  { share: 0.62, watch: (session) => session.play(0, 1) },
  { share: 0.04, watch: (session) => lookAway(session) },
  { share: 0.04, watch: (session) => hurry(session) },
  { share: 0.12, watch: (session) => rewatch(session) },
  { share: 0.08, watch: (session) => skip(session) },
  { share: 0.06, watch: (session) => session.play(0, 0.15 + session.roll() * 0.6) },
  { share: 0.04, watch: (session) => session.play(0, 0.03 + session.roll() * 0.08) },
]

type Manner = { rate?: number; flags?: number }
export type Watching = { roll: () => number; play(from: number, to: number, manner?: Manner): void }

/** Part of it plays behind another window. */
function lookAway(session: Watching): void {
  const leave = 0.3 + session.roll() * 0.2
  const back = leave + 0.1 + session.roll() * 0.3
  session.play(0, leave)
  session.play(leave, back, { flags: spanFlags.hidden })
  session.play(back, 1)
}

/** Faster than organizations allow. */
function hurry(session: Watching): void {
  const tired = 0.3 + session.roll() * 0.3
  session.play(0, tired)
  session.play(tired, 1, { rate: 300 })
}

function rewatch(session: Watching): void {
  const back = 0.2 + session.roll() * 0.4
  session.play(0, back + 0.2)
  session.play(back, 1)
}

function skip(session: Watching): void {
  const leave = 0.2 + session.roll() * 0.2
  session.play(0, leave)
  session.play(leave + 0.1 + session.roll() * 0.3, 1)
}

/** The spans of one sitting with a video of `durationMs`; wall time is what the rate implies, so that all of it earns credit. */
export function sitting(durationMs: number, roll: () => number): Span[] {
  const spans: Span[] = []
  const usual = { rate: roll() < 0.8 ? 100 : 150, flags: roll() < 0.1 ? spanFlags.fullscreen : 0 }
  const session: Watching = {
    roll,
    play(from, to, manner) {
      const { rate, flags } = { ...usual, ...manner }
      const start = Math.round(from * durationMs)
      const end = Math.min(durationMs, Math.round(to * durationMs))
      spans.push([spans.length, start, end, Math.round(((end - start) * 100) / rate), rate, flags])
    },
  }
  let left = roll()
  const habit = habits.find(({ share }) => (left -= share) < 0) ?? habits[0]
  habit?.watch(session)
  return spans
}

/**
 * A sitting of which one report never arrived, and what it alone told is unknown: it was the second of three. Gives the sitting in
 * three spans.
 */
export function inThree([first]: Span[]): [Span, Span, Span] | undefined {
  if (!first) return undefined
  const [, from, to, , rate, flags] = first
  const cut = [0, 0.3, 0.6, 1].map((share) => Math.round(from + share * (to - from)))
  const part = (i: number): Span => {
    const [start = from, end = to] = cut.slice(i, i + 2)
    return [i, start, end, Math.round(((end - start) * 100) / rate), rate, flags]
  }
  return [part(0), part(1), part(2)]
}
