import { outageOf } from '../../platform/db/outage.ts'
import type { Services } from '../../platform/http/services.ts'
import type { MailOutcome } from '../../platform/jobs/failures.ts'

/** Nothing could be sent to somebody for these reasons although nobody refused it. The delivery table has a sentence for each. */
export const unwrittenReasons = ['link_lost', 'not_written'] as const

/** Makes the error about a link that cannot be made again. */
export const linkLost = (message: string) =>
  Object.assign(new Error(message), { reason: unwrittenReasons[0] })

const isLinkLost = (error: unknown) =>
  error instanceof Error && 'reason' in error && error.reason === unwrittenReasons[0]

type Unwritten = { kind: 'rejected'; code: null; reply: string; address: false }

export const isUnwritten = (outcome: MailOutcome): boolean =>
  outcome.kind === 'rejected' && unwrittenReasons.some((one) => one === outcome.reply)

type Writing = Pick<Services, 'log'> & { id: string; mayHaveLeft?: () => boolean }

/** Settles a message that cannot be made like one that was refused: trying again would make it no better, and others wait behind it. */
export async function unlessUnwritten<T>(
  { log, id, mayHaveLeft = () => false }: Writing,
  work: () => T | Promise<T>,
): Promise<T | Unwritten> {
  try {
    return await work()
  } catch (error) {
    if (outageOf(error) || mayHaveLeft()) throw error
    log.error({ err: error, delivery: id }, 'a message could not be written')
    const reply = isLinkLost(error) ? unwrittenReasons[0] : unwrittenReasons[1]
    return { kind: 'rejected', code: null, reply, address: false }
  }
}
