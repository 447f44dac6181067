import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import {
  domainFindings,
  mostDomains,
  type listDomains,
  type SignInDomain,
} from '#contract/identity/sign-in-domains.ts'
import type { DomainFinding } from '#contract/identity/sign-in-domains.ts'
import type { ParsedQuery } from '#contract/endpoint.ts'
import { requireRow, row, type Scope, type Tx } from '../../platform/db/client.ts'
import { readCount } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Requester } from '../../platform/http/bearer.ts'
import { readList } from '../../platform/http/lists/list.ts'
import type { Services } from '../../platform/http/services.ts'
import { connectionTrialLimits, takeTry } from '../limit.ts'
import { dnsOf, textsAt, type Dns } from '../mail/dns.ts'
import type { Home } from './connections.ts'

const DomainRow = z.object({
  id: z.string(),
  domain: z.string(),
  token: z.string(),
  provedAt: z.nullable(z.string()),
  checkedAt: z.nullable(z.string()),
  finding: z.nullable(z.enum(domainFindings)),
  createdAt: z.string(),
})
type DomainRow = z.infer<typeof DomainRow>

const columns = sql`d.id, d.domain, d.token, ${isoText(sql`d.proved_at`)} as "provedAt", ${isoText(sql`d.checked_at`)} as "checkedAt",
  d.finding, ${isoText(sql`d.created_at`)} as "createdAt"`

const recordOf = ({ domain, token }: Pick<DomainRow, 'domain' | 'token'>) => ({
  name: `_sendreel.${domain}`,
  value: `sendreel-domain=${token}`,
})

const shown = ({ token, ...found }: DomainRow): SignInDomain => ({
  ...found,
  record: recordOf({ domain: found.domain, token }),
})

const isOf = ({ organizationId }: Home) => sql`d.organization_id is not distinct from ${organizationId}::uuid`

type Listing = { query: ParsedQuery<typeof listDomains>; request: FastifyRequest }

export async function domainsOf(tx: Tx, home: Home, { query, request }: Listing) {
  const found = await readList(tx, {
    query,
    request,
    Row: DomainRow,
    columns,
    from: sql`sign_in_domains d`,
    where: isOf(home),
    order: { by: sql`d.id`, id: sql`d.id`, type: 'uuid', descending: false },
  })
  return { ...found, items: found.items.map(shown) }
}

const oneOf = (tx: Tx, home: Home, id: string) =>
  requireRow(
    tx,
    DomainRow,
    sql`select ${columns} from sign_in_domains d where d.id = ${id} and ${isOf(home)}`,
  )

/** Several may name the same domain, each proves it by a value of its own. */
export async function addDomain(
  tx: Tx,
  home: Home,
  { by, domain }: { by: Requester; domain: string },
): Promise<SignInDomain> {
  const { organizationId } = home
  const n = await readCount(tx, sql`select count(*)::int as n from sign_in_domains d where ${isOf(home)}`)
  if (n >= mostDomains)
    throw refuse('conflict', { reason: { code: 'too_many_domains', params: { most: mostDomains } } })
  const added = await row(
    tx,
    DomainRow,
    sql`insert into sign_in_domains as d (organization_id, domain, token)
      values (${organizationId}, ${domain}, ${randomBytes(20).toString('hex')})
      on conflict on constraint sign_in_domains_domain do nothing returning ${columns}`,
  )
  if (!added) throw refuse('already_exists', { fields: { domain: ['taken'] } })
  const entry = { ...home, entity: 'domain', entityId: added.id, after: { domain } }
  await audit(tx, by, { ...entry, action: 'domain.added' })
  return shown(added)
}

async function lookFor(dns: Dns, record: { name: string; value: string }): Promise<DomainFinding> {
  try {
    const texts = (await textsAt(dns, record.name)) ?? []
    if (texts.some((text) => text.trim() === record.value)) return 'proved'
    return texts.length > 0 ? 'other' : 'missing'
  } catch {
    return 'no_answer'
  }
}

type Checking = { services: Services; scope: Scope; by: Requester; id: string }

/** The DNS is asked between two transactions. What is not found any more leads nobody any more; no answer changes nothing. */
export async function proveDomain(home: Home, { services, scope, by, id }: Checking): Promise<SignInDomain> {
  const { db, env, keys } = services
  const asked = await db.as(scope, (tx) => oneOf(tx, home, id))
  await db.as('system', (tx) => takeTry(tx, connectionTrialLimits(keys, home.organizationId)))
  const finding = await lookFor(dnsOf(env), recordOf(asked))
  return db.as(scope, async (tx) => {
    await tx.execute(
      sql`select from sign_in_domains d where d.id = ${id} and ${isOf(home)} for no key update`,
    )
    const before = await oneOf(tx, home, id)
    const provedAt =
      finding === 'proved'
        ? sql`coalesce(d.proved_at, now())`
        : finding === 'no_answer'
          ? sql`d.proved_at`
          : sql`null`
    const after = await requireRow(
      tx,
      DomainRow,
      sql`update sign_in_domains d set checked_at = now(), finding = ${finding}, proved_at = ${provedAt}
        where d.id = ${id} returning ${columns}`,
    )
    const isNow = after.provedAt !== null
    const action =
      isNow === (before.provedAt !== null) ? 'domain.checked' : isNow ? 'domain.proved' : 'domain.lost'
    const entry = { ...home, entity: 'domain', entityId: id, after: { domain: after.domain, finding } }
    await audit(tx, by, { ...entry, action })
    return shown(after)
  })
}

export async function removeDomain(
  tx: Tx,
  home: Home,
  { by, id }: { by: Requester; id: string },
): Promise<Record<string, never>> {
  const { domain } = await oneOf(tx, home, id)
  await tx.execute(sql`delete from sign_in_domains where id = ${id}`)
  const entry = { ...home, entity: 'domain', entityId: id, before: { domain } }
  await audit(tx, by, { ...entry, action: 'domain.removed' })
  return {}
}
