import type { FastifyInstance } from 'fastify'
import {
  createInvitation,
  inviteMany,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  type Invitation,
  type InviteRow,
} from '#contract/directory/invitations.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { inSavepoint, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import type { Services } from '../../platform/http/services.ts'
import { issue, renew, revoke, tooManyMails, type Acting } from '../../identity/invitations.ts'
import { cleanName, readAddresses } from '../people/addresses.ts'
import { plan, requireRight, type RequestedInvitation, type Planned } from './plan.ts'
import { findInvitation, findInvitations } from './queries.ts'

export function invitationsRoutes(_app: FastifyInstance, mount: Mount, services: Services): void {
  mount(listInvitations, ({ tx, caller, query, request }) => findInvitations(tx, { caller, query, request }))

  mount(createInvitation, async ({ tx, caller, request, body }) => {
    await requireRight(tx, caller, body)
    const asked = { given: body.email, email: body.email, name: cleanName(body.name) }
    const [planned] = await plan(tx, caller, { ...body, asked: [asked] })
    if (!planned?.invite) throw refusalOf(planned)
    const acting = { services, tx, caller, request }
    const id = await issue(acting, planned.invite)
    if (id === undefined) throw await tooManyMails(acting, planned.invite.email)
    return findInvitation(tx, { caller, id })
  })

  mount(inviteMany, async ({ tx, caller, request, body }) => {
    await requireRight(tx, caller, body)
    const planned = await plan(tx, caller, { ...body, asked: askedIn(body) })
    const done = body.dryRun ? planned : await inviteAll({ services, tx, caller, request }, planned)
    const invited = done.filter(({ outcome }) => outcome === 'invited' || outcome === 'recipient').length
    return { dryRun: body.dryRun, invited, rows: done.map(({ invite: _kept, ...row }): InviteRow => row) }
  })

  changeRoutes(mount, services)
}

function refusalOf(planned: Planned | undefined) {
  if (planned?.outcome === 'already_invited')
    return refuse('already_exists', {
      reason: { code: 'invitation_waiting' },
      fields: { email: ['taken'] },
    })
  if (planned?.outcome === 'has_account')
    return refuse('already_exists', {
      reason: { code: 'address_signs_in' },
      fields: { email: ['taken'] },
    })
  return refuse('conflict', planned?.reason ? { reason: { code: planned.reason } } : {})
}

function askedIn({ addresses = '', rows = [] }: ParsedBody<typeof inviteMany>): RequestedInvitation[] {
  return [
    ...readAddresses(addresses),
    ...rows.map(({ email, name, role }) => ({ given: email, email, name: cleanName(name), role })),
  ]
}

/** Invites in the order of the addresses, so that two lists that share some never wait for each other in a circle. */
async function inviteAll(acting: Acting, planned: readonly Planned[]): Promise<Planned[]> {
  const done = [...planned]
  const order = planned
    .map((_row, at) => at)
    .toSorted((a, b) => (emailAt(planned, a) < emailAt(planned, b) ? -1 : 1))
  for (const at of order) {
    const row = planned[at]
    if (row?.invite) done[at] = { ...row, ...(await inviteOne(acting, row)) }
  }
  return done
}

const emailAt = (planned: readonly Planned[], at: number) => planned[at]?.email ?? ''

/** Invites one. Whatever goes wrong with it, a mistake of ours included, is undone for it alone. */
async function inviteOne(acting: Acting, { invite }: Planned): Promise<Partial<Planned>> {
  const { tx, services } = acting
  if (!invite) return {}
  try {
    const invitationId = await inSavepoint(tx, () => issue(acting, invite))
    if (invitationId !== undefined) return { invitationId }
    return { outcome: 'not_allowed', reason: 'invited_meanwhile' }
  } catch (error) {
    services.log.error({ err: error }, 'an invitation was left out')
    return { outcome: 'not_allowed', reason: 'invite_failed' }
  }
}

function changeRoutes(mount: Mount, services: Services): void {
  mount(resendInvitation, async ({ tx, caller, request, params }) => {
    const before = await findInvitation(tx, { caller, id: params.invitationId, lock: true })
    const { organizationId, role, groups } = before
    if (before.state === 'accepted') throw refuse('conflict', { reason: { code: 'invitation_accepted' } })
    const groupIds = groups.map(({ id }) => id)
    await requireRight(tx, caller, { organizationId, role, groupIds })
    const change =
      before.state === 'pending' ? { groupIds } : await again({ tx, caller }, { before, groupIds })
    const acting = { services, tx, caller, request }
    if (!(await renew(acting, before.id, change))) throw await tooManyMails(acting, before.email)
    return findInvitation(tx, { caller, id: before.id })
  })

  mount(revokeInvitation, async ({ tx, caller, request, params }) => {
    const before = await findInvitation(tx, { caller, id: params.invitationId, lock: true })
    // It may be a second click, or a second administrator; it is what they wanted.
    if (before.state === 'revoked') return before
    const acting = { services, tx, caller, request }
    if ((await revoke(acting, sql`id = ${before.id}`)) === 0)
      throw refuse('conflict', {
        reason: { code: before.state === 'accepted' ? 'invitation_accepted' : 'invitation_over' },
      })
    return findInvitation(tx, { caller, id: before.id })
  })
}

type EndedInvitation = { before: Invitation; groupIds: string[] }

/** Begins anew what has ended, but only where a new invitation could be sent, because much may have happened since. */
async function again({ tx, caller }: { tx: Tx; caller: Caller }, { before, groupIds }: EndedInvitation) {
  const { organizationId, role, email, name } = before
  const asked = [{ given: email, email, name }]
  const [planned] = await plan(tx, caller, { organizationId, role, groupIds, asked })
  if (!planned?.invite) throw refusalOf(planned)
  return planned.invite
}
