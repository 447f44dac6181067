import { toTheEnd } from '#server/platform/failures.ts'
import type { Services } from '#server/platform/http/services.ts'
import { eraseWithPersons } from './erase.ts'
import { retain } from './retain.ts'
import { wipePrivate } from './wipe.ts'

/** One run takes at most this number of milliseconds. What is left waits for the next hour. */
const runMs = 20_000

/** Carries out what organizations promise about viewing evidence. */
export async function applyRetention({ db }: Pick<Services, 'db'>, ms = runMs): Promise<void> {
  await toTheEnd([
    () => eraseWithPersons(db),
    () => wipePrivate(db, { until: Date.now() + ms / 2 }),
    () => retain(db, { until: Date.now() + ms / 2 }),
  ])
}
