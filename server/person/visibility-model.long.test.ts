import { expect, test } from 'vitest'
import { listGroups, readGroup } from '#contract/directory/groups.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { explainVisibility } from '#contract/person/person.ts'
import { roles, type Role } from '#contract/roles.ts'
import { listUsers, readUser } from '#contract/directory/users.ts'
import type { Person } from '../testing/server.ts'
import { chance, type Chance } from '../testing/viewing/viewers.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

/** A made-up installation, and the plainest possible statement of who sees what in it. */
type Somebody = {
  person: Person
  role: Role | null
  org: number
  state: 'active' | 'disabled' | 'invited'
  deleted: boolean
}
type Membership = { user: number; group: number; groupadmin: boolean }
type Group = { id: string; org: number; deleted: boolean }
type World = {
  orgs: { id: string; deleted: boolean; admin: Person }[]
  users: Somebody[]
  groups: Group[]
  members: Membership[]
}

const byText = (one = '', other = '') => (one < other ? -1 : one > other ? 1 : 0)

const administers = (world: World, user: number) =>
  new Set(
    world.members
      .filter((one) => one.user === user && one.groupadmin && !world.groups[one.group]?.deleted)
      .map(({ group }) => group),
  )

function seesUser(world: World, viewer: number, user: number): boolean {
  const [a, b] = [world.users[viewer], world.users[user]]
  // Superadmins belong to no organization, so that no list of people has them.
  if (!a || !b || b.deleted || b.role === 'superadmin' || world.orgs[b.org]?.deleted) return false
  if (a.role === 'superadmin') return true
  if (a.org !== b.org) return false
  if (a.role === 'admin') return true
  const mine = administers(world, viewer)
  return world.members.some((one) => one.user === user && mine.has(one.group))
}

function seesGroup(world: World, viewer: number, group: number): boolean {
  const [a, b] = [world.users[viewer], world.groups[group]]
  if (!a || !b || b.deleted || world.orgs[b.org]?.deleted) return false
  if (a.role === 'superadmin') return true
  return a.org === b.org && (a.role === 'admin' || administers(world, viewer).has(group))
}

function enters(world: World, viewer: number): boolean {
  const one = world.users[viewer]
  if (!one || one.role === null || one.deleted || one.state === 'disabled') return false
  return one.role === 'superadmin' || !world.orgs[one.org]?.deleted
}

const server = await aServer()

async function build(luck: Chance): Promise<World> {
  const world: World = { orgs: [], users: [], groups: [], members: [] }
  const run = (text: string, values: unknown[]) => server.services.db.system.query(text, values)
  for (let n = 0; n < 3; n++) {
    const { orgId: id, admin } = await anOrganization(server, `World ${n}`)
    world.orgs.push({ id, deleted: false, admin })
    world.users.push({ person: admin, role: 'admin', org: n, state: 'active', deleted: false })
  }
  for (let n = 0; n < 24; n++) {
    const [role, org] = [
      luck.pick([...roles, 'groupadmin', 'groupadmin', null, null] as const),
      luck.between(0, 2),
    ]
    const person = await server.person(role, role === 'superadmin' ? null : world.orgs[org]?.id)
    const state =
      role === null ? 'active' : luck.pick(['active', 'active', 'active', 'disabled', 'invited'] as const)
    world.users.push({ person, role, org, state, deleted: luck.next() < 0.1 })
  }
  for (let n = 0; n < 10; n++) {
    const org = luck.between(0, 2)
    const made = await run('insert into groups (organization_id, name) values ($1, $2) returning id', [
      world.orgs[org]?.id,
      `Group ${n}`,
    ])
    world.groups.push({ id: String(made.rows[0]?.['id']), org, deleted: luck.next() < 0.2 })
  }
  for (const [user, { role, org, person }] of world.users.entries())
    for (const [group, { id, org: home }] of world.groups.entries()) {
      if (role === 'superadmin' || org !== home || luck.next() < 0.5) continue
      const groupadmin = role === 'groupadmin' && luck.next() < 0.5
      await run(
        'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, $4)',
        [world.orgs[org]?.id, id, person.id, groupadmin],
      )
      world.members.push({ user, group, groupadmin })
    }
  for (const { person, state, deleted } of world.users)
    await run(`update users set state = $2, deleted_at = case when $3 then now() end where id = $1`, [
      person.id,
      state,
      deleted,
    ])
  for (const { id, deleted } of world.groups)
    if (deleted) await run('update groups set deleted_at = now() where id = $1', [id])
  const gone = luck.between(0, 5)
  const last = world.orgs[gone]
  if (last) {
    last.deleted = true
    await run('update organizations set deleted_at = now() where id = $1', [last.id])
  }
  return world
}

