import { beforeEach, expect, test } from 'vitest'
import { createField, deleteField } from '#contract/directory/fields.ts'
import {
  addGroupUsers,
  createGroup,
  deleteGroup,
  readGroup,
  removeGroupUser,
  updateGroup,
} from '#contract/directory/groups.ts'
import {
  addNewMembers,
  listMembers,
  matchMembers,
  previewRule,
  readGroupHistory,
  setGroupadmin,
} from '#contract/directory/members.ts'
import type { GroupRule } from '#contract/directory/rules.ts'
import { createUser, deleteUser, updateUser } from '#contract/directory/users.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'

const server = await aServer()

let admin: Person
let orgId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const person = async (
  name: string,
  more: { externalId?: string; customFields?: Record<string, string> } = {},
) =>
  (
    await admin.call(createUser, {
      params: { orgId },
      body: { name, email: `${name.toLowerCase().replaceAll(' ', '.')}@example.test`, ...more },
    })
  ).body
const group = async (name: string, rule?: GroupRule) =>
  (await admin.call(createGroup, { params: { orgId }, body: { name, ...(rule ? { rule } : {}) } })).body
const at = (groupId: string) => ({ orgId, groupId })
const add = (groupId: string, userIds: string[], by = admin) =>
  by.call(addGroupUsers, { params: at(groupId), body: { userIds } })
const names = async (groupId: string, query: Record<string, string> = {}) =>
  (await admin.call(listMembers, { params: at(groupId), query })).body.items.map(({ name }) => name)
const history = async (groupId: string, by = admin) =>
  (await by.call(readGroupHistory, { params: at(groupId) })).body.items

const inTeam = (team: string): GroupRule => ({
  match: 'all',
  conditions: [{ about: 'field', key: 'team', is: 'one_of', values: [team] }],
})
const field = (label: string, type: 'text' | 'number' | 'choice' = 'text', options: string[] = []) =>
  admin.call(createField, { params: { orgId }, body: { label, type, options } })

test('a group with a rule follows what the rule asks about, and says so in its history', async () => {
  await field('Team')
  const [ada, ben] = [await person('Ada', { customFields: { team: 'Sales' } }), await person('Ben')]
  const sales = await group('Sales', inTeam('sales'))
  expect(sales).toMatchObject({ kind: 'rule', memberCount: 1, isSettling: false })
  expect(await names(sales.id)).toEqual(['Ada'])
  const { id: userId, name, email } = ben
  const params = { orgId, userId }
  const moved = await admin.call(updateUser, {
    params,
    body: { name, email, customFields: { team: ' Sales ' } },
  })
  expect(moved.body.groups).toEqual([{ id: sales.id, name: 'Sales', groupadmin: false, byRule: true }])
  await admin.call(updateUser, {
    params: { orgId, userId: ada.id },
    body: { name: 'Ada', email: ada.email, customFields: { team: '' } },
  })
  expect(await names(sales.id)).toEqual(['Ben'])
  const events = await history(sales.id)
  expect(events.map(({ change, cause, member, by }) => [change, cause, member?.name, by?.name])).toEqual([
    ['removed', 'rule', 'Ada', undefined],
    ['added', 'rule', 'Ben', undefined],
    expect.anything(),
    expect.anything(),
  ])
  await admin.call(deleteUser, { params: { orgId, userId } })
  expect(await names(sales.id)).toEqual([])
  expect((await history(sales.id))[0]).toMatchObject({
    change: 'removed',
    cause: 'removal',
    by: { id: admin.id },
  })
})

test('nobody is put into a group with a rule, or taken out, by hand', async () => {
  await field('Team')
  const [ada, ben] = [await person('Ada', { customFields: { team: 'IT' } }), await person('Ben')]
  const it = await group('IT', inTeam('IT'))
  expect((await add(it.id, [ben.id])).problem).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('rule'),
  })
  const out = await admin.call(removeGroupUser, { params: { ...at(it.id), userId: ada.id } })
  expect(out.problem?.code).toBe('conflict')
  const body = { name: 'Ben', email: ben.email, groupIds: [it.id] }
  const put = await admin.call(updateUser, { params: { orgId, userId: ben.id }, body })
  expect(put.problem?.fields).toEqual({ groupIds: ['rule_group'] })
  // What a form sends for somebody who is in it by the rule changes nothing about that.
  for (const groupIds of [[], [it.id]]) {
    const saved = await admin.call(updateUser, {
      params: { orgId, userId: ada.id },
      body: { name: 'Ada', email: ada.email, groupIds },
    })
    expect(saved.body.groups).toMatchObject([{ id: it.id, byRule: true }])
  }
})

