import { listEventAddresses } from '#contract/events/event-addresses.ts'
import { expect, test } from 'vitest'
import type { AlertKind } from '#contract/platform/alerts.ts'
import { readSetAside } from '#contract/platform/aside.ts'
import { readBackups } from '#contract/backup.ts'
import { listFailedMails, readDashboardAlerts } from '#contract/dashboard.ts'
import { listGroups } from '#contract/directory/groups.ts'
import { listInvitations } from '#contract/directory/invitations.ts'
import { listOperations } from '#contract/operations.ts'
import { listOrganizations } from '#contract/directory/organizations.ts'
import { listTraining } from '#contract/matrix/training.ts'
import { listTransmissions } from '#contract/transmissions/transmissions.ts'
import { listUsers } from '#contract/directory/users.ts'
import { listKeys, listSystemKeys } from '#contract/service-accounts.ts'
import { listVideos, searchVideos } from '#contract/videos/videos.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { fillTraining } from '../testing/training.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)

const server = await aServer()
const superadmin = await server.person('superadmin')
const { orgId, admin } = await anOrganization(server, 'Full')
const groupadmin = await server.person('groupadmin', orgId)
await fill(orgId)
const suspended = await server.organization('Suspended')
await fill(suspended)
await query(`update organizations set state = 'suspended' where id = $1`, [suspended])
await fill(await server.organization('Other'))
await server.organization('Calm')

type Given = { organizationId: string; state: string; reason?: string; counts?: Record<string, number> }

async function send({ organizationId, state, reason, counts = {} }: Given): Promise<void> {
  const video = await addVideo(server, organizationId, 'Drill')
  const made = await query(
    `insert into transmissions (organization_id, state, state_reason, subject, body, video_id, version_id, sender_id, sender_name, audience, audience_total)
      select $1, $2, $3, 'About ' || $2, 'b', id, current_version_id, uuidv7(), 'S', '{"userIds":[],"groupIds":[],"everyone":true}', 9
      from videos where id = $4 returning id`,
    [organizationId, state, reason ?? null, video],
  )
  const { id } = made.rows[0] as { id: string }
  for (const [name, n] of Object.entries(counts))
    await query(
      `insert into transmission_counts (transmission_id, organization_id, state, n) values ($1, $2, $3, $4)
        on conflict (transmission_id, state) do update set n = excluded.n`,
      [id, organizationId, name, n],
    )
}

/** Something of every kind, each in another number, and beside it what looks like it but is none. */
async function fill(organizationId: string): Promise<void> {
  const owner = { organizationId }
  await send({ ...owner, state: 'held' })
  await send({ ...owner, state: 'paused', reason: 'organization_closed' })
  await send({ ...owner, state: 'paused' })
  for (let n = 0; n < 3; n += 1) await send({ ...owner, state: 'pending_approval' })
  await send({ ...owner, state: 'completed', counts: { accepted: 90, bounced: 900 } })
  await send({ ...owner, state: 'completed', counts: { accepted: 4, rejected: 2 } })
  await send({ ...owner, state: 'completed', counts: { accepted: 9, expired: 1 } })
  await query(
    `update videos set failure = 'not_a_video', state = case when n % 2 = 0 then 'failed' else 'ready' end
      from (select id, row_number() over (order by id) as n from videos where organization_id = $1 limit 4) f where f.id = videos.id`,
    [organizationId],
  )
  await query(
    `insert into operations (organization_id, kind, state, params, total, done, created_by, created_by_name, finished_at)
      select $1, 'users.import', 'failed', '{}', 1, 0, case when n = 1 then $2::uuid end, 'P', now() - make_interval(days => n * 3)
      from generate_series(1, 3) n`,
    [organizationId, organizationId === orgId ? groupadmin.id : null],
  )
  await query(
    `with a as (insert into event_addresses (organization_id, url, types, secret_sealed)
        select $1, 'https://system-' || n || '.test/', '{person.left}', '' from generate_series(1, 2) n returning id),
      e as (insert into events (organization_id, type, subject, at, data, due_at, sorted_at)
        values ($1, 'person.left', uuidv7(), now(), '{}', now(), now()) returning id)
      insert into event_posts (organization_id, address_id, event_id, subject, type, state)
        select $1, a.id, e.id, uuidv7(), 'person.left', case when row_number() over () = 1 then 'aside' else 'taken' end from a, e`,
    [organizationId],
  )
  const ids = await addPeople(server, organizationId, { count: 9, prefix: unique() })
  const group = await addGroup(server, organizationId, ids.slice(0, 4))
  await addGroup(server, organizationId, ids.slice(0, 4))
  if (organizationId === orgId)
    await query(
      `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)`,
      [organizationId, group, groupadmin.id],
    )
  await query(
    `insert into suppressions (organization_id, address, reason)
      select organization_id, email, 'no_such_mailbox' from users where id = any($1)`,
    [ids.slice(2, 6)],
  )
  await query(
    `with m as (insert into mails (organization_id, address, subject, text, state, created_at)
        select $1::uuid, n || '-' || $1::uuid::text || '@example.test', 's', 't', case when n < 4 then 'failed' else 'sent' end, now() - case when n = 3 then interval '2 days' else '0' end
        from generate_series(1, 8) n returning id, address)
      insert into invitations (organization_id, email, role, group_ids, token_hash, invited_by_name, mail_id, expires_at)
        select $1::uuid, m.address, case when $2::uuid is null then 'admin' else 'groupadmin' end,
          case when $2::uuid is null then '{}'::uuid[] else array[$2::uuid] end,
          sha256(convert_to(m.address, 'utf8')), 'I', m.id, now() + make_interval(days => case when m.address < '7' then 1 else 5 end) from m`,
    [organizationId, organizationId === orgId ? group : null],
  )
  await query(
    `insert into users (organization_id, name, email, role, last_seen_at)
      select $1::uuid, 'Gone ' || n, 'gone-' || n || '-' || $1::uuid::text || '@example.test', 'groupadmin', now() - interval '91 days' from generate_series(1, 3) n`,
    [organizationId],
  )
  await fillTraining((text, values) => query(text, values), { organizationId, people: 30, videos: 4 })
}