async function checkViewer(world: World, viewer: number): Promise<void> {
  const { person, role, org } = world.users[viewer] as Somebody
  const isIn = enters(world, viewer)
  const visible = world.users.flatMap((_one, user) => (isIn && seesUser(world, viewer, user) ? [user] : []))
  const groups = world.groups.flatMap((_one, group) =>
    isIn && seesGroup(world, viewer, group) ? [group] : [],
  )
  const idsOf = (users: readonly number[]) =>
    users.map((user) => world.users[user]?.person.id).toSorted(byText)
  for (const [home, { id: orgId }] of world.orgs.entries()) {
    const at = { params: { orgId } }
    const people = await person.call(listUsers, { ...at, query: { limit: 100 } })
    const found = people.status === 200 ? people.body.items.map(({ id }) => id).toSorted(byText) : []
    expect(found, `people of ${home} seen by ${viewer} (${role})`).toEqual(
      idsOf(visible.filter((user) => world.users[user]?.org === home)),
    )
    expect(people.status === 200 ? people.body.total : 0).toBe(found.length)
    const listed = await person.call(listGroups, { ...at, query: { limit: 100 } })
    const names = listed.status === 200 ? listed.body.items.map(({ id }) => id).toSorted(byText) : []
    expect(names, `groups of ${home} seen by ${viewer} (${role})`).toEqual(
      groups
        .filter((group) => world.groups[group]?.org === home)
        .map((group) => world.groups[group]?.id)
        .toSorted(byText),
    )
  }
  for (const [user, { person: other, org: home }] of world.users.entries()) {
    const at = { params: { orgId: world.orgs[home]?.id ?? '', userId: other.id } }
    const isSeen = visible.includes(user)
    expect((await person.call(readUser, at)).status === 200, `${viewer} reads person ${user}`).toBe(isSeen)
    const groupId = world.groups.findIndex((group) => group.org === home)
    if (groupId < 0) continue
    const filtered = await person.call(listUsers, {
      params: { orgId: world.orgs[home]?.id ?? '' },
      query: { groupId: world.groups[groupId]?.id ?? '', limit: 100 },
    })
    const inside = world.members.filter(({ group }) => group === groupId).map((one) => one.user)
    const found = filtered.status === 200 ? filtered.body.items.map(({ id }) => id).toSorted(byText) : []
    expect(found.every((id) => idsOf(visible).includes(id) && idsOf(inside).includes(id))).toBe(true)
  }
  for (const [group, { id, org: home }] of world.groups.entries()) {
    const answer = await person.call(readGroup, {
      params: { orgId: world.orgs[home]?.id ?? '', groupId: id },
    })
    expect(answer.status === 200, `${viewer} reads group ${group}`).toBe(groups.includes(group))
  }
  const organizations = await person.call(listOrganizations, { query: { limit: 100 } })
  const own = new Set(world.orgs.map(({ id }) => id))
  const shown = organizations.status === 200 ? organizations.body.items.map(({ id }) => id) : []
  const wanted = world.orgs.filter((one, n) => !one.deleted && isIn && (role === 'superadmin' || n === org))
  expect(shown.filter((id) => own.has(id)).toSorted(byText)).toEqual(
    wanted.map(({ id }) => id).toSorted(byText),
  )
}

/** What the product says about somebody's rights is what their own requests show. */
async function checkWhy(world: World, viewer: number): Promise<void> {
  const { person, role, org, deleted, state } = world.users[viewer] as Somebody
  if (role === 'superadmin' || deleted || world.orgs[org]?.deleted) return
  for (const [user, other] of world.users.entries()) {
    if (other.org !== org || other.deleted || other.role === 'superadmin') continue
    const answer = await (world.orgs[org] as World['orgs'][number]).admin.call(explainVisibility, {
      params: { orgId: world.orgs[org]?.id ?? '', userId: person.id },
      query: { about: 'user', id: other.person.id },
    })
    // Whoever has not accepted an invitation yet has no way in, although the tests give everybody a session.
    const may = state === 'active' && enters(world, viewer) && seesUser(world, viewer, user)
    expect(answer.body.may, `why ${viewer} (${role}) sees ${user}`).toBe(may)
    expect(answer.body.reasons.length).toBeGreaterThan(0)
  }
}

test.each([11, 22, 33, 44])(
  'who sees whom is what the rules say, in a made-up installation (%i)',
  async (seed) => {
    const world = await build(chance(seed))
    expect(world.members.length).toBeGreaterThan(10)
    for (const viewer of world.users.keys()) {
      await checkViewer(world, viewer)
      await checkWhy(world, viewer)
    }
  },
)
