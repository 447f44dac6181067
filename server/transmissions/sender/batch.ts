import * as z from 'zod/mini'
import { row } from '../../platform/db/client.ts'
import { sayIn } from '../../platform/messages.ts'
import { sql } from '../../platform/db/sql.ts'
import { isoText } from '../../platform/db/search.ts'
import type { Services } from '../../platform/http/services.ts'
import type { MailOutcome } from '../../platform/jobs/failures.ts'
import { From, type MailServer } from '../../platform/jobs/smtp.ts'
import { languages, type Language } from '#contract/platform/text/languages.ts'
import { findNamedFields } from '../../directory/people/variables.ts'
import { senderOfMails } from '../../identity/mail-brand.ts'
import { returnPathOf } from '../../identity/mail/return-path.ts'
import { returnsAddress } from '../../identity/mail/returns.ts'
import { isDuty } from '../barred/barred.ts'
import { saidIn, type SaidTrack } from '../../duty/said.ts'
import { stepOf } from '../../duty/steps.ts'
import { byWebhook } from './by-webhook.ts'
import { byMail, type Carrier, type Write } from './carrier.ts'
import { claim, markHanded, release, renew, type Claimed, type Lease } from '../ledger/claim.ts'
import { countBatch, speak } from '../ledger/guard.ts'
import { watchesSignedIn } from '../../people.ts'
import { alsoDue, letterOf, Content } from './letter.ts'
import { personalLink, unsubscribeLink } from '../recipients/link.ts'
import { missingOf } from '../compose/missing.ts'
import { breakIfHarmful, recordOutcomes, type DeliveryOutcome } from '../ledger/outcomes.ts'
import { grouped } from './grouped.ts'
import { giveUpTheirOwn, isRefusal } from '../ledger/refused.ts'
import { isUnwritten, unlessUnwritten } from '../recipients/unwritten.ts'

export type Sender = { services: Services; mailServer: MailServer | undefined; stopping: AbortSignal }

const largestBatch = 200
/** A batch should be done in about this time, so that a pause and other transmissions do not wait long. */
const batchMs = 2_000
const renewEveryMs = 30_000

/** Sends one batch of a transmission. Returns how many deliveries were taken and how large the next batch should be. */
export async function sendBatch(
  sender: Sender,
  lease: Lease,
  size: number,
): Promise<{ taken: number; size: number }> {
  const { services } = sender
  const batch = await claim(services.db, lease, size)
  if (batch.length === 0 || !(await countBatch(services))) {
    await release(services.db, lease)
    return { taken: 0, size }
  }
  const began = performance.now()
  const renewal = setInterval(() => {
    Promise.all([renew(services.db, lease), speak(services.db)]).catch((error: unknown) =>
      services.log.warn({ err: error }, 'the lease of a batch could not be renewed'),
    )
  }, renewEveryMs)
  let held = batch.length
  try {
    const write = await letterWriter(services, lease, batch)
    held -= await handOver(sender, lease, { batch, write })
  } finally {
    clearInterval(renewal)
    if (held > 0) await release(services.db, lease)
  }
  const perMs = batch.length / Math.max(1, performance.now() - began)
  return {
    taken: batch.length,
    size: Math.min(
      largestBatch,
      Math.max(sender.mailServer?.connections ?? largestBatch, Math.round(perMs * batchMs)),
    ),
  }
}

type Work = { batch: Claimed[]; write: Write }

const Source = z.extend(z.omit(Content, { organizationId: true }), { from: From, asksSignIn: z.boolean() })
type Source = z.infer<typeof Source>

/** Composes the letter once in each language, so that only each recipient's link, and what they are called, differ. */
async function letterWriter(services: Services, { key }: Lease, batch: Claimed[]): Promise<Write> {
  const scope = { organizationId: key.organizationId }
  const { brand } = await services.db.as(scope, (tx) => senderOfMails(tx, services, key.organizationId))
  const fields = await services.db.as(scope, (tx) => findNamedFields(tx, key.organizationId))
  const source = await services.db.as(scope, (tx) =>
    row(
      tx,
      Source,
      sql`select t.subject, t.body, t.sender_name as author, ${isoText(sql`t.due_at`)} as "dueAt", ${alsoDue} as "alsoDueAt", ${stepOf(sql`t.assignment_id`)} as step, ${isDuty} as "isDuty", ${isoText(sql`t.links_end_at`)} as "linksEndAt", o.time_zone as "timeZone", o.language,
          ${watchesSignedIn('o')} as "asksSignIn",
          json_build_object('id', t.video_id, 'versionId', vv.id, 'title', v.title, 'durationMs', vv.duration_ms, 'poster', vv.poster) as video,
          json_build_object('senderName', o.policies->>'senderName', 'replyTo', o.policies->>'replyTo',
            'address', s.address, 'signedFor', case when s.dkim = 'there' then split_part(s.address, '@', 2) end) as from
        from transmissions t join organizations o on o.id = t.organization_id join videos v on v.id = t.video_id join video_versions vv on vv.id = t.version_id
          left join mail_senders s on s.organization_id = t.organization_id and s.verified_at is not null
        where t.id = ${key.id} and t.organization_id = ${key.organizationId}`,
    ),
  )
  if (!source) throw new Error(`transmission ${key.id} is gone`)
  const { asksSignIn } = source
  const content = { ...source, organizationId: key.organizationId }
  const letters = new Map<Language, ReturnType<typeof letterOf>>()
  const letterIn = (language: Language) => {
    const letter =
      letters.get(language) ?? letterOf(services, { ...content, language }, { brand, fields, asksSignIn })
    letters.set(language, letter)
    return letter
  }
  const isSomeSeen = batch.some(({ missing }) => missing !== null)
  const said = await saidInEach(services, { ...scope, versionId: isSomeSeen ? source.video.versionId : null })
  const returns = await services.db.as('system', returnsAddress)
  const link = { publicUrl: services.publicUrl(), videoId: source.video.id }
  const { durationMs } = source.video
  type Linked = Pick<Claimed, 'id' | 'linkHash'>
  const linkOf = ({ id, linkHash }: Linked) =>
    personalLink(services.keys, { ...link, deliveryId: id, linkHash })
  const unsubscribe = ({ id, linkHash }: Linked) =>
    unsubscribeLink(services.keys, { publicUrl: link.publicUrl, deliveryId: id, linkHash })
  return {
    letter: ({ missing, toConfirm, ...person }) => {
      const language = person.language ?? source.language
      return letterIn(language).writeTo({
        ...person,
        link: linkOf(person),
        unsubscribe: unsubscribe(person),
        missing: missingOf({ missing, toConfirm, durationMs, language, track: said.get(language) }),
      })
    },
    link: linkOf,
    signIn: ({ language }) => (asksSignIn ? sayIn(language ?? source.language, 'mail')('signInShort') : null),
    unsubscribe: source.isDuty ? undefined : unsubscribe,
    from: source.from,
    returnPath: ({ id }) => returns && returnPathOf(services.keys, returns, id),
  }
}

