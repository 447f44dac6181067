import { beforeEach, expect, test } from 'vitest'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { createUser, updateUser } from '#contract/directory/users.ts'
import {
  createEventAddress,
  listEventAddresses,
  listEventPosts,
  readEventAddress,
  removeEventAddress,
  replayEvents,
  rotateEventSecret,
  testEventAddress,
  updateEventAddress,
} from '#contract/events/event-addresses.ts'
import { eventTypes } from '#contract/events/event-types.ts'
import { kind, type Behaviour } from '../testing/mail/webhooks.ts'
import {
  aServerWithSystems,
  anEventAddress,
  eventOf,
  eventsAreOut,
  hurryEvents,
  isSignedBy,
  postEvents,
} from '../testing/mail/systems.ts'
import { unique } from '../testing/unique.ts'
import { until } from '../testing/until.ts'
import { forgetEvents } from './forget.ts'

const world = await aServerWithSystems()
const { server, admin, org, receiver, url } = world
postEvents(server)
const params = { orgId: org }

beforeEach(async () => {
  await server.query('delete from event_addresses')
  await server.query('delete from events')
  await server.query('delete from attempts')
  receiver.posted.length = 0
  receiver.behave = kind
})

async function create(name = 'Ada'): Promise<string> {
  const email = `${unique()}@example.test`
  const made = await admin.call(createUser, { params, body: { name, email } })
  expect(made.status).toBe(201)
  return made.body.id
}

const rename = async (userId: string, name: string) => {
  const email = `${unique()}@example.test`
  await admin.call(updateUser, { params: { ...params, userId }, body: { name, email } })
}
const postedOf = (userId: string) => receiver.posted.filter(({ body }) => body.includes(userId))
const namesOf = (userId: string) =>
  postedOf(userId).map(
    (one) => (JSON.parse(one.body) as { data: { person: { name: string } } }).data.person.name,
  )
const at = (eventAddressId: string) => ({ params: { ...params, eventAddressId } })
const idle = () => eventsAreOut(server)

test.each([
  'http://systems.example.org/',
  'https://me:secret@systems.example.org/',
  'https://127.0.0.1/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://systems.example.org:25/',
])('%s is refused as it is', async (given) => {
  const made = await admin.call(createEventAddress, { params, body: { url: given, types: ['person.left'] } })
  expect(made.status).toBe(422)
  expect((await admin.call(listEventAddresses, { params })).body.items).toEqual([])
})

test.each([[[]], [['person.born']]])('the types %j are refused', async (types) => {
  const answer = await admin.send('POST', `/api/organizations/${org}/event-addresses`, {
    body: { url, types },
  })
  expect(answer.status).toBe(422)
})

test('an address is told what it asks for, others are told what they ask for, and secrets are told once', async () => {
  const one = await anEventAddress(admin, `${url}?one`, ['person.created'])
  const two = await anEventAddress(admin, `${url}?two`, ['person.created', 'person.changed'])
  const { body } = await admin.call(listEventAddresses, { params })
  expect(body.items.map(({ id }) => id)).toEqual([one.id, two.id])
  expect(JSON.stringify(body)).not.toContain(one.secret)
  const userId = await create()
  await rename(userId, 'Ada Lovelace')
  await idle()
  const came = postedOf(userId).map((posted) => `${posted.path} ${eventOf(posted).type}`)
  expect(came.toSorted()).toEqual([
    '/events?one person.created',
    '/events?two person.changed',
    '/events?two person.created',
  ])
  for (const posted of postedOf(userId))
    expect(isSignedBy(posted.path.endsWith('one') ? one.secret : two.secret, posted)).toBe(true)
  const [first, second] = postedOf(userId).filter((posted) => eventOf(posted).type === 'person.created')
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
})

test('where nobody asks, nothing is written', async () => {
  await anEventAddress(admin, url, ['person.left'])
  await create()
  const other = await server.organization()
  const theirs = await server.person('admin', other)
  await theirs.call(createUser, {
    params: { orgId: other },
    body: { name: 'Eve', email: `${unique()}@example.test` },
  })
  expect(await server.query('select from events')).toEqual([])
})

const once = (behave: Behaviour): Behaviour => {
  const seen = new Set<string>()
  return (posted, answer, socket) => {
    const id = String(posted.headers['webhook-id'])
    if (seen.has(id)) return kind(posted, answer, socket)
    seen.add(id)
    return behave(posted, answer, socket)
  }
}