test('from chosen by hand to a rule: who does not match leaves, groupadmins stay; and back: everybody stays', async () => {
  await field('Team')
  const [ada, ben] = [await person('Ada', { customFields: { team: 'IT' } }), await person('Ben')]
  await person('Cleo', { customFields: { team: 'IT' } })
  const boss = await server.person('groupadmin', orgId)
  const it = await group('IT')
  await add(it.id, [ada.id, ben.id, boss.id])
  await admin.call(setGroupadmin, { params: { ...at(it.id), userId: boss.id }, body: { groupadmin: true } })
  const preview = await admin.call(previewRule, {
    params: { orgId },
    body: { rule: inTeam('IT'), groupId: it.id },
  })
  expect(preview.body).toMatchObject({ count: 2, joins: 1, leaves: 1, leaving: [{ name: 'Ben' }] })
  expect(preview.body.sample.map(({ name }) => name)).toEqual(['Ada', 'Cleo'])
  const ruled = await admin.call(updateGroup, { params: at(it.id), body: { name: 'IT', rule: inTeam('IT') } })
  expect(ruled.body).toMatchObject({ kind: 'rule', memberCount: 3 })
  expect(await names(it.id, { show: 'byRule' })).toEqual(['Ada', 'Cleo'])
  expect(await names(it.id, { show: 'groupadmin' })).toHaveLength(1)
  const free = await admin.call(updateGroup, { params: at(it.id), body: { name: 'IT', rule: null } })
  expect(free.body).toMatchObject({ kind: 'static', rule: null, memberCount: 3 })
  expect(await names(it.id, { show: 'byHand' })).toHaveLength(3)
  expect((await history(it.id)).find(({ changed }) => changed.length > 0)).toMatchObject({
    change: 'changed',
    changed: ['rule'],
    by: { id: admin.id },
  })
})

test('rules may ask about groups with rules, but never in a circle, and such a group cannot be removed', async () => {
  await field('Team')
  await person('Ada', { customFields: { team: 'IT' } })
  await person('Ben', { customFields: { team: 'Sales' } })
  const it = await group('IT', inTeam('IT'))
  const others = await group('Everybody else', {
    match: 'all',
    conditions: [
      { about: 'group', is: 'none_of', values: [it.id] },
      { about: 'role', is: 'one_of', values: ['none'] },
    ],
  })
  expect(await names(others.id)).toEqual(['Ben'])
  const circle = await admin.call(updateGroup, {
    params: at(it.id),
    body: {
      name: 'IT',
      rule: { match: 'any', conditions: [{ about: 'group', is: 'one_of', values: [others.id] }] },
    },
  })
  expect(circle.problem?.fields).toEqual({ 'rule.conditions.0.values': ['rule_circle'] })
  const self = await admin.call(previewRule, {
    params: { orgId },
    body: {
      groupId: it.id,
      rule: { match: 'any', conditions: [{ about: 'group', is: 'one_of', values: [it.id] }] },
    },
  })
  expect(self.problem?.fields).toEqual({ 'rule.conditions.0.values': ['rule_circle'] })
  const removed = await admin.call(deleteGroup, { params: at(it.id) })
  expect(removed.problem).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('Everybody else'),
  })
  expect((await admin.call(deleteGroup, { params: at(others.id) })).status).toBe(200)
  expect((await admin.call(deleteGroup, { params: at(it.id) })).status).toBe(200)
})

test('refuses rules about what is not there, each at its place', async () => {
  await field('Level', 'number')
  await field('Site', 'choice', ['Oslo', 'Bergen'])
  const stranger = await server.organization()
  const theirs = await server.query<{ id: string }>(
    `insert into groups (organization_id, name) values ($1, 'Theirs') returning id`,
    [stranger],
  )
  const refused = await admin.call(previewRule, {
    params: { orgId },
    body: {
      rule: {
        match: 'all',
        conditions: [
          { about: 'field', key: 'nothing', is: 'filled', values: [] },
          { about: 'field', key: 'level', is: 'at_least', values: ['many'] },
          { about: 'field', key: 'site', is: 'one_of', values: ['Paris'] },
          { about: 'field', key: 'site', is: 'at_least', values: ['Oslo'] },
          { about: 'field', key: 'level', is: 'one_of', values: [] },
          { about: 'group', is: 'one_of', values: [theirs[0]?.id ?? ''] },
        ],
      },
    },
  })
  expect(refused.problem?.fields).toEqual({
    'rule.conditions.0.key': ['not_found'],
    'rule.conditions.1.values': ['invalid_number'],
    'rule.conditions.2.values': ['not_a_choice'],
    'rule.conditions.3.values': ['invalid'],
    'rule.conditions.4.values': ['required'],
    'rule.conditions.5.values': ['not_found'],
  })
})

