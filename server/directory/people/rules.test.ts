import { beforeEach, expect, test } from 'vitest'
import type { GroupRule, RuleCondition } from '#contract/directory/rules.ts'
import { addPeople } from '../../testing/audience.ts'
import { aServer } from '../../testing/worlds.ts'
import { groupsIn } from './rules.ts'
import { applyAllRules, applyRules } from './rule-members.ts'

const server = await aServer()

let orgId: string
beforeEach(async () => {
  orgId = await server.organization()
})

const query = <Row extends object>(text: string, values: unknown[] = []) =>
  server.services.db.system.query<Row>(text, values)
const applyNow = () => server.services.db.as({ organizationId: orgId }, (tx) => applyAllRules(tx, orgId))

/** Repeats itself for the same seed. */
function dice(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  const pick = <T>(list: readonly T[]): T => {
    const found = list[below(list.length)]
    if (found === undefined) throw new Error('nothing to pick from')
    return found
  }
  return { below, pick, some: <T>(list: readonly T[]) => list.filter(() => next() < 0.4) }
}
type Dice = ReturnType<typeof dice>

type Role = 'admin' | 'groupadmin' | null
type Somebody = { id: string; email: string; role: Role; fields: Record<string, string>; isGone: boolean }
type Group = { id: string; rule: GroupRule | null; members: Set<string> }

const words = ['Sales', 'sales north', 'Warehouse', 'IT', 'ÅRHUS', '50%_off']
const numbers = ['-3', '0', '7', '12.5', '100']
const dates = ['2024-02-29', '2025-01-01', '2026-03-31']
const domains = ['a.example', 'b.example', 'sub.a.example']

function randomFields(roll: Dice): Record<string, string> {
  const all = [
    ['team', roll.pick(words)],
    ['level', roll.pick(numbers)],
    ['joined', roll.pick(dates)],
  ] as const
  return Object.fromEntries(roll.some(all))
}

function randomCondition(roll: Dice, groups: readonly string[]): RuleCondition {
  const is = roll.pick(['one_of', 'none_of'] as const)
  const kind = roll.below(groups.length > 0 ? 7 : 5)
  if (kind === 0) return { about: 'emailDomain', is, values: [roll.pick(domains)] }
  if (kind === 1) return { about: 'role', is, values: [roll.pick(['admin', 'groupadmin', 'none'] as const)] }
  if (kind === 2)
    return { about: 'field', key: 'team', is: roll.pick(['filled', 'empty'] as const), values: [] }
  if (kind === 3) {
    const [key, bounds] = roll.pick([['level', numbers] as const, ['joined', dates] as const])
    return {
      about: 'field',
      key,
      is: roll.pick(['at_least', 'at_most'] as const),
      values: [roll.pick(bounds)],
    }
  }
  if (kind === 4) {
    const contains = roll.below(3) === 0
    const value = contains ? roll.pick(['sal', 'HOUSE', '%_', 'å']) : roll.pick(words).toUpperCase()
    return { about: 'field', key: 'team', is: contains ? 'contains' : is, values: [value] }
  }
  return { about: 'group', is, values: [roll.pick(groups), roll.pick(groups)] }
}

function randomRule(roll: Dice, groups: readonly string[]): GroupRule {
  const conditions = Array.from({ length: 1 + roll.below(3) }, () => randomCondition(roll, groups))
  return { match: roll.pick(['all', 'any'] as const), conditions }
}

/** What a condition means, in the plainest way. */
function holds(condition: RuleCondition, person: Somebody, isIn: (groupId: string) => boolean): boolean {
  const opposite = condition.is === 'none_of'
  if (condition.about === 'group') return condition.values.some(isIn) !== opposite
  if (condition.about === 'role') return condition.values.includes(person.role ?? 'none') !== opposite
  if (condition.about === 'emailDomain')
    return condition.values.includes(person.email.split('@')[1] ?? '') !== opposite
  const value = person.fields[condition.key] ?? ''
  const [first = ''] = condition.values
  if (condition.is === 'filled' || condition.is === 'empty')
    return (value !== '') === (condition.is === 'filled')
  if (condition.is === 'contains') return value.toLowerCase().includes(first.toLowerCase())
  if (condition.is === 'one_of' || condition.is === 'none_of')
    return (value.toLowerCase() === first.toLowerCase()) !== opposite
  if (value === '') return false
  const order = condition.key === 'level' ? Number(value) - Number(first) : value.localeCompare(first, 'en')
  return condition.is === 'at_least' ? order >= 0 : order <= 0
}

/** Who should be in each group: asked again and again from nothing, without order or memory. */
function expected(people: readonly Somebody[], groups: readonly Group[]): string[] {
  const byId = new Map(groups.map((group) => [group.id, group]))
  const isIn = (person: Somebody, groupId: string): boolean => {
    const group = byId.get(groupId)
    if (!group || person.isGone) return false
    if (!group.rule) return group.members.has(person.id)
    const results = group.rule.conditions.map((one) => holds(one, person, (id) => isIn(person, id)))
    return group.rule.match === 'all' ? results.every(Boolean) : results.some(Boolean)
  }
  return groups
    .flatMap((group) =>
      people.filter((person) => isIn(person, group.id)).map((person) => `${group.id} ${person.id}`),
    )
    .sort()
}

