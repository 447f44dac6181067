import type { Erase } from '../platform/erasing.ts'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { invitationDays } from '#contract/directory/invitations.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { roles } from '#contract/roles.ts'
import { arrayOf, row, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { called, isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { auditMany, type Actor } from '../platform/http/audit.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../platform/http/services.ts'
import { queueMails } from '../platform/jobs/mail.ts'
import { sha256, type Keys } from '../platform/keys.ts'
import { invitationMail, reminderMail } from './invitation-mails.ts'
import { productBrand, type Sender, senderOfMails } from './mail-brand.ts'
import { invitationMailsLeft, untilInvitationMail } from './mail-limits.ts'

/** What every change of an invitation needs: the open transaction and who is behind it, at a request or through a job. */
export type Acting = {
  services: Services
  tx: Tx
  caller: Pick<Caller, 'userId' | 'name'> & Partial<Pick<Caller, 'viewer'>>
  request: FastifyRequest | undefined
}

export const Invited = z.object({
  organizationId: z.nullable(z.string()),
  email: z.string(),
  name: z.nullable(z.string()),
  role: z.enum(roles),
  groupIds: z.array(z.string()),
  /** The person, where one was created beforehand. */
  userId: z.nullable(z.string()),
})
export type Invited = z.infer<typeof Invited>

/** Times as the wire has them. */
type SentInvitation = Pick<Invited, 'organizationId' | 'email'> & { sentAt: string }

/**
 * 256 bits that nobody can work out without the secret of the installation, another for every time that it is sent. Derived,
 * so that the reminder has the same link as the invitation although only its SHA-256 is stored.
 */
function tokenOf(keys: Keys, { organizationId, email, sentAt }: SentInvitation, present?: string): string {
  const text = `${organizationId ?? 'installation'} ${email} ${sentAt}`
  // One that was sent before the secret was changed keeps its link.
  const sent = keys.signatures('invitation', text).find((token) => sha256(token).toString('hex') === present)
  return sent ?? keys.sign('invitation', text)
}

const StoredInvitation = z.extend(Invited, {
  id: z.string(),
  invitedBy: z.nullable(z.string()),
  invitedByName: z.string(),
  sentAt: z.string(),
  expiresAt: z.string(),
})
type StoredInvitation = z.infer<typeof StoredInvitation>

const stored = sql`invitations.id, invitations.organization_id as "organizationId", invitations.email, invitations.name,
  invitations.role, invitations.group_ids as "groupIds", invitations.user_id as "userId",
  invitations.invited_by as "invitedBy", invitations.invited_by_name as "invitedByName", ${isoText(sql`invitations.sent_at`)} as "sentAt",
  ${isoText(sql`invitations.expires_at`)} as "expiresAt"`
const fullLife = sql`now() + make_interval(days => ${invitationDays.life})`

/** What the audit log keeps; the secret is not among it. */
function factsOf({ email, role, groupIds, userId, expiresAt }: StoredInvitation) {
  return { email, role, groupIds, userId, expiresAt }
}

type Noted = 'sent' | 'resent' | 'reminded' | 'revoked' | 'expired'

type Notes = { action: Noted; of: readonly StoredInvitation[] }

function note(tx: Tx, by: Actor, { action, of: changed }: Notes): Promise<void> {
  const entries = changed.map((of) => ({
    organizationId: of.organizationId,
    action: `invitation.${action}` as const,
    entity: 'invitation',
    entityId: of.id,
    after: factsOf(of),
  }))
  return auditMany(tx, by, entries)
}

/** A new invitation with its mail. Undefined when one is waiting for that address, or too many mails went to it today. */
export async function issue(acting: Acting, invited: Invited): Promise<string | undefined> {
  return (await issueMany(acting, [invited])).get(invited.email)
}

/** Many of one organization at once: address to id, without those that `issue` would refuse. */
export async function issueMany(
  acting: Acting,
  invited: readonly Invited[],
): Promise<ReadonlyMap<string, string>> {
  const { services, tx, caller } = acting
  const organizationId = invited[0]?.organizationId ?? null
  const emails = [...new Set(invited.map(({ email }) => email))]
  if (emails.length === 0) return new Map()
  const isHere = sql`organization_id is not distinct from ${organizationId}::uuid`
  while ((await expireOverdue(tx, sql`${isHere} and email = any(${arrayOf(emails, 'text')})`)) > 0);
  const left = await invitationMailsLeft(tx, { keys: services.keys, emails })
  const sentAt = new Date().toISOString()
  const wanted = invited
    .filter(({ email }) => left.has(email))
    .map(({ email, name, role, groupIds, userId }) => {
      const hash = hashOf(services.keys, { organizationId, email, sentAt })
      return { email, name, role, groupIds, userId, hash }
    })
  const added = await rows(
    tx,
    StoredInvitation,
    sql`insert into invitations (organization_id, email, name, role, group_ids, user_id, token_hash, invited_by, invited_by_name,
        sent_at, expires_at)
      select ${organizationId}::uuid, w.email, w.name, w.role, w."groupIds", w."userId", decode(w.hash, 'hex'), ${caller.userId}::uuid,
        ${caller.name}::text, ${sentAt}::timestamptz, ${fullLife}
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(email text, name text, role text, "groupIds" uuid[], "userId" uuid, hash text)
      on conflict do nothing returning ${stored}`,
  )
  await mailInvitations(acting, added)
  await note(tx, acting, { action: 'sent', of: added })
  return new Map(added.map(({ email, id }) => [email, id]))
}

const hashOf = (keys: Keys, sent: SentInvitation) => sha256(tokenOf(keys, sent)).toString('hex')

type InvitationChange = Pick<Invited, 'role' | 'groupIds' | 'userId'>

/**
 * The same invitation under a new link with all its days; the former link is worthless. False when too many mails went to
 * the address today.
 */
export async function renew(
  acting: Acting,
  id: string,
  change: Partial<InvitationChange> = {},
): Promise<boolean> {
  return (await renewMany(acting, [id], change)).has(id)
}

/** The same for many: the ids of those that were sent. */
export async function renewMany(
  acting: Acting,
  ids: readonly string[],
  change: Partial<InvitationChange> = {},
): Promise<ReadonlySet<string>> {
  const { services, tx, caller } = acting
  if (ids.length === 0) return new Set()
  const found = await rows(
    tx,
    StoredInvitation,
    sql`select ${stored} from invitations where id = any(${arrayOf(ids, 'uuid')}) order by id for update`,
  )
  const emails = [...new Set(found.map(({ email }) => email))]
  const left = await invitationMailsLeft(tx, { keys: services.keys, emails })
  const wanted = found
    .filter(({ email }) => left.has(email))
    .map((before) => {
      const sentAt = new Date(Math.max(Date.now(), Date.parse(before.sentAt) + 1)).toISOString()
      const { id, role, groupIds, userId } = Object.assign({}, before, change)
      const hash = hashOf(services.keys, { ...before, sentAt })
      return { id, role, groupIds, userId, sentAt, hash }
    })
  const renewed = await rows(
    tx,
    StoredInvitation,
    sql`update invitations set state = 'pending', token_hash = decode(w.hash, 'hex'), sent_at = w."sentAt",
        expires_at = ${fullLife}, reminded_at = null, invited_by = ${caller.userId}::uuid, invited_by_name = ${caller.name}::text,
        role = w.role, group_ids = w."groupIds", user_id = w."userId", updated_at = now()
      from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
        as w(id uuid, "sentAt" timestamptz, role text, "groupIds" uuid[], "userId" uuid, hash text)
      where invitations.id = w.id returning ${stored}`,
  )
  await mailInvitations(acting, renewed)
  await note(tx, acting, { action: 'resent', of: renewed })
  return new Set(renewed.map(({ id }) => id))
}

/** Waiting invitations lead into these groups from now on. */
export async function keepGroupsOf(tx: Tx, which: SQL, groupIds: readonly string[]): Promise<void> {
  const wanted = arrayOf(groupIds, 'uuid')
  await tx.execute(
    sql`update invitations set group_ids = ${wanted}, updated_at = now()
      where ${which} and state = 'pending' and group_ids <> ${wanted}`,
  )
}

/** Ends waiting invitations; returns how many there were. */
export async function revoke({ tx, ...by }: Omit<Acting, 'services'>, which: SQL): Promise<number> {
  const revoked = await rows(
    tx,
    StoredInvitation,
    sql`update invitations set state = 'revoked', updated_at = now()
      where ${which} and state = 'pending' and expires_at > now() returning ${stored}`,
  )
  await note(tx, by, { action: 'revoked', of: revoked })
  return revoked.length
}

/** Condition on `invitations`: it is over, which nobody has written down yet. */
export const isOverdue = sql`state = 'pending' and expires_at <= now()`

/** Condition on `invitations`: whoever was invited is to be reminded. */
export const isReminderDue = sql`state = 'pending' and reminded_at is null and expires_at > now()
  and expires_at <= now() + make_interval(days => ${invitationDays.life - invitationDays.reminder})
  and (organization_id is null or exists (select from organizations o
    where o.id = invitations.organization_id and o.state = 'active' and o.deleted_at is null))`

/** What is over is written down as such. Each row is taken by one transaction, however many work at it. */
export async function expireOverdue(tx: Tx, which: SQL): Promise<number> {
  const expired = await rows(
    tx,
    StoredInvitation,
    sql`update invitations set state = 'expired', updated_at = now() where id in (
        select id from invitations where ${which} and ${isOverdue}
        order by id limit 500 for update skip locked)
      returning ${stored}`,
  )
  await note(tx, 'system', { action: 'expired', of: expired })
  await notify(
    tx,
    expired.flatMap(({ id, organizationId, invitedBy, expiresAt }) =>
      invitedBy === null
        ? []
        : [
            {
              organizationId,
              userId: invitedBy,
              kind: 'invitation.expired',
              entityId: id,
              cause: expiresAt,
            } as const,
          ],
    ),
  )
  return expired.length
}

/** One mail to each of these whose invitation waits for days; taken by one transaction, which queues the mail as well. */
export async function remindDue({ services, tx }: InvitationDeps, which: SQL): Promise<void> {
  const due = await rows(
    tx,
    StoredInvitation,
    sql`update invitations set reminded_at = now(), updated_at = now() where id in (
        select id from invitations where ${which} and ${isReminderDue} order by id for update skip locked)
      returning ${stored}`,
  )
  await mailInvitations({ services, tx }, due, reminderMail)
  await note(tx, 'system', { action: 'reminded', of: due })
}

/** Whoever asks for a new password is led back to an invitation that waits for them; the link stays the same. */
export async function mailWaiting(services: Services, tx: Tx, email: string): Promise<void> {
  const waiting = await row(
    tx,
    StoredInvitation,
    sql`select ${stored} from invitations where email = ${email} and state = 'pending' and expires_at > now()
      order by sent_at desc limit 1`,
  )
  if (!waiting) return
  const left = await invitationMailsLeft(tx, { keys: services.keys, emails: [waiting.email] })
  if (left.has(waiting.email)) await mailInvitations({ services, tx }, [waiting])
}

type InvitationDeps = { services: Services; tx: Tx }

/** What to answer when an address has had all its mails. */
export async function tooManyMails({ services, tx }: InvitationDeps, email: string) {
  return refuse('too_many_requests', {
    reason: { code: 'invited_too_often' },
    retryAfter: await untilInvitationMail(tx, { keys: services.keys, email }),
  })
}

const OpenInvitation = z.object({
  id: z.string(),
  organizationName: z.nullable(z.string()),
  /** Of whoever is known there already, else of the organization. */
  language: z.nullable(z.enum(languages)),
  groups: z.array(z.string()),
  hash: z.string(),
})

async function mailInvitations(
  { services, tx }: InvitationDeps,
  invitations: readonly StoredInvitation[],
  words = invitationMail,
): Promise<void> {
  if (invitations.length === 0) return
  const ids = invitations.map(({ id }) => id)
  const found = await rows(
    tx,
    OpenInvitation,
    sql`select i.id, o.name as "organizationName", coalesce(u.language, o.language) as language,
        coalesce((select array_agg(g.name order by ${called(sql`g.name`)}) from groups g where g.organization_id = i.organization_id
          and g.deleted_at is null and g.id = any(i.group_ids)), '{}') as groups, encode(i.token_hash, 'hex') as hash
      from invitations i left join organizations o on o.id = i.organization_id left join users u on u.id = i.user_id
      where i.id = any(${arrayOf(ids, 'uuid')})`,
  )
  const named = new Map(found.map((one) => [one.id, one]))
  const senders = new Map<string | null, Sender>()
  for (const { organizationId } of invitations)
    if (!senders.has(organizationId))
      senders.set(organizationId, await senderOfMails(tx, services, organizationId))
  const outgoing = invitations.map((invitation) => {
    const { organizationName = null, language, groups = [], hash: present } = named.get(invitation.id) ?? {}
    const token = tokenOf(services.keys, invitation, present)
    const { brand, senderName } = senders.get(invitation.organizationId) ?? {
      brand: productBrand(services.env),
      senderName: null,
    }
    const about = {
      ...invitation,
      language: language ?? 'en',
      invitedBy: invitation.invitedByName,
      organizationName,
      groups,
      expiresAt: new Date(invitation.expiresAt),
      link: `${services.publicUrl()}/auth-1/sign-up?invite=${token}`,
    }
    const text = words(services.env, about, brand)
    const hash = sha256(token).toString('hex')
    return {
      id: invitation.id,
      hash,
      organizationId: invitation.organizationId,
      address: invitation.email,
      senderName,
      ...text,
    }
  })
  const mailIds = await queueMails(
    services,
    tx,
    outgoing.map(({ id: _id, hash: _hash, ...mail }) => mail),
  )
  const sent = outgoing.map(({ id, hash }, at) => ({ id, hash, mailId: mailIds[at] }))
  // Should the secret of the installation have changed more than once, the link of this mail is the one that works.
  await tx.execute(
    sql`update invitations i set mail_id = s."mailId", token_hash = decode(s.hash, 'hex')
      from jsonb_to_recordset(${JSON.stringify(sent)}::jsonb) as s(id uuid, hash text, "mailId" uuid) where i.id = s.id`,
  )
}

export const eraseInvitations: Erase = ({ known }) => [
  sql`update invitations i set email = k.address, name = null, updated_at = now() from ${known}
    where i.organization_id is not distinct from k."organizationId"
      and (i.user_id = k.id or i.email = k.email and i.created_at <= k.until)`,
]
