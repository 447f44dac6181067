import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateUser } from '#contract/directory/users.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { startAnother } from '../../testing/processes/another.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { connected, environmentFor, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { visitorOf } from '../../testing/sign-in/visitor.ts'
import { anOrganization } from '../../testing/worlds.ts'

type Process = { child: ChildProcess; url: string }
type Entered = { id: string; email: string; subject: string; token: string }

const rounds = 50
const perRound = 20

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const environment = environmentFor(names, [liar])
let server: TestServer
/** Two processes of one database, as behind a balancer. */
let processes: Process[] = []
let admin: Person
let connectionId: string
let domain: string
beforeAll(async () => {
  server = await startTestServer(environment)
  processes = [
    await startAnother(server, undefined, environment),
    await startAnother(server, undefined, environment),
  ]
  ;({ admin } = await anOrganization(server))
  domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar, {
    creates: true,
    rules: [{ claim: 'email', value: '*', role: 'groupadmin', groupId: null }],
  })
})
afterAll(async () => {
  for (const { child } of processes) child.kill('SIGKILL')
  await server.close()
  await liar.close()
  await names.close()
})

/** By the front door: the provider is asked, and the person is created with their first sign-in. */
async function enters(number: number): Promise<Entered> {
  const email = `person-${number}@${domain}`
  liar.person = {
    sub: `subject ${number}`,
    sid: `session ${number}`,
    email,
    email_verified: true,
    name: `Person ${number}`,
  }
  const body = await signedIn(visitorOf(server, [liar.ca]), connectionId)
  const { id } = body['user'] as { id: string }
  return { id, email, subject: `subject ${number}`, token: String(body['token']) }
}

const isIn = async ({ url }: Process, { token }: Entered) => {
  const answer = await fetch(`${url}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })
  await answer.arrayBuffer()
  return answer.status === 200
}

/** How often each process holds each session to be alive. */
async function alive(people: readonly Entered[]): Promise<number> {
  const all = await Promise.all(processes.flatMap((process) => people.map((person) => isIn(process, person))))
  return all.filter(Boolean).length
}

const now = () => Math.floor(Date.now() / 1_000)
async function endedThere({ subject }: Entered, { url }: Process): Promise<void> {
  const token = await liar.signed({
    iss: liar.issuer,
    aud: liar.clientId,
    iat: now(),
    exp: now() + 120,
    jti: crypto.randomUUID(),
    sub: subject,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
  const answer = await fetch(`${url}/api/auth/sso/${connectionId}/logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  })
  expect(answer.status).toBe(200)
}

const params = () => ({ orgId: admin.organizationId ?? '' })
const endedHere = async ({ id, email }: Entered) => {
  const body = { name: email, email, state: 'disabled' as const }
  expect((await admin.call(updateUser, { params: { ...params(), userId: id }, body })).status).toBe(200)
}
const ways: ((people: readonly Entered[], process: Process) => Promise<unknown>)[] = [
  (people, process) => Promise.all(people.map((person) => endedThere(person, process))),
  (people) => Promise.all(people.map((person) => endedHere(person))),
]

test(`a thousand sessions end within a second on both processes, in ${rounds} rounds, by the provider and here`, async () => {
  const slowest: number[] = []
  let ended = 0
  for (let round = 0; round < rounds; round += 1) {
    const people: Entered[] = []
    for (let at = 0; at < perRound; at += 1) people.push(await enters(round * perRound + at))
    await server.query('delete from attempts')
    await server.query(`update sessions set reauthenticated_at = now() where user_id = $1`, [admin.id])
    expect(await alive(people)).toBe(2 * perRound)
    const process = processes[round % 2]
    const way = ways[Math.floor(round / 2) % ways.length]
    if (!process || !way) throw new Error('nothing to end them by')
    await way(people, process)
    // A session counts as ended when it is refused to whoever asks from this moment on; the answers may take longer.
    const began = performance.now()
    let asked = began
    let left = await alive(people)
    while (left > 0 && performance.now() - began < 5_000) {
      asked = performance.now()
      left = await alive(people)
    }
    slowest.push(asked - began)
    expect(left).toBe(0)
    ended += people.length
  }
  console.log(`ended ${ended}, slowest ${Math.round(Math.max(...slowest))} ms after the answer`)
  expect(ended).toBe(rounds * perRound)
  expect(Math.max(...slowest)).toBeLessThan(1_000)
})
