import { beforeEach, expect, test } from 'vitest'
import { listOperationRows } from '#contract/operations.ts'
import { updateOrganizationSettings } from '#contract/directory/organizations.ts'
import {
  cancellingInBulk,
  changeTransmissions,
  exportTransmissions,
  previewTransmissions,
  type TransmissionSelection,
} from '#contract/videos/record-bulk.ts'
import {
  createTransmission,
  listTransmissions,
  readTransmission,
  transmissionStates,
  type transmissionSorts,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { endOf, takeOperationBack } from '../testing/operations.ts'
import type { Person } from '../testing/server.ts'
import { unique } from '../testing/unique.ts'
import { aWorkingServer, anOrganization } from '../testing/worlds.ts'

const server = await aWorkingServer()
const { query } = server

let orgId: string
let admin: Person
let videoId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  videoId = await addVideo(server, orgId)
})

/** As it stands in the database, whatever the way there. */
async function add(subject: string, state: string, more: { total?: number; prepared?: boolean } = {}) {
  const [made] = await query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience,
        audience_total, prepared_at)
      select organization_id, $2, $3, 'b', id, current_version_id, $4, 'Sender', '{"everyone":true}', $5, case when $6 then now() end
      from videos where id = $1 returning id`,
    [videoId, state, subject, admin.id, more.total ?? 0, more.prepared ?? false],
  )
  return String(made?.id)
}
const begin = (selection: TransmissionSelection, by = admin) =>
  by.call(changeTransmissions, { params: { orgId }, body: { selection, do: { action: 'cancel' } } })
const stateOf = async (transmissionId: string) =>
  (await admin.call(readTransmission, { params: { transmissionId } })).body.state

test('cancels what has not begun, as the table of states says, and names what stays', async () => {
  const ids = new Map<string, string>()
  for (const state of transmissionStates) ids.set(state, await add(`Is ${state}`, state))
  const selection = { filter: {}, exceptIds: [ids.get('failed') ?? ''], expected: 9 }
  const body = { selection, do: { action: 'cancel' as const } }
  const preview = await admin.call(previewTransmissions, { params: { orgId }, body })
  expect(preview.body).toEqual({
    total: 9,
    changing: 4,
    names: ['Is draft', 'Is held', 'Is pending_approval', 'Is scheduled'],
    staying: [
      { reason: 'being_sent', count: 3 },
      { reason: 'already_cancelled', count: 1 },
      { reason: 'already_sent', count: 1 },
    ],
  })
  const [one, two] = await Promise.all([begin(selection), begin(selection)])
  expect([one.status, two.status]).toEqual([202, 202])
  const counts = [await endOf(admin, one.body.id), await endOf(admin, two.body.id)].map((done) => done.counts)
  expect(counts.reduce((sum, { changed = 0 }) => sum + changed, 0)).toBe(4)
  for (const state of transmissionStates)
    expect(await stateOf(ids.get(state) ?? '')).toBe(cancellingInBulk[state] === null ? 'cancelled' : state)
  const entries = await query(
    `select count(*)::int as n from audit where organization_id = $1 and action = 'transmission.cancelled'`,
    [orgId],
  )
  expect(entries).toEqual([{ n: 4 }])
})

test('undo makes drafts and sends nothing; a list of recipients that had been made stays cancelled', async () => {
  const [early, late, moved] = [
    await add('Early', 'scheduled'),
    await add('Late', 'held', { prepared: true }),
    await add('Moved', 'draft'),
  ]
  const done = await endOf(admin, (await begin({ ids: [early, late, moved] })).body.id)
  expect(done).toMatchObject({ kind: 'transmissions.cancel', counts: { changed: 3 } })
  await query('update transmissions set version = version + 1 where id = $1', [moved])
  const undone = await takeOperationBack(admin, done.id)
  expect(undone.undoCounts).toEqual({ undone: 1, impossible: 1, changed_since: 1 })
  expect([await stateOf(early), await stateOf(late)]).toEqual(['draft', 'cancelled'])
  const { body } = await admin.call(listOperationRows, { params: { operationId: done.id } })
  const reasons = Object.fromEntries(body.items.map(({ label, reason }) => [label, reason]))
  expect(reasons).toEqual({ Early: null, Late: 'list_made', Moved: null })
})

test('what waited for approval is withdrawn with its approval, and its queued mails are cancelled', async () => {
  const careful = { name: 'Careful', policies: { approvalThreshold: 0 } }
  await admin.call(updateOrganizationSettings, { params: { orgId }, body: careful })
  const [userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId, userId, accountId: orgId },
  })
  expect(made.body.state).toBe('pending_approval')
  await endOf(admin, (await begin({ ids: [made.body.id] })).body.id)
  const approvals = await query('select state from transmission_approvals where transmission_id = $1', [
    made.body.id,
  ])
  expect(approvals).toEqual([{ state: 'withdrawn' }])
  const held = await add('Held', 'held', { prepared: true })
  await query(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state) values ($1, $2, $3, 'q@example.test', 'queued')`,
    [held, orgId, userId],
  )
  await endOf(admin, (await begin({ ids: [held] })).body.id)
  expect(await query('select state from deliveries where transmission_id = $1', [held])).toEqual([
    { state: 'cancelled' },
  ])
})

