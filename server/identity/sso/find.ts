import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { domainOf } from '#contract/identity/addresses.ts'
import { domainFingerprint } from '#contract/identity/domain-fingerprint.ts'
import type { ConnectionChoice } from '#contract/identity/sso-sign-in.ts'
import { rows, type Tx } from '../../platform/db/client.ts'
import { called } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { addressOf } from '../../platform/http/address.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Services } from '../../platform/http/services.ts'
import { connectionLimits, takeTry } from '../limit.ts'
import { isRequired } from './policy.ts'

/** Connections `c` that lead somewhere, of an organization `o` or of the installation. */
const leading = sql`sign_in_connections c left join organizations o on o.id = c.organization_id`
const leads = sql`c.is_on and c.secret_sealed is not null and (c.organization_id is null or (o.state = 'active' and o.deleted_at is null))`
const ofHome = sql`d.organization_id is not distinct from c.organization_id and d.proved_at is not null`

const Domain = z.object({ domain: z.string() })

/** What the sign-in page looks into before it asks: it asks nothing about an address whose domain is not among them. */
export async function claimedDomains(tx: Tx): Promise<number[]> {
  const found = await rows(
    tx,
    Domain,
    sql`select distinct d.domain from sign_in_domains d where exists (select from ${leading} where ${leads} and ${ofHome})`,
  )
  return [...new Set(found.map(({ domain }) => domainFingerprint(domain)))].toSorted((a, b) => a - b)
}

const Choice = z.object({
  id: z.string(),
  name: z.string(),
  organization: z.nullable(z.string()),
  isRequired: z.boolean(),
})

type Finding = { services: Services; request: FastifyRequest; identifier: string }

/** The same for each address of a domain: who exists is not looked at. */
export function connectionsFor({ services, request, identifier }: Finding): Promise<ConnectionChoice[]> {
  const { db, keys } = services
  return db.as('system', async (tx) => {
    await takeTry(tx, connectionLimits(keys, addressOf(request)))
    return rows(
      tx,
      Choice,
      sql`select c.id, c.name, o.name as organization,
          exists (select from sign_in_policies p where p.organization_id = o.id and p.sign_in = 'required') as "isRequired"
        from ${leading} where ${leads}
          and exists (select from sign_in_domains d where d.domain = ${domainOf(identifier)} and ${ofHome})
        order by ${called(sql`c.name`)}, c.id limit 50`,
    )
  })
}

const Known = z.object({ id: z.string(), name: z.string() })

/** By what the owner of a session proves again who they are. */
export function proofsOf({ db }: Services, { userId, viewer }: Caller) {
  const owner = viewer?.id ?? userId
  return db.as('system', async (tx) => {
    const connections = await rows(
      tx,
      Known,
      sql`select c.id, c.name from connection_people p join sign_in_connections c on c.id = p.connection_id
        where p.user_id = ${owner} and c.is_on and c.secret_sealed is not null order by p.last_at desc, c.id`,
    )
    const [person] = await rows(
      tx,
      Owner,
      sql`select u.organization_id as "organizationId",
          u.password_hash is not null or exists (select from passkeys k where k.user_id = u.id) as "hasOwn",
          exists (select from sign_in_policies p where p.break_glass_id = u.id) as "isBreakGlass"
        from users u where u.id = ${owner}`,
    )
    const isHeld =
      person?.organizationId != null && !person.isBreakGlass && (await isRequired(tx, person.organizationId))
    return { own: person?.hasOwn === true && !isHeld, connections }
  })
}

const Owner = z.object({
  organizationId: z.nullable(z.string()),
  hasOwn: z.boolean(),
  isBreakGlass: z.boolean(),
})
