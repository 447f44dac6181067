import { beforeEach, expect, test } from 'vitest'
import { lockSession, logout } from '#contract/identity/auth.ts'
import { viewAs } from '#contract/identity/view-as.ts'
import {
  listNotifications,
  readNotification,
  watchNotifications,
} from '#contract/notifications/notifications.ts'
import { notify } from './notify.ts'
import { startAnother } from '../testing/processes/another.ts'
import { openLine } from '../testing/media/line.ts'
import { administer } from '../testing/setup.ts'
import { startTestServer, type Person } from '../testing/server.ts'
import { until } from '../testing/until.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person
let other: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  other = await server.person('admin', orgId)
})

const pause = (ms: number) =>
  new Promise<'nothing'>((resolve) => {
    setTimeout(() => resolve('nothing'), ms)
  })
const tell = (person: Person) =>
  server.services.db.as('system', (tx) =>
    notify(tx, [
      {
        organizationId: person.organizationId,
        userId: person.id,
        kind: 'video.ready',
        entityId: crypto.randomUUID(),
        cause: '1',
      },
    ]),
  )
const now = async (person: Person) => (await person.call(watchNotifications)).body
/** What was told before the question may be heard of after it and wake it; then it is asked again, as a tab does. */
async function changedSince(person: Person, mark: string) {
  for (;;) {
    const answer = await person.call(watchNotifications, { query: { after: mark } })
    if (answer.status !== 200 || answer.body.mark !== mark) return answer
  }
}
/** A question that is open by now. */
const wait = async (person: Person) => {
  const { mark } = await now(person)
  const answer = changedSince(person, mark)
  await pause(150)
  return { answer }
}

test('answers at once without a mark or with an old one', async () => {
  const before = await now(admin)
  expect(before.unread).toBe(0)
  await tell(admin)
  const missed = await admin.call(watchNotifications, { query: { after: before.mark } })
  expect(missed.body.unread).toBe(1)
})

test('keeps the question open until this person is told something, and no other', async () => {
  const [mine, others] = [await wait(admin), await wait(other)]
  await tell(admin)
  expect((await mine.answer).body.unread).toBe(1)
  // Asked later, it would be answered by now if the time had been up.
  expect(await Promise.race([others.answer, pause(300)])).toBe('nothing')
  await tell(other)
  expect((await others.answer).body.unread).toBe(1)
})

test('tells the other tabs what was read', async () => {
  await tell(admin)
  const { answer } = await wait(admin)
  const [first] = (await admin.call(listNotifications)).body.items
  await admin.call(readNotification, { params: { notificationId: first?.id ?? '' } })
  expect((await answer).body.unread).toBe(0)
})

test('goes on after its connection was killed, and looks again at what it may have missed', async () => {
  const { answer } = await wait(admin)
  await administer(
    server.services.db.url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'sendreel pulse'`,
  )
  // While nobody listens.
  await tell(admin)
  expect((await answer).body.unread).toBe(1)
  const next = await wait(admin)
  await tell(admin)
  expect((await next.answer).body.unread).toBe(2)
})

test('rings again once its connection fell silent without a word, and looks at what it has missed', async () => {
  const line = await openLine(server.services.db.url)
  const { child, url } = await startAnother(server, line.url)
  const ask = async (after = '') => {
    const address = `${url}/api${watchNotifications.path}?${new URLSearchParams(after && { after }).toString()}`
    // Sooner than a question is answered because its time is up.
    const signal = AbortSignal.timeout(15_000)
    const answer = await fetch(address, { headers: { authorization: `Bearer ${admin.token}` }, signal })
    return { status: answer.status, body: (await answer.json()) as { mark: string; unread: number } }
  }
  try {
    const missing = ask((await ask()).body.mark)
    await pause(300)
    line.silence('sendreel pulse')
    await tell(admin)
    await until(async () => (await ask()).status === 503, 20)
    line.speak()
    const missed = await missing
    expect(missed.body.unread).toBe(1)
    await until(async () => (await ask()).status === 200, 20)
    const next = ask(missed.body.mark)
    await pause(300)
    await tell(admin)
    expect((await next).body.unread).toBe(2)
  } finally {
    line.close()
    child.kill('SIGKILL')
  }
}, 40_000)

test('tells nothing to whoever has signed out or locked the console meanwhile', async () => {
  const gone = await wait(admin)
  await admin.call(logout)
  await tell(admin)
  expect((await gone.answer).status).toBe(401)
  const locked = await wait(other)
  await other.call(lockSession)
  await tell(other)
  expect((await locked.answer).problem?.code).toBe('session_locked')
})

test('tells a superadmin who has begun to view as somebody that this is not read, and keeps the session', async () => {
  const superadmin = await server.person('superadmin')
  const { answer } = await wait(superadmin)
  await superadmin.call(viewAs, { body: { userId: other.id, reason: 'Asked for help' } })
  await tell(superadmin)
  expect((await answer).problem?.code).toBe('read_only')
})

test('tells nothing to whoever has got another role meanwhile', async () => {
  const { answer } = await wait(admin)
  await server.query(`update users set role = 'groupadmin' where id = $1`, [admin.id])
  await tell(admin)
  expect((await answer).status).toBe(403)
  expect((await now(admin)).unread).toBe(1)
})

test('a question too many answers the oldest one, and the end of the server answers all', async () => {
  const own = await startTestServer()
  const person = await own.person('admin', await own.organization())
  const { body } = await person.call(watchNotifications)
  const earlier = await wait(admin)
  const open = Array.from({ length: 13 }, () =>
    person.call(watchNotifications, { query: { after: body.mark } }),
  )
  expect((await Promise.race(open)).body).toEqual(body)
  await own.app.close()
  const all = Promise.all(open).then((answers) => answers.map(({ status }) => status))
  // Whoever has asked another server before has still not been told that the time is up.
  expect(await Promise.race([all, earlier.answer])).toEqual(open.map(() => 200))
  await tell(admin)
  await earlier.answer
  await own.close()
})
