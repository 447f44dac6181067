import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import type { previewMail, testTransmission } from '#contract/identity/mail-preview.ts'
import {
  Addressee,
  addresseeColumns,
  findNamedFields,
  requireVariables,
} from '../../directory/people/variables.ts'
import { senderOfMails } from '../../identity/mail-brand.ts'
import { ownSender } from '../../identity/mail/senders.ts'
import { asSystem, hasRow, requireRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit, type Actor } from '../../platform/http/audit.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { senderOf } from '../../platform/jobs/mail-server.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { fromText } from '../../platform/jobs/smtp.ts'
import { sayIn } from '../../platform/messages.ts'
import { findVideo, requireAccount, subjectOf } from './create.ts'
import { daysOf } from '../../directory/organizations/days.ts'
import { watchesSignedIn } from '../../people.ts'
import { letterOf, type Content } from '../sender/letter.ts'
import { noMissingText } from './missing.ts'

type Preview = { services: Services; caller: Caller; body: ParsedBody<typeof previewMail> }
type DrawnMail = Content & { senderName: string | null; reader: Reader }

/** The mail goes to somebody of the organization, or to an author, who may be a superadmin and so of no organization. */
type Reader = { recipientId: string } | { authorId: string }

export async function preview(tx: Tx, asked: Preview): Promise<Reply<typeof previewMail>> {
  return draw(tx, asked.services, await mailOf(tx, asked))
}

/** Draws what is in the composer, as the mail of its author to the chosen recipient. */
async function mailOf(tx: Tx, { caller, body }: Preview): Promise<DrawnMail> {
  const organizationId = body.accountId
  const { senderName, timeZone, language } = await requireAccount(tx, caller, organizationId)
  const video = await findVideo(tx, organizationId, body.videoId)
  const author = caller.name
  const subject = await subjectOf(tx, { organizationId, author, video, given: body.subject })
  const days = await daysOf(tx, organizationId, body)
  const { recipientId } = body
  const reader = recipientId === undefined ? { authorId: caller.userId } : { recipientId }
  const content = { organizationId, subject, body: body.body, author, video, senderName, timeZone, language }
  return {
    ...content,
    ...days,
    alsoDueAt: [],
    step: null,
    isDuty: body.isDuty || days.dueAt !== null,
    reader,
  }
}

/** This stands for an author whose account is gone. */
const nobody: Addressee = { name: '', address: '', fields: {}, language: null }

async function findReader(tx: Tx, organizationId: string, reader: Reader): Promise<Addressee> {
  if ('authorId' in reader) {
    const author = sql`select ${addresseeColumns} from users u where u.id = ${reader.authorId}`
    return (await asSystem(tx, () => row(tx, Addressee, author))) ?? nobody
  }
  const found = await row(
    tx,
    Addressee,
    sql`select ${addresseeColumns} from users u where u.id = ${reader.recipientId}
      and u.organization_id = ${organizationId} and u.deleted_at is null`,
  )
  if (!found) throw refuse('validation_failed', { fields: { recipientId: ['not_found'] } })
  return found
}

/** Draws the mail as a recipient gets it, except that its link leads nowhere, or to the address that is given. */
export async function draw(
  tx: Tx,
  services: Services,
  { senderName, reader, link, ...content }: DrawnMail & { link?: string },
): Promise<Reply<typeof previewMail>> {
  const { organizationId } = content
  const { brand } = await senderOfMails(tx, services, organizationId)
  const fields = await findNamedFields(tx, organizationId)
  const person = await findReader(tx, organizationId, reader)
  const language = 'recipientId' in reader ? (person.language ?? content.language) : content.language
  const asksSignIn = await hasRow(
    tx,
    sql`select from organizations o where o.id = ${organizationId} and ${watchesSignedIn('o')}`,
  )
  const letter = letterOf(services, { ...content, language }, { brand, fields, asksSignIn }).writeTo({
    ...person,
    link: link ?? `${services.publicUrl()}/w/video/${content.video.id}?d=…`,
    unsubscribe: `${services.publicUrl()}/w/unsubscribe?d=…`,
    missing: noMissingText,
  })
  const own = await ownSender(tx, organizationId)
  const address = own?.isVerified ? own.address : null
  return {
    from: fromText(await senderOf(tx, services), { senderName, address }),
    unverified: own && !own.isVerified ? own.address : null,
    ...letter,
  }
}

const Address = z.object({ email: z.string() })

/** Mails it to its author. It is no delivery, so nothing counts it. Its link leads to the video in the console. */
export async function sendTest(
  tx: Tx,
  { by, ...asked }: Preview & { by: Actor },
): Promise<Reply<typeof testTransmission>> {
  const { services, caller } = asked
  const content = await mailOf(tx, asked)
  const { organizationId, video, language, senderName } = content
  await requireVariables(tx, organizationId, { subject: asked.body.subject, body: asked.body.body })
  const { email: address } = await requireRow(
    tx,
    Address,
    sql`select email from users where id = ${caller.userId}`,
  )
  const link = `${services.publicUrl()}/content/${video.id}`
  const { text, html, subject: filled } = await draw(tx, services, { ...content, link })
  const subject = sayIn(language, 'mail')('test', { subject: filled })
  const own = await ownSender(tx, organizationId)
  const senderAddress = own?.isVerified ? own.address : null
  await queueMail(services, tx, {
    organizationId,
    address,
    senderName,
    senderAddress,
    subject,
    text,
    html,
  })
  await audit(tx, by, {
    organizationId,
    action: 'transmission.tested',
    entity: 'video',
    entityId: video.id,
    after: { subject: content.subject },
  })
  return { address }
}
