import * as z from 'zod/mini'
import { deliveryEventSources, type DeliveryEventSource } from '#contract/transmissions/mail-events.ts'
import { halving, requireBlamed, setAside, tryDue } from '../../platform/aside.ts'
import { failuresIn } from '../../platform/failures.ts'
import { outageOf } from '../../platform/db/outage.ts'
import { Refusal } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import type { MailEvent, Reported } from './providers.ts'
import { recordEvents } from './record.ts'

const failure = 'a report about a mail could not be taken; it is tried again'

/** This error says that a mail was not sent whole yet, or that there is no database, so the provider is to come again. */
const isNobodys = (error: unknown) =>
  outageOf(error) !== undefined || (error instanceof Refusal && error.fault.code === 'unavailable')

/**
 * Takes what a provider reports. It sends everything once more until it is taken, so one report that fails by itself is kept here and set
 * aside; otherwise the others would be refused because of it for ever.
 */
export async function recordApart(
  { db, log }: Pick<Services, 'db' | 'log'>,
  source: DeliveryEventSource,
  reported: Reported,
): Promise<void> {
  try {
    await recordEvents(db, source, reported)
  } catch (error) {
    if (isNobodys(error) || reported.events.length === 0) throw error
    await halving(reported.events, {
      most: Infinity,
      work: (events) => recordEvents(db, source, { ...reported, events: [...events] }),
      blame: async (event, cause) => {
        if (isNobodys(cause)) throw cause
        await setAside(db.single, { loop: 'mail_events', ...named(source, event) }, cause)
      },
    }).catch((failed: unknown) => {
      requireBlamed(failed)
      for (const one of failuresIn(failed)) log.error({ err: one }, failure)
    })
  }
}

const named = (source: DeliveryEventSource, event: MailEvent) => ({
  item: `${source} ${event.id}`,
  input: JSON.stringify({ source, event }),
})

const Kept = z.object({ source: z.enum(deliveryEventSources), event: z.unknown() })

export async function recordAgain({ db, log }: Pick<Services, 'db' | 'log'>): Promise<void> {
  await tryDue(db, { loop: 'mail_events' }, ({ input }) => {
    const { source, event } = Kept.parse(JSON.parse(input))
    // The report is kept as it was given.
    return recordEvents(db, source, { events: [event as MailEvent] })
  }).catch((error: unknown) => {
    for (const one of failuresIn(error)) log.error({ err: one }, failure)
  })
}
