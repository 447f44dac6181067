import { defaultPolicies } from '#contract/organizations.ts'
import { hashPassword } from '../identity/hash.ts'
import { row, type Tx } from '../db/client.ts'
import { sql } from '../db/drizzle.ts'
import type { Services } from '../http/services.ts'
import { fillOrganization, foldAll } from './fill.ts'
import { demoOrganizations, type SampleOrganization } from './plan.ts'
import { answerQuestions } from './quizzes.ts'

export const demoPassphrase = 'sendreel demo passphrase'

/** Three organizations with 200 people, twelve videos and half a year behind them. Finds what is there already. */
export async function fillDemo(services: Services): Promise<void> {
  const complete = await services.db.as('system', (tx) =>
    row(tx, sql`select 1 from audit where action = 'demo.filled' limit 1`),
  )
  if (complete) return
  const hash = await hashPassword(demoPassphrase)
  const sue = await services.db.as('system', (tx) =>
    account(tx, {
      organizationId: null,
      name: 'Sam Superadmin',
      email: 'superadmin@demo.test',
      role: 'superadmin',
      hash,
    }),
  )
  let seed = 0
  const organizationIds: string[] = []
  for (const [i, plan] of demoOrganizations.entries()) {
    const organizationId = await services.db.as('system', (tx) => organization(tx, plan))
    organizationIds.push(organizationId)
    const accounts =
      i === 0 ? await services.db.as('system', (tx) => accountsOf(tx, organizationId, hash)) : []
    console.log(`Filling ${plan.name} …`)
    await fillOrganization({
      services,
      organizationId,
      plan,
      seed,
      present: accounts.length,
      sender: accounts[0] ?? sue,
    })
    if (accounts[1]) await lead(services, organizationId, accounts[1].id)
    seed += plan.people
  }
  await foldAll(services)
  for (const id of organizationIds) await answerQuestions(services, id)
  await services.db.as('system', (tx) =>
    tx.execute(sql`insert into audit (action, entity) values ('demo.filled', 'installation')`),
  )
}

async function organization(tx: Tx, plan: SampleOrganization): Promise<string> {
  const slug = plan.name.toLowerCase().replaceAll(' ', '-')
  const made = await row<{ id: string }>(
    tx,
    sql`insert into organizations (name, slug, domain, time_zone, policies, created_at)
      values (${plan.name}, ${slug}, ${plan.domain}, ${plan.timeZone}, ${JSON.stringify(defaultPolicies)}::jsonb, now() - interval '190 days')
      on conflict (slug) where deleted_at is null do update set name = excluded.name returning id`,
  )
  return made?.id ?? ''
}

type Account = { organizationId: string | null; name: string; email: string; role: string; hash: string }

async function account(tx: Tx, a: Account): Promise<{ id: string; name: string }> {
  const made = await row<{ id: string; name: string }>(
    tx,
    sql`insert into users (organization_id, name, email, role, password_hash)
      values (${a.organizationId}, ${a.name}, ${a.email}, ${a.role}, ${a.hash})
      on conflict (email) where role is not null and deleted_at is null do update set name = excluded.name returning id, name`,
  )
  return made ?? { id: '', name: '' }
}

async function accountsOf(
  tx: Tx,
  organizationId: string,
  hash: string,
): Promise<{ id: string; name: string }[]> {
  return [
    await account(tx, { organizationId, name: 'Ada Admin', email: 'admin@demo.test', role: 'admin', hash }),
    await account(tx, {
      organizationId,
      name: 'Gus Groupadmin',
      email: 'groupadmin@demo.test',
      role: 'groupadmin',
      hash,
    }),
  ]
}

/** The groupadmin leads the first two groups. */
async function lead({ db }: Services, organizationId: string, userId: string): Promise<void> {
  await db.as({ organizationId }, (tx) =>
    tx.execute(
      sql`insert into group_members (organization_id, group_id, user_id, groupadmin)
        select ${organizationId}, id, ${userId}, true from groups where organization_id = ${organizationId} order by id limit 2
        on conflict do nothing`,
    ),
  )
}
