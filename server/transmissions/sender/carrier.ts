import type { Services } from '../../platform/http/services.ts'
import { isObstacle, type MailOutcome } from '../../platform/jobs/failures.ts'
import type { From, MailServer } from '../../platform/jobs/smtp.ts'
import type { Claimed } from '../ledger/claim.ts'
import type { Letter } from './compose.ts'
import { pauseBucket, resumeBucket, slowDown } from '../ledger/outcomes.ts'

/** What is written to whoever is in a batch. */
export type Write = {
  letter: (delivery: Claimed) => Letter
  link: (delivery: Claimed) => string
  /** By which its reader unsubscribes; undefined: they owe it. */
  unsubscribe: ((delivery: Claimed) => string) | undefined
  from: From
  /** Undefined: it comes back to the sender. */
  returnPath: (delivery: Claimed) => string | undefined
}

/** A way by which messages leave. */
export type Carrier = {
  connections: number
  /** `mayLeave` is asked, and must have committed, before more of it is with the receiver than can be taken back; it never fails. */
  send(delivery: Claimed, mayLeave: () => Promise<boolean>): Promise<MailOutcome>
  /** The way itself was in the way, so the next message would fare no better. */
  isBarred(outcome: MailOutcome): boolean
  /** Remembers what an outcome says of the way. */
  note(outcome: MailOutcome): Promise<void>
}

export function byMail({ db }: Services, mailServer: MailServer, write: Write): Carrier {
  let answered = false
  const unsubscribing = (delivery: Claimed) =>
    write.unsubscribe && {
      'List-Unsubscribe': `<${write.unsubscribe(delivery)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }
  return {
    connections: mailServer.connections,
    send(delivery, mayLeave) {
      const { id, address, name } = delivery
      const mail = {
        id,
        to: { name, address },
        ...write.letter(delivery),
        from: write.from,
        // By these a provider's reports name the mail; the second is how Postmark keeps it.
        headers: { 'X-Delivery-Id': id, 'X-PM-Metadata-delivery-id': id, ...unsubscribing(delivery) },
        returnPath: write.returnPath(delivery),
      }
      return mailServer.send(mail, mayLeave)
    },
    isBarred: (outcome) =>
      outcome.kind === 'throttled' || (outcome.kind === 'refused' && outcome.sender) || isObstacle(outcome),
    async note(outcome) {
      if (outcome.kind === 'throttled') await slowDown(db)
      else if (isObstacle(outcome)) await pauseBucket(db)
      else if (!answered) {
        answered = true
        await resumeBucket(db)
      }
    },
  }
}
