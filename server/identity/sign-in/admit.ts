import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { SignInAnswer } from '#contract/identity/auth.ts'
import { arrayOf, row, setCause, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { sha256 } from '../../platform/keys.ts'
import { senderOfMails } from '../mail-brand.ts'
import { languageOfPerson } from '../mail-language.ts'
import { acceptedMail } from '../invitation-mails.ts'
import { accountById } from '../queries.ts'
import { heldBy, requireNoAccount, usable, type HeldInvitation } from './held.ts'
import { afterFirstProof } from './steps.ts'
import { Id } from '../../platform/db/rows.ts'

export type Accepting = { services: Services; request: FastifyRequest; token: string }
type ChosenAccount = { name: string; passwordHash: string }
const KnownPerson = z.object({ id: z.string(), role: z.nullable(z.string()), state: z.string() })
type KnownPerson = z.infer<typeof KnownPerson>

/**
 * Ends the invitation and makes its holder what it promises: all of it or nothing. The person is locked before the
 * invitation, in the order in which an administrator's change of that person takes both.
 */
export async function admit(tx: Tx, asking: Accepting, chosen: ChosenAccount): Promise<SignInAnswer> {
  const { request, token } = asking
  const seen = usable(await heldBy(tx, token))
  const known = await lockPerson(tx, seen)
  await tx.execute(sql`select 1 from invitations where token_hash = ${sha256(token)} for update`)
  const held = usable(await heldBy(tx, token))
  requireNoAccount(held)
  if (known?.state === 'disabled')
    throw refuse('conflict', {
      reason: { code: 'account_disabled', params: { email: held.email, invitedBy: held.invitedBy } },
    })
  const userId = known ? await fill(tx, known, { held, ...chosen }) : await add(tx, { held, ...chosen })
  // Who was created beforehand is in the groups already, or was taken out of them since.
  if (!known?.role) await joinGroups(tx, held, userId)
  await tx.execute(
    sql`update invitations set state = 'accepted', accepted_at = now(), accepted_by = ${userId}, updated_at = now()
      where id = ${held.id}`,
  )
  const account = await accountById(tx, userId)
  if (!account) throw refuse('link_expired')
  const { organizationId } = held
  const by = { request, caller: { userId } }
  const after = { email: held.email, role: account.role, userId, wasKnown: known !== undefined }
  const entry = {
    organizationId,
    action: 'invitation.accepted' as const,
    entity: 'invitation',
    entityId: held.id,
  }
  await audit(tx, by, { ...entry, after })
  await tellInviter(tx, asking, { held, name: chosen.name })
  return afterFirstProof(tx, { asking, account, proved: { amr: ['pwd'], remember: false } })
}

/** The person of that address in the organization, if there is one. */
function lockPerson(tx: Tx, { email, organizationId }: HeldInvitation): Promise<KnownPerson | undefined> {
  return row(
    tx,
    KnownPerson,
    sql`select id, role, state from users
      where email = ${email} and organization_id is not distinct from ${organizationId}::uuid and deleted_at is null for update`,
  )
}

type InvitedPerson = ChosenAccount & { held: HeldInvitation }

/** Somebody who only received so far gets the role; who was created with one keeps what they were given since. */
async function fill(
  tx: Tx,
  { id }: KnownPerson,
  { held, name, passwordHash }: InvitedPerson,
): Promise<string> {
  await tx.execute(
    sql`update users set name = ${name}, role = coalesce(role, ${held.role}), state = 'active', password_hash = ${passwordHash},
        password_changed_at = now(), password_expired = null, updated_at = now() where id = ${id}`,
  )
  return id
}

async function add(tx: Tx, { held, name, passwordHash }: InvitedPerson): Promise<string> {
  const added = await row(
    tx,
    Id,
    sql`insert into users (organization_id, name, email, role, password_hash, password_changed_at)
      values (${held.organizationId}, ${name}, ${held.email}, ${held.role}, ${passwordHash}, now()) returning id`,
  )
  if (!added) throw refuse('link_expired')
  return added.id
}

/** Those that still exist. */
export async function joinGroups(
  tx: Tx,
  { organizationId, groupIds, role }: Pick<HeldInvitation, 'organizationId' | 'groupIds' | 'role'>,
  userId: string,
): Promise<void> {
  await setCause(tx, 'invitation')
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
      select g.organization_id, g.id, ${userId}::uuid, ${role === 'groupadmin'} from groups g
      where g.organization_id = ${organizationId} and g.deleted_at is null and g.id = any(${arrayOf(groupIds, 'uuid')})
        and (g.kind = 'static' or ${role === 'groupadmin'})
      order by g.id for key share
      on conflict (group_id, user_id) do update set groupadmin = excluded.groupadmin,
          by_rule = group_members.by_rule and not excluded.groupadmin
        where group_members.groupadmin <> excluded.groupadmin`,
  )
}

const Inviter = z.object({ id: z.string(), email: z.string(), name: z.string() })

async function tellInviter(
  tx: Tx,
  { services }: Accepting,
  { held, name }: { held: HeldInvitation; name: string },
): Promise<void> {
  const inviter = await row(
    tx,
    Inviter,
    sql`select id, email, name from users where id = ${held.invitedById} and state = 'active' and deleted_at is null`,
  )
  if (!inviter) return
  const { organizationId, organizationName, email, role } = held
  const { brand, senderName } = await senderOfMails(tx, services, organizationId)
  const language = await languageOfPerson(tx, inviter.id)
  const details = { language, inviter: inviter.name, name, email, role, organizationName }
  const text = acceptedMail(services.env, details, brand)
  await queueMail(services, tx, { organizationId, address: inviter.email, senderName, ...text })
}