async function present(): Promise<string[]> {
  const found = await query<{ line: string }>(
    `select m.group_id || ' ' || m.user_id as line from group_members m join groups g on g.id = m.group_id and g.deleted_at is null
      where m.organization_id = $1 order by 1`,
    [orgId],
  )
  return found.rows.map(({ line }) => line).sort()
}

async function addField(key: string, type: string) {
  await query('insert into custom_fields (organization_id, key, label, type) values ($1, $2, $2, $3)', [
    orgId,
    key,
    type,
  ])
}

async function newPerson(roll: Dice): Promise<Somebody> {
  const fields = randomFields(roll)
  const email = `p-${crypto.randomUUID()}@${roll.pick(domains)}`
  const role = roll.pick([null, null, 'admin', 'groupadmin'] as const)
  const made = await query<{ id: string }>(
    `insert into users (organization_id, name, email, role, custom_fields) values ($1, 'P', $2, $3, $4) returning id`,
    [orgId, email, role, JSON.stringify(fields)],
  )
  return { id: made.rows[0]?.id ?? '', email, role, fields, isGone: false }
}

async function newGroup(rule: GroupRule | null): Promise<Group> {
  const made = await query<{ id: string }>(
    `insert into groups (organization_id, name, kind, rule) values ($1, gen_random_uuid()::text, $2, $3) returning id`,
    [orgId, rule ? 'rule' : 'static', rule && JSON.stringify(rule)],
  )
  return { id: made.rows[0]?.id ?? '', rule, members: new Set() }
}

/** One thing that may happen to an organization, done in the database and in the model. */
async function happen(roll: Dice, people: Somebody[], groups: Group[]): Promise<void> {
  const person = roll.pick(people.filter(({ isGone }) => !isGone))
  const kind = roll.below(10)
  if (kind < 3) {
    person.fields = randomFields(roll)
    await query('update users set custom_fields = $2 where id = $1', [
      person.id,
      JSON.stringify(person.fields),
    ])
  } else if (kind === 3) {
    person.role = roll.pick([null, 'admin', 'groupadmin'] as const)
    await query('update users set role = $2 where id = $1', [person.id, person.role])
  } else if (kind === 4) {
    person.email = `q-${crypto.randomUUID()}@${roll.pick(domains)}`
    await query('update users set email = $2 where id = $1', [person.id, person.email])
  } else if (kind === 5) {
    people.push(await newPerson(roll))
  } else if (kind === 6) {
    person.isGone = true
    for (const { members } of groups) members.delete(person.id)
    await query(`update users set state = 'deleted', deleted_at = now() where id = $1`, [person.id])
    await query('delete from group_members where user_id = $1', [person.id])
  } else if (kind === 7) {
    // A rule may ask about groups made before it, and so never about itself.
    const at = groups.findIndex((group) => group === roll.pick(groups.filter(({ rule }) => rule)))
    const group = groups[at]
    if (!group) return
    group.rule = randomRule(
      roll,
      groups.slice(0, at).map(({ id }) => id),
    )
    await query('update groups set rule = $2 where id = $1', [group.id, JSON.stringify(group.rule)])
  } else {
    const group = roll.pick(groups.filter(({ rule }) => !rule))
    if (group.members.delete(person.id))
      await query('delete from group_members where group_id = $1 and user_id = $2', [group.id, person.id])
    else {
      group.members.add(person.id)
      await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
        orgId,
        group.id,
        person.id,
      ])
    }
  }
}

test.each([1, 2, 3, 4, 5, 6])(
  'members are those for whom the rule holds, whatever happens, groups within groups included (seed %i)',
  async (seed) => {
    const roll = dice(seed)
    for (const [key, type] of [
      ['team', 'text'],
      ['level', 'number'],
      ['joined', 'date'],
    ] as const)
      await addField(key, type)
    const people: Somebody[] = []
    for (let n = 0; n < 25; n += 1) people.push(await newPerson(roll))
    const groups: Group[] = [await newGroup(null), await newGroup(null)]
    for (let n = 0; n < 8; n += 1)
      groups.push(
        await newGroup(
          randomRule(
            roll,
            groups.map(({ id }) => id),
          ),
        ),
      )
    expect(groups.flatMap(({ rule }) => (rule ? groupsIn(rule) : [])).length).toBeGreaterThan(0)
    await applyNow()
    expect(await present()).toEqual(expected(people, groups))
    for (let round = 0; round < 12; round += 1) {
      for (let n = 0; n < 4; n += 1) await happen(roll, people, groups)
      await applyNow()
      expect(await present()).toEqual(expected(people, groups))
    }
    // Working everything out anew finds nothing to correct.
    const before = await present()
    await query(
      `insert into dirty_keys (figure, organization_id, subject) select 'rules', $1, id from groups where organization_id = $1 and kind = 'rule'`,
      [orgId],
    )
    await applyNow()
    expect(await present()).toEqual(before)
    const left = await query(`select 1 from dirty_keys where figure = 'rules' and organization_id = $1`, [
      orgId,
    ])
    expect(left.rows).toEqual([])
  },
)

