import * as z from 'zod/mini'
import { invitationStates } from '#contract/directory/invitations.ts'
import { openInvitation } from '#contract/identity/acceptance.ts'
import type { FieldProblem } from '#contract/problems.ts'
import type { Reason } from '#contract/platform/reasons.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { called, isoText } from '../../platform/db/search.ts'
import { refuse, type Refusal } from '../../platform/errors.ts'
import { sha256 } from '../../platform/keys.ts'

/** An invitation in the hands of whoever has its link. */
export const HeldInvitation = z.extend(openInvitation.reply, {
  id: z.string(),
  organizationId: z.nullable(z.string()),
  state: z.enum(invitationStates),
  groupIds: z.array(z.string()),
  invitedById: z.nullable(z.string()),
  /** The organization is there and not switched off. */
  isOpen: z.boolean(),
})
export type HeldInvitation = z.infer<typeof HeldInvitation>

/** Whatever has become of it. */
export async function heldBy(tx: Tx, token: string): Promise<HeldInvitation | undefined> {
  return row(
    tx,
    HeldInvitation,
    sql`select i.id, i.organization_id as "organizationId", o.name as "organizationName", i.invited_by_name as "invitedBy",
        i.invited_by as "invitedById", i.role, i.email, i.name, i.group_ids as "groupIds", ${isoText(sql`i.expires_at`)} as "expiresAt",
        case when i.state = 'pending' and i.expires_at <= now() then 'expired' else i.state end as state,
        o.id is null or (o.state = 'active' and o.deleted_at is null) as "isOpen",
        coalesce((select array_agg(g.name order by ${called(sql`g.name`)}) from groups g
          where g.organization_id = i.organization_id and g.deleted_at is null and g.id = any(i.group_ids)), '{}') as groups,
        coalesce((select case when u.organization_id is not distinct from i.organization_id then 'here' else 'elsewhere' end
          from users u where u.email = i.email and u.password_hash is not null and u.role is not null and u.deleted_at is null), 'none') as account
      from invitations i left join organizations o on o.id = i.organization_id
      where i.token_hash = ${sha256(token)}`,
  )
}

type EndedState = Exclude<HeldInvitation['state'], 'pending'>
const reasons: Record<EndedState, FieldProblem> = {
  expired: 'invitation_expired',
  revoked: 'invitation_revoked',
  accepted: 'invitation_used',
}

/** One status and one code for every link that does not work; why is told to whoever holds a real one. */
export function usable(held: HeldInvitation | undefined): HeldInvitation {
  if (!held) throw refuse('link_expired')
  if (held.state !== 'pending') throw ended(held, held.state)
  if (!held.isOpen)
    throw refuse('link_expired', {
      reason: { code: 'invitation_closed', params: { organization: held.organizationName ?? '' } },
    })
  return held
}

function ended({ invitedBy, organizationName }: HeldInvitation, state: EndedState): Refusal {
  const whom = `${invitedBy}${organizationName ? ` (${organizationName})` : ''}`
  const reason: Reason =
    state === 'accepted' ? { code: 'sign_in_instead' } : { code: 'ask_for_invitation', params: { whom } }
  return refuse('link_expired', { reason, fields: { invitation: [reasons[state]] } })
}

/** Nobody takes an account over with a link, not even their own: they sign in to it. */
export function requireNoAccount({ account, email, organizationName }: HeldInvitation): void {
  if (account === 'none') return
  if (account !== 'here')
    throw refuse('conflict', { reason: { code: 'account_elsewhere', params: { email } } })
  throw refuse('conflict', {
    reason:
      organizationName === null
        ? { code: 'account_at_installation', params: { email } }
        : { code: 'account_at_organization', params: { email, organization: organizationName } },
  })
}