type Query = { organizationId?: string }
/** How many rows the page has that a matter leads to. */
const lists: Record<AlertKind, (by: Person, place: Query) => Promise<{ body: { total: number } }>> = {
  paused_transmissions: transmissions('paused_transmissions'),
  pending_approvals: transmissions('pending_approvals'),
  returned_messages: transmissions('returned_messages'),
  failing_senders: (by, place) =>
    place.organizationId
      ? transmissions('failing_senders')(by, place)
      : by.call(listOrganizations, { query: { attention: 'failing_senders' } }),
  organizations_without_admin: (by) =>
    by.call(listOrganizations, { query: { attention: 'organizations_without_admin' } }),
  failed_mails: (by, place) => by.call(listFailedMails, { query: place }),
  // One matter, of the installation.
  failing_backups: async (by) => ({
    body: { total: (await by.call(readBackups)).body.failure === null ? 0 : 1 },
  }),
  failing_conversion: async (by) => ({
    body: {
      total: (await by.call(listVideos)).body.items.filter(({ failure }) => failure === 'converter_broken')
        .length,
    },
  }),
  expiring_keys: (by, { organizationId: keysOf }) =>
    keysOf === undefined ? by.call(listSystemKeys) : by.call(listKeys, { params: { orgId: keysOf } }),
  set_aside: async (by) => ({ body: { total: (await by.call(readSetAside)).body.count } }),
  failed_videos: async (by, place) => {
    const found = await by.call(listVideos, { query: { ...place, attention: 'failed_videos' } })
    const searched = { ...place, attention: 'failed_videos', keyword: 'Drill' } as const
    expect((await by.call(searchVideos, { query: searched })).body.total).toBe(found.body.total)
    return found
  },
  failed_operations: (by, place) =>
    by.call(listOperations, { query: { ...place, attention: 'failed_operations' } }),
  refused_events: async (by, place) => {
    const { status, body } = await by.call(listEventAddresses, { params: of(place) })
    return { body: { total: status === 200 ? body.items.filter(({ aside }) => aside > 0).length : 0 } }
  },
  failed_invitations: (by, place) =>
    by.call(listInvitations, { query: { ...place, attention: 'failed_invitations' } }),
  expiring_invitations: (by, place) =>
    by.call(listInvitations, { query: { ...place, attention: 'expiring_invitations' } }),
  overdue_people: (by, place) => by.call(listTraining, { params: of(place), query: { state: 'overdue' } }),
  dormant_admins: users('dormant_admins'),
  barred_addresses: users('barred_addresses'),
  people_without_group: users('people_without_group'),
  groups_without_groupadmin: (by, place) =>
    by.call(listGroups, { params: of(place), query: { attention: 'groups_without_groupadmin' } }),
}

const of = ({ organizationId = '' }: Query) => ({ orgId: organizationId })
function transmissions(
  attention: 'paused_transmissions' | 'pending_approvals' | 'returned_messages' | 'failing_senders',
) {
  return (by: Person, place: Query) => by.call(listTransmissions, { query: { ...place, attention } })
}
function users(attention: 'dormant_admins' | 'barred_addresses' | 'people_without_group') {
  return (by: Person, place: Query) => by.call(listUsers, { params: of(place), query: { attention } })
}