test('what looks like SQL in a rule is a value like any other', async () => {
  await field('Team')
  const odd = `x'; drop table users; --`
  await person('Odd', { customFields: { team: odd } })
  const found = await group('Odd ones', inTeam(odd))
  expect(await names(found.id)).toEqual(['Odd'])
  const contains = await admin.call(previewRule, {
    params: { orgId },
    body: {
      rule: { match: 'any', conditions: [{ about: 'field', key: 'team', is: 'contains', values: ['%'] }] },
    },
  })
  expect(contains.body.count).toBe(0)
})

test('tells of a pasted list line by line what it means', async () => {
  const [ada, ben] = [
    await person('Ada Berg', { externalId: '100' }),
    await person('Ben', { externalId: '200' }),
  ]
  await person('Both', { externalId: 'ben@example.test' })
  const team = await group('Team')
  await add(team.id, [ada.id])
  const text = [
    'ada.berg@example.test',
    '200',
    'Ada Again <ADA.BERG@example.test>',
    'ben@example.test',
    'both@example.test; both@example.test',
    'New One <new.one@example.test>',
    '999',
    'broken@',
  ].join('\n')
  const { items } = (await admin.call(matchMembers, { params: at(team.id), body: { text } })).body
  expect(items.map(({ outcome, user, email }) => [outcome, user?.name ?? email])).toEqual([
    ['member', 'Ada Berg'],
    ['found', 'Ben'],
    ['member', 'Ada Berg'],
    ['ambiguous', null],
    ['found', 'Both'],
    ['repeated', 'Both'],
    ['unknown', 'new.one@example.test'],
    ['unknown', null],
    ['invalid', null],
  ])
  expect(items[6]).toMatchObject({ name: 'New One', given: 'New One <new.one@example.test>' })
  expect(ben.externalId).toBe('200')
  const long = Array.from({ length: 5_001 }, (_none, n) => `p${n}@example.test`).join('\n')
  const refused = await admin.call(matchMembers, { params: at(team.id), body: { text: long } })
  expect(refused.problem?.fields).toEqual({ text: ['too_long'] })
})

test('creates recipients for unknown addresses and puts them in, each in the audit', async () => {
  const team = await group('Team')
  const known = await person('Known')
  const body = {
    people: [
      { email: 'grace.hopper@example.test' },
      { email: 'ALAN@example.test', name: 'Alan T.' },
      { email: known.email },
    ],
  }
  const made = await admin.call(addNewMembers, { params: at(team.id), body })
  expect(made.body).toEqual({ created: 2, added: 3, memberCount: 3 })
  expect(await names(team.id)).toEqual(['Alan T.', 'Grace Hopper', 'Known'])
  const noted = await server.query<{ email: string }>(
    `select after ->> 'email' as email from audit where organization_id = $1 and action = 'user.created' order by 1`,
    [orgId],
  )
  expect(noted.map(({ email }) => email)).toEqual([
    'alan@example.test',
    'grace.hopper@example.test',
    'known@example.test',
  ])
})

test('a groupadmin cannot reach another group, its members, or people beyond their own groups', async () => {
  const boss = await server.person('groupadmin', orgId)
  const [mine, theirs] = [await group('Mine'), await group('Theirs')]
  const [known, stranger] = [await person('Known'), await person('Stranger')]
  await add(mine.id, [boss.id, known.id])
  await add(theirs.id, [stranger.id])
  await admin.call(setGroupadmin, { params: { ...at(mine.id), userId: boss.id }, body: { groupadmin: true } })
  const text = `${known.email}\n${stranger.email}`
  for (const answer of [
    await boss.call(listMembers, { params: at(theirs.id) }),
    await boss.call(readGroupHistory, { params: at(theirs.id) }),
    await boss.call(matchMembers, { params: at(theirs.id), body: { text } }),
    await add(theirs.id, [known.id], boss),
    await add(mine.id, [stranger.id], boss),
  ])
    expect(answer.status).toBe(404)
  const matched = await boss.call(matchMembers, { params: at(mine.id), body: { text } })
  expect(matched.body.items.map(({ outcome, user }) => [outcome, user?.id])).toEqual([
    ['member', known.id],
    ['unknown', undefined],
  ])
  expect((await boss.call(listMembers, { params: at(mine.id) })).body.total).toBe(2)
  // A rule reaches further than a groupadmin sees.
  const rule: GroupRule = { match: 'all', conditions: [{ about: 'role', is: 'one_of', values: ['none'] }] }
  const body = { name: 'Mine', rule }
  expect((await boss.call(updateGroup, { params: at(mine.id), body })).problem?.fields).toEqual({
    rule: ['not_allowed'],
  })
  expect((await boss.call(createGroup, { params: { orgId }, body })).status).toBe(403)
  await admin.call(updateGroup, { params: at(mine.id), body })
  const seen = await boss.call(readGroup, { params: at(mine.id) })
  expect(seen.body).toMatchObject({ kind: 'rule', rule: null, memberCount: 3 })
  const renamed = await boss.call(updateGroup, { params: at(mine.id), body: { name: 'Ours' } })
  expect(renamed.body).toMatchObject({ name: 'Ours', kind: 'rule', rule: null })
  expect((await admin.call(readGroup, { params: at(mine.id) })).body.rule).toEqual(rule)
})