test('needs an administrator of the organization, and takes no id of another one', async () => {
  const own = await add('Own', 'draft')
  const { orgId: elsewhere, admin: stranger } = await anOrganization(server)
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await begin({ ids: [own] }, groupadmin)).status).toBe(403)
  expect((await begin({ ids: [own] }, stranger)).status).toBe(404)
  const theirs = await stranger.call(changeTransmissions, {
    params: { orgId: elsewhere },
    body: { selection: { ids: [own] }, do: { action: 'cancel' } },
  })
  expect(theirs.status).toBe(404)
  const named = { filter: { organizationId: orgId }, exceptIds: [], expected: 1 }
  expect((await begin(named, await server.person('superadmin'))).status).toBe(202)
  const file = await stranger.call(exportTransmissions, { body: { filter: { organizationId: orgId } } })
  expect(file.status).toBe(404)
  expect((await stranger.call(exportTransmissions, { body: { filter: {}, ids: [own] } })).status).toBe(404)
  expect((await stranger.call(exportTransmissions, { body: { filter: {} } })).body).not.toContain('Own')
})

test('the list is sorted by subject, time, recipients and state, without a gap between pages', async () => {
  await add('beta', 'completed', { total: 3 })
  await add('Alpha', 'draft', { total: 0 })
  await add('gamma', 'sending', { total: 12 })
  await add('delta', 'draft', { total: 3 })
  const read = async (sort: (typeof transmissionSorts)[number]) => {
    const all: string[] = []
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const { body } = await admin.call(listTransmissions, {
        query: { sort, limit: 2, ...(after === undefined ? {} : { after }) },
      })
      all.push(...body.items.map(({ subject }) => subject))
      after = new URLSearchParams(body.next?.split('?')[1]).get('after') ?? undefined
    }
    return all
  }
  expect(await read('subject')).toEqual(['Alpha', 'beta', 'delta', 'gamma'])
  expect(await read('-subject')).toEqual(['gamma', 'delta', 'beta', 'Alpha'])
  expect(await read('recipients')).toEqual(['Alpha', 'beta', 'delta', 'gamma'])
  expect(await read('-recipients')).toEqual(['gamma', 'delta', 'beta', 'Alpha'])
  expect(await read('state')).toEqual(['Alpha', 'delta', 'gamma', 'beta'])
  expect(await read('createdAt')).toEqual(['beta', 'Alpha', 'gamma', 'delta'])
})

test('each order is read from an index of the organization, from the position on', async () => {
  await query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, audience_total)
      select organization_id, 'completed', 'Subject ' || n, 'b', id, current_version_id, id, 'S', '{}', n
      from videos, generate_series(1, 5000) n where id = $1`,
    [videoId],
  )
  await query('analyze transmissions')
  const orders = [
    [
      `left(fold_text(subject), 100) collate "C", id`,
      `(left(fold_text(subject), 100) collate "C", id) > ('subject 4', $2::uuid)`,
    ],
    ['(audience_total::float8), id', `((audience_total::float8), id) > (4000::float8, $2::uuid)`],
  ] as const
  for (const [order, position] of orders) {
    const plan = await query(
      `explain select id from transmissions where organization_id = $1 and ${position} order by ${order} limit 25`,
      [orgId, videoId],
    )
    const text = plan.map((line) => String(line['QUERY PLAN'])).join('\n')
    expect(text).toMatch(
      /transmissions_by_(subject|recipients)[\s\S]*Index Cond: .*organization_id = .*ROW\(/,
    )
  }
})

test('exports a due day as the day that it is where the organization is, and an hour as its instant', async () => {
  await query(`update organizations set time_zone = 'America/Los_Angeles' where id = $1`, [orgId])
  const [day, hour] = [await add('A day', 'draft'), await add('An hour', 'draft')]
  for (const [id, at] of [
    [day, '2035-02-01T07:59:59.999Z'],
    [hour, '2035-02-01T08:00:00.000Z'],
  ])
    await query('update transmissions set due_at = $2 where id = $1', [id, at])
  const body = { filter: {}, ids: [day, hour], sort: 'subject' as const }
  const text = (await admin.call(exportTransmissions, { body })).body as unknown as string
  expect(text).toMatch(/^A day,.*,2035-01-31,/m)
  expect(text).toMatch(/^An hour,.*,2035-02-01T08:00:00.000Z,/m)
})

test('exports the list or a selection of it with the numbers of the list, and writes it down', async () => {
  const one = await add('=HYPERLINK("x")', 'completed', { total: 7 })
  const two = await add('Two', 'draft')
  const file = async (body: object) =>
    (await admin.call(exportTransmissions, { body: { filter: {}, ...body } })).body as unknown as string
  const lines = (await file({ sort: 'recipients' })).split('\r\n')
  expect(lines[0]).toBe(
    '\uFEFFTransmission,Video,Organization,Sender,State,Recipients,Sent,In the outbox,Returned,Opened,Started,Completed,Due,When',
  )
  expect(lines[1]).toMatch(/^Two,Fire drill,.*,Sender,Draft,0,0,0,0,0,0,0,,20/)
  expect(lines[2]).toMatch(/^"'=HYPERLINK\(""x""\)",Fire drill,.*,Sent,7,/)
  expect(await file({ ids: [two] })).not.toContain('HYPERLINK')
  expect(await file({ exceptIds: [one] })).not.toContain('HYPERLINK')
  expect(await file({ filter: { state: 'completed' } })).not.toContain('Two')
  const noted = await query(
    `select count(*)::int as n from audit where action = 'transmissions.exported' and organization_id = $1`,
    [orgId],
  )
  expect(noted).toEqual([{ n: 4 }])
})
