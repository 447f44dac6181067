import type { Services } from '../../platform/http/services.ts'
import { isObstacle, type MailOutcome } from '../../platform/jobs/failures.ts'
import type { From, MailServer } from '../../platform/jobs/smtp.ts'
import type { Claimed } from '../ledger/claim.ts'
import type { Letter } from './compose.ts'
import { pauseBucket, resumeBucket, slowDown } from '../ledger/outcomes.ts'

/** These write the message to each person in a batch. */
export type Write = {
  letter: (delivery: Claimed) => Letter
  link: (delivery: Claimed) => string
  /** Returns in a few words that its reader is asked to sign in; null when the link is enough. */
  signIn: (delivery: Claimed) => string | null
  /** Returns the link by which its reader unsubscribes; undefined when they owe the message. */
  unsubscribe: ((delivery: Claimed) => string) | undefined
  from: From
  /** Returns the address to which a mail comes back; undefined when that is the sender. */
  returnPath: (delivery: Claimed) => string | undefined
}

/** A carrier is a way by which messages leave. */
export type Carrier = {
  connections: number
  /**
   * Sends one message and never fails. Before more of it is with the receiver than can be taken back, it asks `mayLeave`, which must have
   * committed.
   */
  send(delivery: Claimed, mayLeave: () => Promise<boolean>): Promise<MailOutcome>
  /** Returns true when the way itself was in the way, so that the next message would fare no better. */
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
        // A provider's reports name the mail by these; the second is how Postmark keeps it.
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