test('only administrators mark groupadmins, and only people with that role', async () => {
  const team = await group('Team')
  const plain = await person('Plain')
  const boss = await server.person('groupadmin', orgId)
  await add(team.id, [plain.id, boss.id])
  const mark = (userId: string, groupadmin: boolean, by = admin) =>
    by.call(setGroupadmin, { params: { ...at(team.id), userId }, body: { groupadmin } })
  expect((await mark(plain.id, true)).problem?.code).toBe('conflict')
  expect((await mark(boss.id, true)).body).toMatchObject({ groupadmin: true })
  expect((await mark(plain.id, true, boss)).status).toBe(403)
  expect((await boss.call(readGroup, { params: at(team.id) })).status).toBe(200)
  expect((await mark(boss.id, false)).body).toMatchObject({ groupadmin: false })
  expect((await boss.call(readGroup, { params: at(team.id) })).status).toBe(404)
  const changes = (await history(team.id)).map(({ change, by }) => [change, by?.id])
  expect(changes.slice(0, 2)).toEqual([
    ['no_groupadmin', admin.id],
    ['groupadmin', admin.id],
  ])
  const stranger = await person('Stranger')
  expect((await mark(stranger.id, true)).status).toBe(404)
})

test('a groupadmin of a group with a rule stays for the mark, and leaves with it', async () => {
  await field('Team')
  const it = await group('IT', inTeam('IT'))
  const boss = await server.person('groupadmin', orgId)
  const mark = (groupadmin: boolean) =>
    admin.call(setGroupadmin, { params: { ...at(it.id), userId: boss.id }, body: { groupadmin } })
  expect((await mark(true)).status).toBe(200)
  expect((await boss.call(listMembers, { params: at(it.id) })).body.total).toBe(1)
  expect((await mark(false)).status).toBe(200)
  expect(await names(it.id)).toEqual([])
})

test('walks the history page by page, newest first, about one person too', async () => {
  const team = await group('Team')
  const people = [await person('A'), await person('B'), await person('C')]
  for (const { id } of people) await add(team.id, [id])
  const query = { limit: 2 }
  const first = await admin.call(readGroupHistory, { params: at(team.id), query })
  expect(first.body.total).toBe(4)
  expect(first.body.items.map(({ member }) => member?.name)).toEqual(['C', 'B'])
  const nextPage = await admin.send('GET', first.body.next ?? '')
  expect(nextPage.body).toMatchObject({
    items: [{ member: { name: 'A' } }, { change: 'created' }],
    next: null,
  })
  const [one] = people
  const about = await admin.call(readGroupHistory, { params: at(team.id), query: { userId: one?.id ?? '' } })
  expect(about.body.items).toMatchObject([
    { change: 'added', cause: 'manual', member: { name: 'A' }, by: { id: admin.id } },
  ])
  const only = await admin.call(readGroupHistory, { params: at(team.id), query: { show: 'group' } })
  expect(only.body.items).toMatchObject([{ change: 'created', by: { id: admin.id } }])
})

test('a field that a rule asks about stays until the rule is another', async () => {
  const team = (await field('Team')).body
  const it = await group('IT', inTeam('IT'))
  const params = { orgId, fieldId: team.id }
  expect((await admin.call(deleteField, { params })).problem).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('IT'),
  })
  await admin.call(updateGroup, { params: at(it.id), body: { name: 'IT', rule: null } })
  expect((await admin.call(deleteField, { params })).status).toBe(200)
})