const inTeam = (team: string): GroupRule => ({
  match: 'all',
  conditions: [{ about: 'field', key: 'team', is: 'one_of', values: [team] }],
})

test('who comes second leaves the keys, and nobody waits for anybody', async () => {
  await addField('team', 'text')
  const group = await newGroup(inTeam('Sales'))
  await applyNow()
  const [first = '', second = ''] = await addPeople(server, orgId, { count: 2 })
  await applyNow()
  const scope = { organizationId: orgId }
  const { db } = server.services
  const put = (id: string) =>
    query(`update users set custom_fields = '{"team": "Sales"}' where id = $1`, [id])
  await put(first)
  const isLeft = await db.as(scope, async (tx) => {
    expect(await applyRules(tx, orgId)).toBe(true)
    await put(second)
    // The other transaction is still open and holds the lock.
    return !(await db.as(scope, (other) => applyRules(other, orgId)))
  })
  expect(isLeft).toBe(true)
  expect(await present()).toEqual([`${group.id} ${first}`])
  await applyNow()
  expect(await present()).toHaveLength(2)
})

test('a groupadmin put in by hand stays whatever the rule says', async () => {
  await addField('team', 'text')
  const group = await newGroup(inTeam('Sales'))
  const [boss = ''] = await addPeople(server, orgId, { count: 1 })
  await query(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [orgId, group.id, boss],
  )
  await applyNow()
  expect(await present()).toEqual([`${group.id} ${boss}`])
})

test('a removed group has no members for the rules that ask about it, and has them again when it comes back', async () => {
  const [one = ''] = await addPeople(server, orgId, { count: 1 })
  const inner = await newGroup(null)
  await query('insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3)', [
    orgId,
    inner.id,
    one,
  ])
  const outer = await newGroup({
    match: 'all',
    conditions: [{ about: 'group', is: 'one_of', values: [inner.id] }],
  })
  await applyNow()
  expect(await present()).toContain(`${outer.id} ${one}`)
  await query('update groups set deleted_at = now() where id = $1', [inner.id])
  await applyNow()
  expect(await present()).toEqual([])
  await query('update groups set deleted_at = null where id = $1', [inner.id])
  await applyNow()
  expect(await present()).toContain(`${outer.id} ${one}`)
})

test('everybody is looked at once where very many keys wait', async () => {
  await addField('team', 'text')
  const group = await newGroup(inTeam('sales'))
  const [one = '', other = ''] = await addPeople(server, orgId, { count: 2 })
  await query(`update users set custom_fields = '{"team": "Sales"}' where id = $1`, [one])
  await applyNow()
  // Of this change there is no key, so that only looking at everybody finds it.
  await query('delete from group_members where group_id = $1', [group.id])
  await query('delete from dirty_keys where organization_id = $1', [orgId])
  const mark = (n: number) =>
    query(
      `insert into dirty_keys (figure, organization_id, person) select 'rules', $1, $2 from generate_series(1, $3::int)`,
      [orgId, other, n],
    )
  await mark(10)
  await applyNow()
  expect(await present()).toEqual([])
  await mark(10_001)
  await applyNow()
  expect(await present()).toEqual([`${group.id} ${one}`])
  expect((await query('select 1 from dirty_keys where organization_id = $1', [orgId])).rowCount).toBe(0)
})

test('ten times the people take no more than some ten times as long to be worked out', async () => {
  await addField('team', 'text')
  for (let n = 0; n < 20; n += 1) await newGroup(inTeam(`t${n}`))
  const timeFor = async (people: number, domain: string) => {
    await query(
      `insert into users (organization_id, name, email, custom_fields)
        select $1, 'N ' || n, 'n-' || n || '@' || $3, jsonb_build_object('team', 'T' || n % 1000) from generate_series(1, $2::int) n`,
      [orgId, people, domain],
    )
    const start = performance.now()
    await applyNow()
    return performance.now() - start
  }
  const few = await timeFor(2_000, 'few.example')
  expect(await present()).toHaveLength(40)
  const many = await timeFor(20_000, 'many.example')
  expect(await present()).toHaveLength(440)
  // What is quadratic by mistake takes a hundred times as long.
  expect(many / few).toBeLessThan(50)
  await query(
    `update users set custom_fields = '{"team": "T1"}' where id in (select id from users where organization_id = $1 limit 1000)`,
    [orgId],
  )
  await applyNow()
  expect((await present()).length).toBeGreaterThan(1_000)
})
