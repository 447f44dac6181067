import * as z from 'zod/mini'
import type { DeliveryState } from '#contract/transmissions/transmissions.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** `breaks`: the line to the mail server broke. `halts`: it asked to wait, and somebody has paused the transmission. */
export type Mishap = 'breaks' | 'halts'

export const SampleRecipient = z.object({ userId: z.string(), address: z.string(), number: z.number() })
export type SampleRecipient = z.infer<typeof SampleRecipient>

/** What became of a mail, as the ledger and its history keep it. Instants are epoch milliseconds. */
export type SampleOutcome = {
  state: DeliveryState
  reason: string | null
  code: number | null
  acceptedAt: number | null
  /** When it is tried again. */
  dueAt: number
  tries: { at: number; outcome: DeliveryState; code: number | null; response: string }[]
}

const noMailbox = '550 5.1.1 The mailbox does not exist'
const isFull = '452 4.2.2 The mailbox is full'
const isBusy = '451 4.7.1 Please try again later'

/** Numbers of the people whose mailbox is gone, and since how many days; and of whose mailbox is full. */
const gone = new Map([
  [1008, 110],
  [1024, 26],
])
const full = 1015
/** The usual pauses between tries, and 24 hours at most: what became of the last one is that it was given up. */
const retries = [0, 1, 6, 36, 156, 516, 876, 1236].map((minutes) => minutes * minute)

type PastSending = { sentAt: number; mishap: Mishap | undefined; barred: boolean }

/** What the mail server of a company does with a mail. Nobody writes for 30 days to an address that does not exist. */
export function outcomeOf(
  { number }: SampleRecipient,
  { sentAt, mishap, barred }: PastSending,
): SampleOutcome {
  if (barred) return { ...nothing(sentAt), state: 'skipped', reason: 'suppressed' }
  if (sentAt > Date.now() - (gone.get(number) ?? 0) * day)
    return tried(sentAt, { state: 'rejected', code: 550, response: noMailbox })
  if (mishap === 'halts' && number % 5 < 2) return { ...nothing(sentAt), state: 'queued' }
  if (mishap === 'halts' && number % 7 === 1)
    return {
      ...tried(sentAt, { state: 'deferred', code: 451, response: isBusy }),
      dueAt: sentAt + minute,
    }
  if (mishap === 'breaks' && number % 31 === 5)
    return tried(sentAt, { state: 'unknown', code: null, response: 'Connection closed unexpectedly' })
  if (number === full && mishap === 'breaks') return expired(sentAt)
  return { ...tried(sentAt, { state: 'accepted', code: 250, response: '250 2.0.0 OK' }), reason: null }
}

/** Whether its address is barred from then on. */
export const isGone = ({ code }: SampleOutcome) => code === 550

const nothing = (sentAt: number) => ({ reason: null, code: null, acceptedAt: null, dueAt: sentAt, tries: [] })

function tried(
  at: number,
  { state, code, response }: { state: DeliveryState; code: number | null; response: string },
): SampleOutcome {
  const acceptedAt = state === 'accepted' ? at : null
  return {
    state,
    reason: response,
    code: code === 250 ? null : code,
    acceptedAt,
    dueAt: at,
    tries: [{ at, outcome: state, code: code === 250 ? null : code, response }],
  }
}

function expired(sentAt: number): SampleOutcome {
  const tries = retries.map((after, n) => ({
    at: sentAt + after,
    outcome: n === retries.length - 1 ? ('expired' as const) : ('deferred' as const),
    code: 452,
    response: isFull,
  }))
  const dueAt = sentAt + (retries.at(-1) ?? 0)
  return { state: 'expired', reason: isFull, code: 452, acceptedAt: null, dueAt, tries }
}