test.each<[string, Behaviour]>([
  ['answers 500', (_posted, answer) => void answer.writeHead(500).end('on fire')],
  ['refuses it', (_posted, answer) => void answer.writeHead(400).end('what?')],
  [
    'names another address',
    (_posted, answer) => void answer.writeHead(302, { location: 'https://[::1]/' }).end(),
  ],
  ['breaks off', (_posted, _answer, socket) => void socket.destroy()],
  [
    'lies about its length',
    (_posted, answer) => void answer.writeHead(500, { 'content-length': '9' }).end('x'),
  ],
])('who %s gets the same again, and what happened to one person in its order', async (_name, behave) => {
  await anEventAddress(admin, url, ['person.created', 'person.changed'])
  receiver.behave = once(behave)
  const userId = await create('1')
  for (const name of ['2', '3']) await rename(userId, name)
  await until(async () => {
    await hurryEvents(server)
    return new Set(namesOf(userId)).size === 3 && (await server.query('select from event_lines')).length === 0
  }, 30)
  expect(namesOf(userId)).toEqual(['1', '1', '2', '2', '3', '3'])
  const byId = Map.groupBy(postedOf(userId), ({ headers }) => headers['webhook-id'])
  expect([...byId.values()].map((all) => new Set(all.map(({ body }) => body)).size)).toEqual([1, 1, 1])
})

