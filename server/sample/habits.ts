import { spanFlags } from '#contract/track-limits.ts'
import type { Span } from '#contract/tracks.ts'

/** How people watch, in shares that a training department would recognise. */
const habits: readonly { share: number; watch: (session: Watching) => void }[] = [
  { share: 0.58, watch: (session) => session.play(0, 1) },
  { share: 0.12, watch: (session) => rewatch(session) },
  { share: 0.14, watch: (session) => skip(session) },
  { share: 0.1, watch: (session) => session.play(0, 0.15 + session.roll() * 0.6) },
  { share: 0.06, watch: (session) => session.play(0, 0.03 + session.roll() * 0.08) },
]

export type Watching = { roll: () => number; play(from: number, to: number): void }

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
  const rate = roll() < 0.8 ? 100 : 150
  const flags = roll() < 0.1 ? spanFlags.fullscreen : 0
  const session: Watching = {
    roll,
    play(from, to) {
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
