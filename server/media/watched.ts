import type { FastifyBaseLogger } from 'fastify'
import { startLoop } from '../platform/loop.ts'
import { requireRoom } from './room.ts'

/** Why work is stopped of which nobody wants the result any more. */
export const unwanted = 'unwanted'

type Watched = {
  log: FastifyBaseLogger
  /** Where it works. */
  scratch: string
  /** Writes down how far it is; false when nobody wants it any more. */
  show: (fraction: number) => Promise<boolean>
}
type Watch = { tell: (fraction: number) => void; stop: AbortSignal; end: () => Promise<void> }

const lookEveryMs = 1_000

/** Writes the progress of long work once a second, and stops it, also when it stands still, when nobody wants it or the disk is full. */
export function watchOver({ log, scratch, show }: Watched): Watch {
  const stop = new AbortController()
  let reached = 0
  const looking = startLoop({ log, failure: 'progress not written' }, async () => {
    await requireRoom(scratch).catch((full: unknown) => stop.abort(full))
    if (!(await show(reached))) stop.abort(unwanted)
    return lookEveryMs
  })
  return {
    tell: (fraction) => {
      reached = fraction
    },
    stop: stop.signal,
    end: looking.stop,
  }
}
