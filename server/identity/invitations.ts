import type { FastifyRequest } from 'fastify'
import { invitationDays } from '#contract/invitations.ts'
import type { Role } from '#contract/roles.ts'
import { arrayOf, row, rows, type Tx } from '../db/client.ts'
import { sql, type SQL } from '../db/drizzle.ts'
import { isoText } from '../db/search.ts'
import { audit, type Actor } from '../http/audit.ts'
import type { Caller } from '../http/bearer.ts'
import type { Services } from '../http/services.ts'
import { queueMail } from '../jobs/mail.ts'
import { sha256, type Keys } from '../keys.ts'
import { invitationMail, reminderMail } from './invitation-mails.ts'
import { invitationMailsLeft } from './limit.ts'

/** What every change of an invitation needs: the open transaction and who is behind it. */
export type Acting = { services: Services; tx: Tx; caller: Caller; request: FastifyRequest }

export type Invited = {
  organizationId: string | null
  email: string
  name: string | null
  role: Role
  groupIds: readonly string[]
  /** The person, where one was created beforehand. */
  userId: string | null
}

/** Times as the wire has them. */
type Sent = Pick<Invited, 'organizationId' | 'email'> & { sentAt: string }

/**
 * 256 bits that nobody can work out without the secret of the installation, another for every time that it is sent. Derived,
 * so that the reminder has the same link as the invitation although only its SHA-256 is stored.
 */
export function tokenOf(keys: Keys, { organizationId, email, sentAt }: Sent): string {
  return keys.sign('invitation', `${organizationId ?? 'installation'} ${email} ${sentAt}`)
}

type Stored = Invited & { id: string; invitedByName: string; sentAt: string; expiresAt: string }

const stored = sql`id, organization_id as "organizationId", email, name, role, group_ids as "groupIds", user_id as "userId",
  invited_by_name as "invitedByName", ${isoText(sql`sent_at`)} as "sentAt", ${isoText(sql`expires_at`)} as "expiresAt"`
const fullLife = sql`now() + make_interval(days => ${invitationDays.life})`

/** What the audit log keeps; the secret is not among it. */
function factsOf({ email, role, groupIds, userId, expiresAt }: Stored) {
  return { email, role, groupIds, userId, expiresAt }
}

type Noted = 'sent' | 'resent' | 'reminded' | 'revoked' | 'expired'

function note(tx: Tx, by: Actor, entry: { action: Noted; of: Stored; before?: object }): Promise<void> {
  const { action, of, before } = entry
  return audit(tx, by, {
    organizationId: of.organizationId,
    action: `invitation.${action}`,
    entity: 'invitation',
    entityId: of.id,
    ...(before ? { before } : {}),
    after: factsOf(of),
  })
}

/** A new invitation with its mail. Undefined when one is waiting for that address, or too many mails went to it today. */
export async function issue(acting: Acting, invited: Invited): Promise<string | undefined> {
  const { services, tx, caller } = acting
  const { organizationId, email, name, role, userId } = invited
  await expireOverdue(
    tx,
    sql`organization_id is not distinct from ${organizationId}::uuid and email = ${email}`,
  )
  if (!(await invitationMailsLeft(tx, { keys: services.keys, email }))) return undefined
  const sentAt = new Date().toISOString()
  const tokenHash = sha256(tokenOf(services.keys, { organizationId, email, sentAt }))
  const added = await row<Stored>(
    tx,
    sql`insert into invitations (organization_id, email, name, role, group_ids, user_id, token_hash, invited_by, invited_by_name,
        sent_at, expires_at)
      values (${organizationId}, ${email}, ${name}, ${role}, ${arrayOf(invited.groupIds, 'uuid')}, ${userId}, ${tokenHash},
        ${caller.userId}, ${caller.name}, ${sentAt}, ${fullLife})
      on conflict do nothing returning ${stored}`,
  )
  if (!added) return undefined
  await mailInvitation(acting, added)
  await note(tx, acting, { action: 'sent', of: added })
  return added.id
}

type Change = Pick<Invited, 'role' | 'groupIds' | 'userId'>

/**
 * The same invitation under a new link with all its days; the former link is worthless. False when too many mails went to
 * the address today.
 */
