import { arrayOf, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { dice, nameOf } from './plan.ts'
import { Id } from '../platform/db/rows.ts'

type Crowd = {
  organizationId: string
  domain: string
  count: number
  groups: readonly string[]
  firstNumber: number
}

type SamplePerson = { id: string; groups: string[] }

/** Adds people and groups; everybody is in the group of their work, some in a second one. */
export async function addPeople(tx: Tx, crowd: Crowd): Promise<SamplePerson[]> {
  const { organizationId, domain, groups } = crowd
  const names = Array.from({ length: crowd.count }, (_none, i) => nameOf(crowd.firstNumber + i))
  const emails = names.map((name, i) => addressOf(name, i, domain))
  const people = await rows(
    tx,
    Id,
    sql`insert into users (organization_id, name, email, external_id, created_at)
      select ${organizationId}, name, email, 'P-' || lpad((1000 + n)::text, 4, '0'), now() - interval '190 days'
      from unnest(${arrayOf(names, 'text')}, ${arrayOf(emails, 'text')}) with ordinality as given(name, email, n)
      returning id`,
  )
  const groupIds = await rows(
    tx,
    Id,
    sql`insert into groups (organization_id, name, created_at)
      select ${organizationId}, name, now() - interval '190 days' from unnest(${arrayOf(groups, 'text')}) as given(name) returning id`,
  )
  const placed = place(
    people,
    groupIds.map((group) => group.id),
    crowd.firstNumber,
  )
  const pairs = placed.flatMap((person) => person.groups.map((group) => ({ group, person: person.id })))
  await tx.execute(
    sql`insert into group_members (organization_id, group_id, user_id, created_at)
      select ${organizationId}, g, u, (select created_at from users where id = u) from unnest(${arrayOf(
        pairs.map((pair) => pair.group),
        'uuid',
      )}, ${arrayOf(
        pairs.map((pair) => pair.person),
        'uuid',
      )}) as given(g, u)`,
  )
  return placed
}

function addressOf(name: string, i: number, domain: string): string {
  return `${name.toLowerCase().replaceAll(' ', '.')}${i >= 90 ? i : ''}@${domain}`
}

function place(people: { id: string }[], groupIds: string[], seed: number): SamplePerson[] {
  const roll = dice(seed + 11)
  return people.map((person, i) => {
    const home = groupIds[i % groupIds.length] ?? ''
    const second = groupIds[Math.floor(roll() * groupIds.length)] ?? home
    return { id: person.id, groups: roll() < 0.2 && second !== home ? [home, second] : [home] }
  })
}
