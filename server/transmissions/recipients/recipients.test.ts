import { expect, test } from 'vitest'
import { listAudit } from '#contract/platform/audit.ts'
import {
  exportDeliveries,
  listDeliveries,
  resolveDeliveries,
  type DeliveryFilter,
  type DeliverySort,
} from '#contract/transmissions/deliveries.ts'
import { createTransmission, readTransmission } from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'

const names = ['Ada', 'Bo', 'Cy', 'Di', 'Ed', 'Fi']

/** A transmission with its list of recipients, of which nothing leaves. */
async function write(count: number, prefix: string): Promise<string> {
  const videoId = await addVideo(server, org)
  const userIds = await addPeople(server, org, { count, prefix })
  const made = await admin.call(createTransmission, {
    body: { body: 'x', videoId, accountId: org, audience: { userIds } },
  })
  const transmissionId = made.body.id
  await change(
    `insert into deliveries (transmission_id, organization_id, user_id, address, state)
      select $1, $2, u.id, u.email, 'unknown' from users u where u.id = any($3::uuid[])`,
    [transmissionId, org, userIds],
  )
  await change(
    `update transmissions set state = 'completed', prepared_at = now(), audience_total = $2 where id = $1`,
    [transmissionId, count],
  )
  return transmissionId
}

const put = (state: string, of: string[]) =>
  change(
    `update deliveries d set state = $1 from users u where u.id = d.user_id and d.transmission_id = $2 and u.name = any($3)`,
    [state, id, of],
  )

const viewed = (
  name: string,
  { covered, opened, isComplete = false }: { covered: number; opened: number; isComplete?: boolean },
) =>
  change(
    `insert into delivery_viewing (transmission_id, delivery_id, organization_id, covered_ms, coverage, opened_at, completed_at)
      select d.transmission_id, d.id, d.organization_id, $3, '{}', now() - make_interval(hours => $4), case when $5 then now() end
      from deliveries d join users u on u.id = d.user_id where d.transmission_id = $1 and u.name = $2`,
    [id, name, covered, opened, isComplete],
  )

const server = await aServer()
const { query: change } = server
const { orgId: org, admin } = await anOrganization(server)
const other = await server.person('admin', await server.organization())
const id = await write(names.length, 'guest')
for (const [n, name] of names.entries())
  await change('update users set name = $2 where email = $1', [`guest-${n + 1}@example.test`, name])
await viewed('Ada', { covered: 60_000, opened: 1, isComplete: true })
await viewed('Bo', { covered: 30_000, opened: 3 })
await viewed('Cy', { covered: 0, opened: 2 })
await change(
  `update delivery_viewing set evidence = 'contradicted' where transmission_id = $1 and covered_ms = 30000`,
  [id],
)
await put('accepted', ['Ada', 'Bo', 'Cy'])
await put('unknown', ['Di', 'Ed', 'Fi'])

const params = () => ({ transmissionId: id })
const list = async (query: DeliveryFilter & { sort?: DeliverySort; limit?: number; after?: string }) =>
  (await admin.call(listDeliveries, { params: params(), query: query as Record<string, string> })).body
const namesOf = async (query: DeliveryFilter & { sort?: DeliverySort }) =>
  (await list(query)).items.map(({ user }) => user.name).join(' ')

test.each([
  ['name', 'Ada Bo Cy Di Ed Fi'],
  ['progress', 'Bo Cy Di Ed Fi Ada'],
  ['-progress', 'Ada Fi Ed Di Cy Bo'],
  ['-name', 'Fi Ed Di Cy Bo Ada'],
  ['-share', /^Ada Bo /],
  ['-opened', /^Ada Cy Bo /],
  ['opened', / Bo Cy Ada$/],
  ['-completed', /^Ada /],
  ['state', /^(?:Ada|Bo|Cy) .* (?:Di|Ed|Fi)$/],
] as const)('recipients are sorted by %s', async (sort, expected) => {
  expect(await namesOf({ sort })).toMatch(expected)
})