/** What the dashboard counts, and how many rows are found where it leads. */
async function both(by: Person, place: Query) {
  const { items } = (await by.call(readDashboardAlerts, { query: place })).body
  const counted = items.map(({ kind, count }) => [kind, count] as const)
  const found = await Promise.all(
    counted.map(async ([kind]) => [kind, (await lists[kind](by, place)).body.total] as const),
  )
  return { counted: Object.fromEntries(counted), found: Object.fromEntries(found), items }
}

test('each matter leads to exactly the rows that it counted, in one organization', async () => {
  const place = { organizationId: orgId }
  const { counted, found } = await both(admin, place)
  expect(found).toEqual(counted)
  expect(counted).toMatchObject({
    paused_transmissions: 2,
    failed_mails: 2,
    pending_approvals: 3,
    failed_videos: 4,
    failed_operations: 2,
    refused_events: 1,
    failed_invitations: 3,
    expiring_invitations: 3,
    dormant_admins: 3,
    groups_without_groupadmin: 1,
    barred_addresses: 4,
  })
  expect(counted['failing_senders']).toBeGreaterThan(1)
  expect(counted['returned_messages']).toBeGreaterThan(2)
  expect(counted['overdue_people']).toBeGreaterThan(0)
  expect(counted['people_without_group']).toBeGreaterThan(4)
  const forSuperadmin = await both(superadmin, place)
  expect(forSuperadmin.counted).toEqual(counted)
  expect(forSuperadmin.found).toEqual(counted)
})

test('and for a groupadmin, of the own groups', async () => {
  const { counted, found } = await both(groupadmin, { organizationId: orgId })
  expect(found).toEqual(counted)
  expect(counted).toMatchObject({ failed_operations: 1, failed_invitations: 3, barred_addresses: 2 })
  expect((await groupadmin.call(listFailedMails)).status).toBe(403)
})

/** Without a list over all organizations. */
const listedInEach = new Set<AlertKind>([
  'dormant_admins',
  'groups_without_groupadmin',
  'failed_invitations',
  'expiring_invitations',
  'refused_events',
])

const rowsOf = (asked: readonly (readonly [AlertKind, Query])[]) =>
  Promise.all(asked.map(async ([kind, place]) => (await lists[kind](superadmin, place)).body.total))

test('and over all organizations that are active, together and in each that it names', async () => {
  const { counted, items } = await both(superadmin, {})
  expect(counted).toMatchObject({
    paused_transmissions: 4,
    failing_senders: 2,
    failed_mails: 4,
    organizations_without_admin: 2,
    pending_approvals: 6,
    failed_videos: 8,
    failed_operations: 4,
  })
  const ofWhole = items.filter(({ kind }) => !listedInEach.has(kind))
  expect(await rowsOf(ofWhole.map(({ kind }) => [kind, {}]))).toEqual(ofWhole.map(({ count }) => count))
  const ofEach = items
    .filter(({ kind }) => !['organizations_without_admin', 'failing_senders'].includes(kind))
    .flatMap(({ kind, organizations }) => organizations.map(({ id, count }) => ({ kind, id, count })))
  expect(await rowsOf(ofEach.map(({ kind, id }) => [kind, { organizationId: id }]))).toEqual(
    ofEach.map(({ count }) => count),
  )
  const names = items.flatMap(({ organizations }) => organizations.map(({ name }) => name))
  expect(new Set(names)).toEqual(new Set(['Full', 'Other', 'Calm']))
})

test('a sender fails when a part of many messages is refused, or when the product stopped it for that', async () => {
  const failing = async () => {
    const { items } = (await superadmin.call(readDashboardAlerts)).body
    return items.find(({ kind }) => kind === 'failing_senders')?.organizations.map(({ name }) => name) ?? []
  }
  const organizationId = await server.organization('Sender')
  await send({ organizationId, state: 'completed', counts: { accepted: 46, rejected: 3 } })
  expect(await failing()).not.toContain('Sender')
  await send({ organizationId, state: 'completed', counts: { delivered: 1 } })
  expect(await failing()).toContain('Sender')
  await send({ organizationId, state: 'completed', counts: { accepted: 11 } })
  expect(await failing()).not.toContain('Sender')
  await send({ organizationId, state: 'paused', reason: 'many_rejected', counts: { rejected: 41 } })
  await query(`update transmissions set created_at = now() - interval '8 days' where organization_id = $1`, [
    organizationId,
  ])
  expect(await failing()).toContain('Sender')
})

test('mails that failed are told without what is in them, to nobody of another organization', async () => {
  const { items } = (await admin.call(listFailedMails)).body
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({ subject: 's', error: null, organizationName: 'Full' })
  expect(JSON.stringify(items)).not.toContain('"text"')
  const other = await admin.call(listFailedMails, { query: { organizationId: suspended } })
  expect(other.problem?.code).toBe('not_found')
})
