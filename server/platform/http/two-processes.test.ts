import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logout, readSession } from '#contract/identity/auth.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { changeOrganizationState } from '#contract/directory/organizations.ts'
import { endUserSessions } from '#contract/identity/sessions.ts'
import { updateUser } from '#contract/directory/users.ts'
import { startAnother } from '../../testing/processes/another.ts'
import { openLine } from '../../testing/media/line.ts'
import { enterAsWatcher } from '#contract/tracking/tracks.ts'
import { addMedia, addViewer } from '../../testing/viewing/served.ts'
import { addDelivery, openPage } from '../../testing/viewing/viewing.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { administer } from '../../testing/setup.ts'
import { soon, until } from '../../testing/until.ts'

type Process = { child: ChildProcess; url: string }
type Line = Awaited<ReturnType<typeof openLine>>

let server: TestServer
let line: Line
/** Two processes of one database, as behind a balancer; the way of the second one to it can fall silent. */
let here: Process
let there: Process
let root: Person
beforeAll(async () => {
  server = await startTestServer()
  line = await openLine(server.services.db.url)
  here = await startAnother(server)
  there = await startAnother(server, line.url)
  root = await server.person('superadmin')
}, 60_000)
afterAll(async () => {
  for (const { child } of [here, there]) child.kill('SIGKILL')
  line.close()
  await server.close()
})

type CallInput = { params?: Record<string, string>; body?: object }

