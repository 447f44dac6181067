import { defaultPolicies } from '#contract/directory/organizations.ts'
import { hashPassword } from '../identity/password/hash.ts'
import { hasRow, row, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { actToday, assignToAll } from './afterwards.ts'
import { askForApprovals } from './decisions.ts'
import { noteRoutine, Author, type Routine } from './diary.ts'
import { say } from '../platform/terminal.ts'
import { fillOrganization, finishOrganization } from './fill.ts'
import { tellSystems } from './systems.ts'
import { demoOrganizations, type SampleOrganization } from './plan.ts'
import { insertedId } from '../platform/db/rows.ts'
import { addKeys } from './keys.ts'
import { addConnection } from './sign-in.ts'

export const demoPassphrase = 'sendreel demo passphrase'

/** Three organizations with 200 people, nineteen videos and more than half a year behind them. Finds what is there already. */
export async function fillDemo(services: Services): Promise<void> {
  const complete = await services.db.as('system', (tx) =>
    hasRow(tx, sql`select 1 from audit where action = 'demo.filled' limit 1`),
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
      sinceDays: 400,
    }),
  )
  let seed = 0
  let gus = sue
  const staff: Routine[] = [{ organizationId: null, who: sue, share: 0.2, seed: 3 }]
  const fillings: Parameters<typeof finishOrganization>[0][] = []
  for (const [i, plan] of demoOrganizations.entries()) {
    const organizationId = await services.db.as('system', (tx) => organization(tx, plan))
    const accounts =
      i === 0
        ? await services.db.as('system', (tx) =>
            accountsOf(tx, organizationId, { hash, sinceDays: plan.sinceDays }),
          )
        : undefined
    say(`Filling ${plan.name} with people, videos and half a year of viewing …`)
    await fillOrganization({
      services,
      organizationId,
      plan,
      seed,
      present: accounts?.length ?? 0,
      sender: accounts?.[0] ?? sue,
    })
    if (accounts) {
      gus = accounts[1]
      await lead(services, organizationId, accounts[1].id)
      const ownerId = accounts[0].id
      await services.db.as('system', (tx) => addKeys(tx, { organizationId, ownerId }))
      await services.db.as('system', (tx) => addConnection(tx, organizationId))
      staff.push(
        { organizationId, who: accounts[0], share: 0.8, seed: 1 },
        { organizationId, who: accounts[1], share: 0.4, seed: 2 },
      )
    }
    fillings.push({ services, organizationId, plan, sender: accounts?.[0] ?? sue })
    seed += plan.people
  }
  for (const filling of fillings) {
    say(`${filling.plan.name}: what people owe, and who is late …`)
    await finishOrganization(filling)
  }
  const [first] = fillings
  if (first) {
    const place = { services, organizationId: first.organizationId, by: first.sender }
    await actToday(place, gus)
    await askForApprovals({ ...place, superadmin: sue })
    await assignToAll(place)
    await tellSystems(place)
  }
  await services.db.as('system', async (tx) => {
    for (const routine of staff) await noteRoutine(tx, routine)
    await tx.execute(sql`insert into audit (action, entity) values ('demo.filled', 'installation')`)
  })
}

async function organization(tx: Tx, plan: SampleOrganization): Promise<string> {
  const slug = plan.name.toLowerCase().replaceAll(' ', '-')
  return insertedId(
    tx,
    sql`insert into organizations (name, slug, domain, accent_color, time_zone, language, policies, created_at)
      values (${plan.name}, ${slug}, ${plan.domain}, ${plan.accentColor}, ${plan.timeZone}, ${plan.language}, ${JSON.stringify(defaultPolicies)}::jsonb, now() - make_interval(days => ${plan.sinceDays}::int))
      on conflict (slug) where deleted_at is null do update set name = excluded.name, language = excluded.language, time_zone = excluded.time_zone, created_at = excluded.created_at
      returning id`,
  )
}

type Secret = { hash: string; sinceDays: number }
type NewAccount = Secret & { organizationId: string | null; name: string; email: string; role: string }

async function account(tx: Tx, a: NewAccount): Promise<Author> {
  const made = await row(
    tx,
    Author,
    sql`insert into users (organization_id, name, email, role, password_hash, created_at)
      values (${a.organizationId}, ${a.name}, ${a.email}, ${a.role}, ${a.hash}, now() - make_interval(days => ${a.sinceDays}::int))
      on conflict (email) where password_hash is not null and role is not null and deleted_at is null do update set name = excluded.name returning id, name`,
  )
  return made ?? { id: '', name: '' }
}

async function accountsOf(tx: Tx, organizationId: string, secret: Secret): Promise<[Author, Author]> {
  return [
    await account(tx, {
      organizationId,
      name: 'Ada Admin',
      email: 'admin@demo.test',
      role: 'admin',
      ...secret,
    }),
    await account(tx, {
      organizationId,
      name: 'Gus Groupadmin',
      email: 'groupadmin@demo.test',
      role: 'groupadmin',
      ...secret,
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