type OfVersion = { organizationId: string; versionId: string | null }

/** What is said in a version, by the language of who reads it; nothing where nobody is told of parts that are missing. */
async function saidInEach({ db }: Services, { organizationId, versionId }: OfVersion) {
  const said = new Map<Language, SaidTrack>()
  if (versionId === null) return said
  for (const language of languages) {
    const track = await db.as({ organizationId }, (tx) => saidIn(tx, { organizationId, versionId, language }))
    if (track) said.set(language, track)
  }
  return said
}

const outboxed = { kind: 'accepted', reply: 'outbox' } as const

/** Hands the batch over, and returns for how many deliveries the outcome was recorded. */
async function handOver(sender: Sender, lease: Lease, { batch, write }: Work): Promise<number> {
  const { mailServer, services } = sender
  if (lease.channel === 'webhook') {
    const carrier = await byWebhook(services, lease.key, { batch, write })
    return carrier ? over(carrier, { ...sender, lease }, batch) : 0
  }
  if (mailServer) return over(byMail(services, mailServer, write), { ...sender, lease }, batch)
  const deliveryOutcomes = batch.map(async (delivery): Promise<DeliveryOutcome> => {
    const letter = await unlessUnwritten({ log: services.log, id: delivery.id }, () => write.letter(delivery))
    return 'kind' in letter ? { delivery, outcome: letter } : { delivery, outcome: outboxed, letter }
  })
  return recordOutcomes(services.db, lease, await Promise.all(deliveryOutcomes))
}

type Holder = Pick<Sender, 'services' | 'stopping'> & { lease: Lease }

async function over(
  carrier: Carrier,
  { services, stopping, lease }: Holder,
  batch: Claimed[],
): Promise<number> {
  const mayLeave = grouped((ids: string[]) =>
    markHanded(services.db, lease, ids).catch((error: unknown) => {
      services.log.warn(
        { err: error, mails: ids.length },
        'mails wait, because it could not be written down that they leave',
      )
      return ids.map(() => false)
    }),
  )
  let settled = 0
  let isDoubted = false
  const recordOne = grouped(async (deliveryOutcomes: DeliveryOutcome[]) => {
    settled += await persistently(() => recordOutcomes(services.db, lease, deliveryOutcomes))
    if (deliveryOutcomes.some((one) => one.outcome.kind !== 'accepted'))
      await breakIfHarmful(services.db, lease)
    return deliveryOutcomes.map(() => true)
  })
  const waiting = [...batch]
  let halted = false

  function send(delivery: Claimed, mayLeave: () => Promise<boolean>): Promise<MailOutcome> {
    let isLeaving = false
    const leave = () => {
      isLeaving = true
      return mayLeave()
    }
    const writing = { log: services.log, id: delivery.id, mayHaveLeft: () => isLeaving }
    return unlessUnwritten(writing, () => carrier.send(delivery, leave))
  }

  /**
   * Sends one mail after another. The next mail may be on its way to the server, but does not leave before it is written down what became
   * of the former.
   */
  async function work(): Promise<void> {
    let recorded: Promise<unknown> = Promise.resolve()
    for (
      let delivery = waiting.shift();
      delivery && !halted && !stopping.aborted;
      delivery = waiting.shift()
    ) {
      const { id } = delivery
      // The reason why the former was not recorded is thrown below.
      const outcome = await send(delivery, () =>
        recorded.then(
          () => mayLeave(id),
          () => false,
        ),
      )
      await recorded
      if (outcome.kind === 'withheld') {
        halted = true
        return
      }
      if (carrier.isBarred(outcome)) halted = true
      if (!isUnwritten(outcome)) await carrier.note(outcome)
      isDoubted ||= isRefusal(outcome)
      recorded = recordOne({ delivery, outcome })
      // An error is thrown where the promise is waited for.
      recorded.catch(() => undefined)
    }
    await recorded
  }

  await Promise.all(Array.from({ length: Math.min(carrier.connections, batch.length) }, work))
  if (isDoubted) await giveUpTheirOwn(services.db, lease.key)
  return settled
}

/** Tries again until it succeeds, because what the receiver said must not be forgotten when the database is away for a moment. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let pause = 100; ; pause *= 2) {
    try {
      return await work()
    } catch (error) {
      if (pause > 10_000) throw error
      await new Promise((resolve) => {
        setTimeout(resolve, pause)
      })
    }
  }
}
