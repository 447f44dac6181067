import * as z from 'zod/mini'
import { countGaps, findRecipients } from '#contract/transmissions/preflight.ts'
import type { Audience } from '#contract/transmissions/transmissions.ts'
import { ofPerson, variableNames } from '#contract/transmissions/variables.ts'
import { applyAllRules } from '../../directory/people/rule-members.ts'
import { findNamedFields, knownNames, lacks } from '../../directory/people/variables.ts'
import { requireRow, rows, type Tx } from '../../platform/db/client.ts'
import { called, all, literal } from '../../platform/db/search.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/bearer.ts'
import type { Mount } from '../../platform/http/mount.ts'
import { reached, requireKnown } from './audience.ts'
import { requireAccount } from './create.ts'

type PreflightRequest = { caller: Caller; body: { accountId: string; audience: Audience } }

async function whomOf(tx: Tx, { caller, body }: PreflightRequest) {
  await requireAccount(tx, caller, body.accountId)
  const chosen = { organizationId: body.accountId, audience: body.audience }
  await requireKnown(tx, chosen)
  await applyAllRules(tx, body.accountId)
  return sql`(${reached(chosen)}) w`
}

const Found = z.object({ id: z.string(), name: z.string(), email: z.string() })
const mostFound = 10

const Counts = z.object({ counts: z.record(z.string(), z.number()) })

export function preflightRoutes(mount: Mount): void {
  mount(findRecipients, async ({ tx, caller, body }) => {
    const whom = await whomOf(tx, { caller, body })
    const pattern = `%${literal(body.q ?? '')}%`
    const items = await rows(
      tx,
      Found,
      sql`select w.id, w.name, w.email from ${whom}
        where ${all([sql`w.reason is null`, body.q && sql`(w.name ilike ${pattern} or w.email ilike ${pattern})`])}
        order by ${called(sql`w.name`)}, w.id limit ${mostFound}`,
    )
    return { items }
  })

  mount(countGaps, async ({ tx, caller, body }) => {
    const whom = await whomOf(tx, { caller, body })
    const fields = (await findNamedFields(tx, body.accountId)).filter(({ isThere }) => isThere)
    const known = knownNames(fields)
    if (body.variables.some((name) => !known.has(name)))
      throw refuse('validation_failed', { fields: { variables: ['invalid'] } })
    const differing = body.variables.filter(
      (name) => ofPerson.includes(name) || !variableNames.some((one) => one === name),
    )
    if (differing.length === 0) return { gaps: [] }
    const sums = differing.map((name) => sql`${name}::text, count(*) filter (where ${lacks(name)})`)
    const { counts } = await requireRow(
      tx,
      Counts,
      sql`select json_build_object(${sql.join(sums, sql`, `)}) as counts from ${whom} join users u on u.id = w.id where w.reason is null`,
    )
    return {
      gaps: differing
        .map((variable) => ({ variable, people: counts[variable] ?? 0 }))
        .filter(({ people }) => people > 0),
    }
  })
}
