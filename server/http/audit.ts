import type { FastifyRequest } from 'fastify'
import type { Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import type { Caller } from './bearer.ts'

export type AuditEntry = {
  organizationId: string | null
  action: string
  entity: string
  entityId: string | null
  before?: unknown
  after?: unknown
}

/** Who changes something: a person's request, or the product itself. */
export type Actor = { caller: Pick<Caller, 'userId'> | undefined; request: FastifyRequest } | 'system'

/** Written in the transaction of the change itself: no change without its entry, no entry without its change. */
export async function audit(tx: Tx, by: Actor, entry: AuditEntry): Promise<void> {
  const person = by === 'system' ? undefined : by
  await tx.execute(
    sql`insert into audit (organization_id, actor_id, action, entity, entity_id, before, after, ip_prefix, request_id)
      values (${entry.organizationId}, ${person?.caller?.userId ?? null}, ${entry.action}, ${entry.entity}, ${entry.entityId},
        ${asJson(entry.before)}, ${asJson(entry.after)}, ${person ? ipPrefix(person.request.ip) : null}, ${person?.request.id ?? null})`,
  )
}

function asJson(value: unknown) {
  return value === undefined ? sql`null` : sql`${JSON.stringify(value)}::jsonb`
}

/** /24 of an IPv4 address, /48 of an IPv6 one: enough to tell networks apart, too little to name a person. */
export function ipPrefix(ip: string): string {
  const v4 = /^(?:::ffff:)?(\d+)\.(\d+)\.(\d+)\.\d+$/.exec(ip)
  if (v4) return `${v4[1]}.${v4[2]}.${v4[3]}.0/24`
  const groups = ip.split('::')[0]?.split(':').slice(0, 3) ?? []
  return `${groups.filter(Boolean).join(':') || '0'}::/48`
}