test('recipients are found by what they watched and by the state of their mail, page by page in any order', async () => {
  expect(await namesOf({ watched: 'all' })).toBe('Ada')
  expect(await namesOf({ watched: 'part' })).toBe('Bo')
  expect(await namesOf({ watched: 'opened' })).toBe('Ada Bo Cy')
  expect(await namesOf({ watched: 'unopened' })).toBe('Di Ed Fi')
  expect(await namesOf({ watched: 'started' })).toBe('')
  expect(await namesOf({ watched: 'none' })).toBe('Cy Di Ed Fi')
  expect(await namesOf({ watched: 'none', state: 'unknown' })).toBe('Di Ed Fi')
  expect(await namesOf({ watched: 'failed' })).toBe('')
  expect((await list({ watched: 'none' })).total).toBe(4)
  expect(await namesOf({ evidence: 'contradicted' })).toBe('Bo')
  expect(await namesOf({ evidence: 'none' })).toBe('Ada Cy Di Ed Fi')
  const found: string[] = []
  let after: string | undefined
  do {
    const page = await list({ sort: '-opened', limit: 2, ...(after === undefined ? {} : { after }) })
    found.push(...page.items.map(({ user }) => user.name))
    after = page.next === null ? undefined : (new URLSearchParams(page.next.split('?')[1]).get('after') ?? '')
  } while (after !== undefined)
  expect(found.toSorted()).toEqual(names)
})

test('where only completions are recorded, nothing more is told by order or filter', async () => {
  await setPolicies(server, org, { trackingMode: 'completed_only' })
  try {
    expect(await namesOf({ watched: 'part' })).toBe('')
    expect(await namesOf({ watched: 'opened' })).toBe('')
    expect(await namesOf({ watched: 'unopened' })).toBe('Bo Cy Di Ed Fi')
    expect(await namesOf({ sort: 'progress' })).toBe('Bo Cy Di Ed Fi Ada')
    expect((await list({})).items.map(({ evidence }) => evidence)).toEqual(names.map(() => null))
    expect(await namesOf({ watched: 'none' })).toBe('Bo Cy Di Ed Fi')
    const ids = (await list({ sort: 'opened' })).items.map((one) => one.id)
    expect(ids).toEqual(ids.toSorted())
  } finally {
    await setPolicies(server, org, { trackingMode: 'full' })
  }
})

test('the list is taken along as CSV and as a workbook, all of it or what was picked', async () => {
  const take = (body: object) => admin.send('POST', `/api/transmissions/${id}/deliveries/export`, { body })
  const csv = await take({ filter: { state: 'unknown' }, sort: '-name' })
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  const lines = String(csv.body).trim().split('\r\n')
  expect(lines[0]).toContain('Name,Email,Mail,State,Sent')
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(['Fi', 'Ed', 'Di'])
  const [first] = (await list({ sort: 'name' })).items
  const one = await take({ ids: [first?.id] })
  expect(String(one.body).trim().split('\r\n')).toHaveLength(2)
  expect(String(one.body)).toContain('Ada,guest-1@example.test,Sent')
  const book = await take({ format: 'xlsx' })
  expect(book.headers['content-disposition']).toContain('recipients')
  expect(String(book.body).slice(0, 2)).toBe('PK')
  expect((await other.call(exportDeliveries, { params: params(), body: {} })).status).toBe(404)
})

test('uncertain mails are decided about together, once, and by the number that was told', async () => {
  const many = await write(60, 'many')
  const decide = (by: Person, body: object) =>
    by.call(resolveDeliveries, {
      params: { transmissionId: many },
      body: body as { decision: 'send_again'; expected: number },
    })
  const counts = async () =>
    (await admin.call(readTransmission, { params: { transmissionId: many } })).body.counts
  expect((await decide(other, { decision: 'send_again', expected: 60 })).status).toBe(404)
  expect((await decide(admin, { decision: 'treat_as_failed', expected: 59 })).problem?.detail).toContain(
    '60 of them are uncertain now',
  )
  expect(await counts()).toMatchObject({ unknown: 60 })
  const { items } = (await admin.call(listDeliveries, { params: { transmissionId: many } })).body
  const ids = items.slice(0, 10).map((one) => one.id)
  expect((await decide(admin, { decision: 'treat_as_failed', ids, expected: 10 })).body).toEqual({
    decided: 10,
  })
  const keep = items[10]?.id ?? ''
  const again = { decision: 'send_again', filter: { state: 'unknown' }, exceptIds: [keep], expected: 49 }
  expect((await decide(admin, again)).body).toEqual({ decided: 49 })
  expect(await counts()).toMatchObject({ rejected: 10, queued: 49, unknown: 1 })
  expect((await decide(admin, again)).status).toBe(409)
  expect((await admin.call(readTransmission, { params: { transmissionId: many } })).body.state).toBe(
    'sending',
  )
  const log = (await admin.call(listAudit, { query: { limit: 50 } })).body.items
  expect(log.find(({ action }) => action === 'deliveries.send_again')?.after).toMatchObject({ count: 49 })
})