export async function renew(acting: Acting, id: string, change: Partial<Change> = {}): Promise<boolean> {
  const { services, tx, caller } = acting
  const before = await row<Stored>(tx, sql`select ${stored} from invitations where id = ${id} for update`)
  if (!before) return false
  const after = { ...before, ...change }
  if (!(await invitationMailsLeft(tx, { keys: services.keys, email: before.email }))) return false
  const sentAt = new Date(Math.max(Date.now(), Date.parse(before.sentAt) + 1)).toISOString()
  const tokenHash = sha256(tokenOf(services.keys, { ...after, sentAt }))
  const renewed = await row<Stored>(
    tx,
    sql`update invitations set state = 'pending', token_hash = ${tokenHash}, sent_at = ${sentAt},
        expires_at = ${fullLife}, reminded_at = null, invited_by = ${caller.userId}, invited_by_name = ${caller.name},
        role = ${after.role}, group_ids = ${arrayOf(after.groupIds, 'uuid')}, user_id = ${after.userId}, updated_at = now()
      where id = ${id} returning ${stored}`,
  )
  if (!renewed) return false
  await mailInvitation(acting, renewed)
  await note(tx, acting, { action: 'resent', of: renewed })
  return true
}

/** Ends waiting invitations; returns how many there were. */
export async function revoke({ tx, ...by }: Acting, which: SQL): Promise<number> {
  const revoked = await rows<Stored>(
    tx,
    sql`update invitations set state = 'revoked', updated_at = now()
      where ${which} and state = 'pending' and expires_at > now() returning ${stored}`,
  )
  for (const of of revoked) await note(tx, by, { action: 'revoked', of })
  return revoked.length
}

/** What is over is written down as such. Each row is taken by one transaction, however many work at it. */
export async function expireOverdue(tx: Tx, which: SQL): Promise<number> {
  const expired = await rows<Stored>(
    tx,
    sql`update invitations set state = 'expired', updated_at = now() where id in (
        select id from invitations where ${which} and state = 'pending' and expires_at <= now()
        order by id limit 500 for update skip locked)
      returning ${stored}`,
  )
  for (const of of expired) await note(tx, 'system', { action: 'expired', of })
  return expired.length
}

/** One mail to each whose invitation waits for days; taken by one transaction, which queues the mail as well. */
export async function remindDue(services: Services, tx: Tx): Promise<number> {
  const due = await rows<Stored>(
    tx,
    sql`update invitations set reminded_at = now(), updated_at = now() where id in (
        select i.id from invitations i left join organizations o on o.id = i.organization_id
        where i.state = 'pending' and i.reminded_at is null and i.expires_at > now()
          and i.expires_at <= now() + make_interval(days => ${invitationDays.life - invitationDays.reminder})
          and (o.id is null or (o.state = 'active' and o.deleted_at is null))
        order by i.id limit 100 for update of i skip locked)
      returning ${stored}`,
  )
  for (const of of due) {
    await mailInvitation({ services, tx }, of, reminderMail)
    await note(tx, 'system', { action: 'reminded', of })
  }
  return due.length
}

/** Whoever asks for a new password before there was a first one is led back to what waits for them; the link stays the same. `null` looks for nobody. */
export async function mailWaiting(services: Services, tx: Tx, email: string | null): Promise<void> {
  const waiting = await row<Stored>(
    tx,
    sql`select ${stored} from invitations where email = ${email} and state = 'pending' and expires_at > now()
      order by sent_at desc limit 1`,
  )
  if (waiting && (await invitationMailsLeft(tx, { keys: services.keys, email: waiting.email })))
    await mailInvitation({ services, tx }, waiting)
}

type Ground = { services: Services; tx: Tx }

async function mailInvitation(
  { services, tx }: Ground,
  invitation: Stored,
  words = invitationMail,
): Promise<void> {
  const { id, organizationId, email } = invitation
  const named = await row<{ organizationName: string | null; groups: string[] }>(
    tx,
    sql`select (select name from organizations where id = ${organizationId}) as "organizationName",
      coalesce((select array_agg(name order by lower(name)) from groups where organization_id = ${organizationId}
        and deleted_at is null and id = any(${arrayOf(invitation.groupIds, 'uuid')})), '{}') as groups`,
  )
  const token = tokenOf(services.keys, invitation)
  const text = words(services.env, {
    ...invitation,
    invitedBy: invitation.invitedByName,
    organizationName: named?.organizationName ?? null,
    groups: named?.groups ?? [],
    expiresAt: new Date(invitation.expiresAt),
    link: `${services.publicUrl()}/auth-1/sign-up?invite=${token}`,
  })
  const mailId = await queueMail(services, tx, { organizationId, address: email, ...text })
  // Should the secret of the installation have changed, the link of this mail is the one that works.
  await tx.execute(
    sql`update invitations set mail_id = ${mailId}, token_hash = ${sha256(token)} where id = ${id}`,
  )
}