async function ask(
  { url }: Process,
  { token }: Pick<Person, 'token'>,
  [{ method, path }, { params = {}, body }]: readonly [EndpointDefinition, CallInput],
) {
  const address = path.replaceAll(/:(\w+)/g, (_whole, name: string) => params[name] ?? '')
  const answer = await fetch(`${url}/api${address}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  })
  return { status: answer.status, body: (await answer.json().catch(() => null)) as Record<string, unknown> }
}

const session = async (process: Process, person: Pick<Person, 'token'>) =>
  ask(process, person, [readSession, {}])
const isRefused = async (process: Process, person: Pick<Person, 'token'>) =>
  (await session(process, person)).status === 401

/** Far sooner than what is held is looked up again by itself: of a caller after five seconds, of a link after twenty. */
const looks = 20
const waits: [what: string, ms: number][] = []

/** Done at one process; the other one is asked at once, again and again without a pause. */
async function endsThere(what: string, end: () => Promise<unknown>, hasEnded: () => Promise<boolean>) {
  for (const _time of [1, 2]) expect(await hasEnded()).toBe(false)
  await end()
  const began = performance.now()
  for (let asks = 0; !(await hasEnded()); asks += 1) expect(asks, what).toBeLessThan(300)
  waits.push([what, performance.now() - began])
}
afterAll(() => {
  for (const [what, ms] of waits)
    console.log(`${what}: refused at the other process ${ms.toFixed(1)} ms later`)
})

describe('what ends at one process has ended at the other', () => {
  const params = ({ id, organizationId }: Person) => ({ orgId: organizationId ?? '', userId: id })
  const changed = ({ email }: Person, more: object) => ({
    name: 'Somebody',
    email,
    role: 'admin',
    state: 'active',
    ...more,
  })
  const byRoot = async (call: EndpointDefinition, asked: CallInput) =>
    expect((await ask(here, root, [call, asked])).status).toBe(200)

  test.each([
    ['a sign-out', async (person: Person) => ask(here, person, [logout, {}])],
    ['a revoked session', async (person: Person) => byRoot(endUserSessions, { params: params(person) })],
    [
      'a deactivated person',
      async (person: Person) =>
        byRoot(updateUser, { params: params(person), body: changed(person, { state: 'disabled' }) }),
    ],
    [
      'a person without a role',
      async (person: Person) =>
        byRoot(updateUser, { params: params(person), body: changed(person, { role: null }) }),
    ],
    [
      'another role',
      async (person: Person) =>
        byRoot(updateUser, { params: params(person), body: changed(person, { role: 'groupadmin' }) }),
    ],
    [
      'an organization that is switched off',
      async (person: Person) =>
        byRoot(changeOrganizationState, {
          params: params(person),
          body: { state: 'suspended' },
        }),
    ],
  ])('%s', async (what, end) => {
    const person = await server.person('admin', await server.organization())
    await endsThere(
      what,
      () => end(person),
      () => isRefused(there, person),
    )
    expect(await isRefused(there, person)).toBe(true)
  })

  test.each(['the link', 'the person', 'the organization'] as const)(
    'a page that plays, with %s',
    async (what) => {
      const orgId = await server.organization()
      const { open, userId } = await addViewer(server, orgId, await addMedia(server, orgId))
      const { hls, claims } = await open()
      const { transmission: transmissionId = '', delivery: deliveryId = '' } = claims
      const ends = {
        'the link': () =>
          byRoot(revokeLink, { params: { transmissionId, deliveryId }, body: { reason: 'Passed on.' } }),
        'the person': async () =>
          administer(server.ownerUrl, `update users set state = 'disabled' where id = '${userId}'`),
        'the organization': () =>
          byRoot(changeOrganizationState, {
            params: { orgId },
            body: { state: 'suspended' },
          }),
      }
      const status = async () => (await fetch(`${there.url}${hls}`)).status
      expect(await status()).toBe(200)
      await endsThere(`a page that plays, with ${what}`, ends[what], async () => (await status()) === 410)
      expect(await status()).toBe(410)
    },
  )
})

describe('a page that plays where only signed-in people may watch ends at the other process', () => {
  const askToSignIn = (orgId: string) =>
    administer(
      server.ownerUrl,
      `update organizations set policies = policies || '{"whoMayWatch": "signed_in"}' where id = '${orgId}'`,
    )

  async function watcher() {
    const person = await server.person('groupadmin', await server.organization())
    const organizationId = person.organizationId ?? ''
    const media = await addMedia(server, organizationId)
    const { secret: link } = await addDelivery(server, { organizationId, ...media, userId: person.id })
    /** Opened at one process, played from the other. */
    const open = async (cookie = '') => {
      const page = await openPage(server, `/w/video/${media.videoId}?d=${link}`, { cookie })
      return async () => (await fetch(`${there.url}${page.data?.hls}`)).status
    }
    const enter = async () => {
      const given = (await person.call(enterAsWatcher, { body: { link } })).headers['set-cookie']
      return typeof given === 'string' ? given.replace(/;.*/, '') : ''
    }
    return { person, organizationId, open, enter }
  }

  test('with the session of its recipient', async () => {
    const { person, organizationId, open, enter } = await watcher()
    await askToSignIn(organizationId)
    const status = await open(await enter())
    expect(await status()).toBe(200)
    const signOut = () => ask(here, person, [logout, {}])
    await endsThere('a page that plays, with a session', signOut, async () => (await status()) === 410)
    expect(await status()).toBe(410)
  })

  test('for whoever came by the link alone, with the choice of the organization', async () => {
    const { organizationId, open } = await watcher()
    const status = await open()
    expect(await status()).toBe(200)
    const choose = () => askToSignIn(organizationId)
    await endsThere('a page that plays, with the policy', choose, async () => (await status()) === 410)
    expect(await status()).toBe(410)
  })
})

describe('a process that does not hear of others keeps nothing', () => {
  async function signedOutUnheard(): Promise<Person> {
    const person = await server.person('admin', await server.organization())
    expect(await isRefused(there, person)).toBe(false)
    expect((await ask(here, person, [logout, {}])).status).toBe(200)
    return person
  }

  test('its connection was ended', async () => {
    const person = await server.person('admin', await server.organization())
    expect(await isRefused(there, person)).toBe(false)
    await administer(
      server.ownerUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sendreel pulse' and datname = current_database()`,
    )
    // Nobody is told of what this does, so that nothing but the lost connection ends what was held.
    await administer(
      server.ownerUrl,
      `set session_replication_role = replica; update sessions set revoked_at = now() where user_id = '${person.id}'`,
    )
    expect(await soon(() => isRefused(there, person), looks)).toBe(true)
  })

  test('its connection fell silent, and nothing was told of it', async () => {
    for (const process of [here, there])
      await until(async () => (await session(process, root)).status === 200)
    line.silence('sendreel pulse')
    try {
      const person = await signedOutUnheard()
      // Two seconds after the last answer on that connection; what is held by itself would last five.
      expect(await soon(() => isRefused(there, person), 55)).toBe(true)
      const other = await server.person('admin', await server.organization())
      expect(await soon(async () => (await session(there, other)).status === 503, 200)).toBe(true)
    } finally {
      line.speak()
    }
    const person = await server.person('admin', await server.organization())
    await until(async () => (await session(there, person)).status === 200, 20)
    await endsThere(
      'a sign-out, once it hears again',
      () => ask(here, person, [logout, {}]),
      () => isRefused(there, person),
    )
  })
})