test('an event that is refused for three days is set aside and told; others of the person went on behind it', async () => {
  const { id } = await anEventAddress(admin, url, ['person.created', 'person.changed'])
  receiver.behave = (posted, answer, socket) =>
    posted.body.includes('"Bad"') ? void answer.writeHead(422).end('no') : kind(posted, answer, socket)
  const [bad, good] = [await create('Bad'), await create('Good')]
  await rename(bad, 'Better')
  await until(async () => namesOf(good).length === 1 && namesOf(bad).length > 0, 20)
  expect(namesOf(bad)).not.toContain('Better')
  await server.query(
    `update event_posts set first_try_at = now() - interval '3 days 1 minute' where tries > 0`,
  )
  await until(async () => {
    await hurryEvents(server)
    return namesOf(bad).includes('Better')
  }, 20)
  await idle()
  expect((await admin.call(readEventAddress, at(id))).body).toMatchObject({
    aside: 1,
    waiting: 0,
    fault: null,
  })
  const log = await admin.call(listEventPosts, { ...at(id), query: { state: 'aside' } })
  expect(log.body.items).toMatchObject([
    {
      type: 'person.created',
      result: 'refused',
      status: 422,
      answer: 'no',
      request: expect.stringContaining('"Bad"'),
    },
  ])
  const isToldOf = async () =>
    (await admin.call(readDashboardAlerts)).body.items.some((one) => one.kind === 'refused_events')
  expect(await isToldOf()).toBe(true)
  // The receiver was mended, and somebody replays what it missed.
  receiver.behave = kind
  const period = {
    from: new Date(Date.now() - 600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  }
  await admin.call(replayEvents, { ...at(id), body: period })
  await idle()
  expect((await admin.call(readEventAddress, at(id))).body).toMatchObject({ aside: 0, waiting: 0 })
  expect(await isToldOf()).toBe(false)
})

test('the log says what was sent and what came back, cut, and has no secret', async () => {
  const { id, secret } = await anEventAddress(admin, url, ['person.created'])
  receiver.behave = (_posted, answer) => void answer.end('x'.repeat(100_000))
  await create('Logged')
  await idle()
  const log = await admin.call(listEventPosts, at(id))
  expect(log.body.items).toMatchObject([
    { state: 'taken', tries: 1, result: 'accepted', status: 200, answer: 'x'.repeat(300), isReplay: false },
  ])
  expect(eventOf({ body: log.body.items[0]?.request ?? '' }).type).toBe('person.created')
  expect(JSON.stringify(log.body)).not.toContain(secret)
  expect(JSON.stringify(log.body)).not.toContain('v1,')
  expect((await admin.call(listEventPosts, { ...at(id), query: { type: 'person.left' } })).body.total).toBe(0)
})

test('a period is posted once more, in order and with the ids that it had', async () => {
  const { id } = await anEventAddress(admin, url, ['person.created', 'person.changed'])
  const from = new Date(Date.now() - 60_000).toISOString()
  const userId = await create('1')
  await rename(userId, '2')
  await idle()
  const before = postedOf(userId).map(({ headers }) => headers['webhook-id'])
  const to = new Date(Date.now() + 60_000).toISOString()
  const replayed = await admin.call(replayEvents, { ...at(id), body: { from, to } })
  expect(replayed.body).toEqual({ count: 2 })
  await idle()
  expect(postedOf(userId).map(({ headers }) => headers['webhook-id'])).toEqual([...before, ...before])
  const some = await admin.call(replayEvents, { ...at(id), body: { from, to, types: ['person.changed'] } })
  expect(some.body).toEqual({ count: 1 })
  expect((await admin.call(replayEvents, { ...at(id), body: { from: to, to: from } })).status).toBe(422)
  await idle()
  const log = await admin.call(listEventPosts, at(id))
  expect(log.body.items.map(({ isReplay }) => isReplay)).toEqual([true, true, true, false, false])
})

test('for a day after it was rotated, events are signed with both secrets', async () => {
  const { id, secret } = await anEventAddress(admin, url, ['person.created'])
  const rotated = (await admin.call(rotateEventSecret, { ...at(id), body: {} })).body
  expect(rotated.previousUntil).not.toBeNull()
  const anew = { secret: rotated.secret ?? '' }
  const userId = await create()
  await idle()
  const [posted] = postedOf(userId)
  if (!posted) throw new Error('nothing came')
  expect([secret, anew.secret].map((one) => isSignedBy(one, posted))).toEqual([true, true])
  await server.query(`update event_addresses set previous_until = now() - interval '1 minute'`)
  const later = await create()
  await idle()
  const [after] = postedOf(later)
  expect(after && [secret, anew.secret].map((one) => isSignedBy(one, after))).toEqual([false, true])
})

test('a test is posted past the queue, and tells what came back', async () => {
  const { id, secret } = await anEventAddress(admin, url, ['person.left'])
  expect((await admin.call(testEventAddress, { ...at(id), body: {} })).body).toEqual({
    result: 'accepted',
    status: 200,
    answer: 'taken',
  })
  const [posted] = receiver.posted
  expect(posted && isSignedBy(secret, posted)).toBe(true)
  expect(posted?.body).toContain('"type":"event.test"')
  await admin.call(updateEventAddress, {
    ...at(id),
    body: { url: url.replace('systems', 'nowhere'), types: ['person.left'] },
  })
  expect((await admin.call(testEventAddress, { ...at(id), body: {} })).body.result).toBe('unknown_host')
})

test('a name that leads into a network of this house gets nothing', async () => {
  world.names.addressesOf = () => ['10.0.0.7']
  const lines = receiver.lines
  const { id } = await anEventAddress(admin, url.replace('systems', 'inside'), ['person.created'])
  await create()
  await until(async () => (await admin.call(readEventAddress, at(id))).body.fault === 'private_address', 20)
  expect(receiver.lines).toBe(lines)
  world.names.addressesOf = (name) => (name === new URL(url).hostname ? ['127.0.0.1'] : [])
})

test('who belongs elsewhere neither sees nor changes an address', async () => {
  const { id } = await anEventAddress(admin, url, [...eventTypes])
  const other = await server.organization()
  const eve = await server.person('admin', other)
  for (const orgId of [org, other]) {
    const theirs = { params: { orgId, eventAddressId: id } }
    const body = { url, types: ['person.left' as const] }
    expect((await eve.call(readEventAddress, theirs)).status).toBe(404)
    expect((await eve.call(listEventPosts, theirs)).status).toBe(404)
    expect((await eve.call(updateEventAddress, { ...theirs, body })).status).toBe(404)
    expect((await eve.call(rotateEventSecret, { ...theirs, body: {} })).status).toBe(404)
    expect((await eve.call(testEventAddress, { ...theirs, body: {} })).status).toBe(404)
    expect((await eve.call(removeEventAddress, theirs)).status).toBe(404)
  }
  expect((await admin.call(readEventAddress, at(id))).body.types).toHaveLength(eventTypes.length)
})

test('what was posted is kept for 90 days, and what waits as long as it does', async () => {
  const { id } = await anEventAddress(admin, url, ['person.created'])
  receiver.behave = (posted, answer, socket) =>
    posted.body.includes('"Waits"') ? void answer.writeHead(500).end() : kind(posted, answer, socket)
  await create('Old')
  await idle()
  await create('Waits')
  await until(async () => receiver.posted.length > 1, 20)
  await server.query(`update events set sorted_at = now() - interval '91 days'`)
  await server.query(`update event_posts set queued_at = now() - interval '91 days'`)
  await forgetEvents(server.services.db)
  const log = await admin.call(listEventPosts, at(id))
  expect(log.body.items.map(({ state }) => state)).toEqual(['waiting'])
})
