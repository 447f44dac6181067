import type { AuditAction } from '#contract/platform/audit-actions.ts'
import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { addressOf, networkOf } from './address.ts'
import type { Caller, CallingKey } from './bearer.ts'
import { cut } from '#contract/platform/text/text.ts'

export type AuditEntry = {
  organizationId: string | null
  action: AuditAction
  entity: string
  entityId: string | null
  before?: unknown
  after?: unknown
}

/** For an entry about the installation itself. */
export const ofInstallation = { organizationId: null, entity: 'installation', entityId: null }

/** By which key something is done. */
export type ActingKey = Pick<CallingKey, 'id'>

/** Who changes something: a person's request, or the product itself. */
export type Actor =
  | {
      caller:
        | (Pick<Caller, 'userId'> & Partial<Pick<Caller, 'name' | 'viewer'>> & { key?: ActingKey | null })
        | undefined
      /** Undefined where a job goes on with what a person has asked for. */
      request: FastifyRequest | undefined
    }
  | 'system'

/** Written in the transaction of the change itself: no change without its entry, no entry without its change. */
export function audit(tx: Tx, by: Actor, entry: AuditEntry): Promise<void> {
  return auditMany(tx, by, [entry])
}

/** The same for many changes of one actor, in one statement. */
export async function auditMany(tx: Tx, by: Actor, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const { caller, request } = by === 'system' ? {} : by
  const actor = caller?.viewer ? caller.viewer : { id: caller?.userId ?? null, name: caller?.name ?? null }
  const viewingAs = caller?.viewer ? caller.userId : null
  await tx.execute(
    sql`insert into audit (organization_id, actor_id, actor_name, viewing_as, key_id, action, entity, entity_id, before, after,
        ip_prefix, user_agent, request_id)
      select e."organizationId", ${actor.id}::uuid, coalesce(${actor.name}::text, (select name from users where id = ${actor.id}::uuid)),
        ${viewingAs}::uuid, ${caller?.key?.id ?? null}::uuid, e.action, e.entity, e."entityId", e.before, e.after, ${request ? ipPrefix(addressOf(request)) : null}::inet,
        ${request ? agentOf(request) : null}::text, ${request?.id ?? null}::text
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        as e("organizationId" uuid, action text, entity text, "entityId" uuid, before jsonb, after jsonb)`,
  )
}

/** What the browser says it is. */
export function agentOf(request: FastifyRequest): string | null {
  return cut(request.headers['user-agent'] ?? '', 300) || null
}

/** /24 of an IPv4 address, /48 of an IPv6 one: enough to tell networks apart, too little to name a person. */
export function ipPrefix(ip: string): string {
  const network = networkOf(ip)
  return network.includes('.') ? `${network}.0/24` : `${network.replace(/(:0)+$/, '')}::/48`
}
