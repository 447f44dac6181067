import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { changeEmail } from '#contract/identity/account.ts'
import { readSession, sendVerification, verifyToken } from '#contract/identity/auth.ts'
import { updateUser } from '#contract/directory/users.ts'
import { importing } from '../../testing/imports.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { workOnOperations } from '../../testing/operations.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, ledBack, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { identities, network } from '../../testing/sign-in/identities.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { visitorOf } from '../../testing/sign-in/visitor.ts'
import { addVideo, addDelivery, openPage } from '../../testing/viewing/viewing.ts'
import { unique } from '../../testing/unique.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const server = await aServerBeside(names, [liar])
const are = identities(server)
const { query } = server

let orgId: string
let admin: Person
let domain: string
let connectionId: string
let worker: { stop(): Promise<void> }
beforeAll(async () => {
  worker = await workOnOperations(server)
})
afterAll(() => worker.stop())
beforeEach(async () => {
  liar.honest()
  ;({ orgId, admin } = await anOrganization(server))
  domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
  await query(
    `update organizations set policies = policies || '{"whoMayWatch": "signed_in"}'::jsonb where id = $1`,
    [orgId],
  )
})

const { rehearsed, run, undo } = importing(() => ({ server, orgId, admin }))

/** Somebody whom the provider knows: without a role they sign in for their videos alone. */
async function known(role: 'groupadmin' | null) {
  const email = `${unique()}@${domain}`
  const number = unique()
  const [made] = await query<{ id: string }>(
    'insert into users (organization_id, name, email, role, external_id) values ($1, $2, $3, $4, $5) returning id',
    [orgId, 'Ada', email, role, number],
  )
  const id = made?.id ?? ''
  liar.person = { sub: `sub of ${email}`, email, email_verified: true, name: 'Ada' }
  const visitor = visitorOf(server, [liar.ca])
  const told = await signedIn(visitor, connectionId)
  const video = await addVideo(server, { organizationId: orgId })
  const { secret } = await addDelivery(server, { organizationId: orgId, userId: id, ...video })
  const cookie = `watching=${[...visitor.jar.values()].map((jar) => jar.get('watching')).find(Boolean)}`
  const plays = async () =>
    (await openPage(server, `/w/video/${video.videoId}?d=${secret}`, { cookie })).data !== undefined
  return { id, email, number, token: String(told['token']), plays }
}

/** Whom the provider still opens: the account that it has always had, with the address of before. */
const again = () => ledBack(visitorOf(server, [liar.ca]), connectionId)
const knownBy = async (id: string) =>
  (await query('select from connection_people where user_id = $1', [id])).length

test('a recipient who is given another address by an administrator is known by no account of the provider', async () => {
  const { id, email, plays } = await known(null)
  expect([await plays(), await knownBy(id)]).toEqual([true, 1])
  const body = { name: 'Ada B', email }
  expect((await admin.call(updateUser, { params: { orgId, userId: id }, body })).status).toBe(200)
  expect([await plays(), await knownBy(id)]).toEqual([true, 1])
  const moved = { name: 'Ada B', email: `moved.${email}` }
  expect((await admin.call(updateUser, { params: { orgId, userId: id }, body: moved })).status).toBe(200)
  expect([await plays(), await knownBy(id)]).toEqual([false, 0])
  expect(await again()).toEqual({ fault: 'nobody' })
})

test('so is an administrator of a group, and somebody who is given a role', async () => {
  const person = await known('groupadmin')
  const role = 'groupadmin' as const
  const at = { params: { orgId, userId: person.id } }
  const moved = { name: 'Ada', email: `moved.${person.email}`, role }
  expect((await admin.call(updateUser, { ...at, body: moved })).status).toBe(200)
  expect([await again(), await knownBy(person.id)]).toEqual([{ fault: 'nobody' }, 0])
  const recipient = await known(null)
  const raised = { name: 'Ada', email: recipient.email, role }
  await admin.call(updateUser, { params: { orgId, userId: recipient.id }, body: raised })
  expect(await knownBy(recipient.id)).toBe(0)
})

test('an import that gives another address forgets the account, and so does taking it back', async () => {
  const { email, number, id, plays } = await known(null)
  const { id: importId } = await rehearsed(`name,email,external id\nAda,moved.${email},${number}\n`, {
    matchBy: 'externalId',
  })
  expect((await run(importId)).counts).toEqual({ changed: 1 })
  expect([await plays(), await knownBy(id)]).toEqual([false, 0])
  expect(await again()).toEqual({ fault: 'nobody' })

  const moved = `moved.${email}`
  liar.person = { sub: 'whoever has it now', email: moved, email_verified: true }
  expect(await signedIn(visitorOf(server, [liar.ca]), connectionId)).toEqual({ status: 'watching' })
  expect(await knownBy(id)).toBe(1)
  expect((await undo(importId)).undoCounts).toEqual({ undone: 1 })
  expect([await again(), await knownBy(id)]).toEqual([{ fault: 'nobody' }, 0])
})

test('whoever proves another address of their own goes on, and is found by it the next time', async () => {
  const { id, email, token } = await known('groupadmin')
  const headers = { authorization: `Bearer ${token}` }
  const call = callerFor((method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { ...more.headers, ...headers } }),
  )
  const moved = `moved.${email}`
  const sent = await call(sendVerification, {
    body: { identifier: moved, methodType: 'email', purpose: 'confirm_email' },
    headers: network(),
  })
  const verified = await call(verifyToken, {
    body: { identifier: moved, code: await are.mailedCode(moved), methodType: 'email' },
    headers: { ...network(), 'x-auth-flow': sent.body.flowToken },
  })
  const { flowToken } = verified.body as { flowToken: string }
  const taken = await call(changeEmail, { headers: { ...network(), 'x-auth-flow': flowToken } })
  expect([taken.status, taken.body.email]).toEqual([200, moved])
  expect([(await call(readSession)).status, await knownBy(id)]).toEqual([200, 0])
  expect(await again()).toEqual({ fault: 'nobody' })
  liar.person = { ...liar.person, email: moved }
  const entered = await signedIn(visitorOf(server, [liar.ca]), connectionId)
  expect(entered).toMatchObject({ status: 'authenticated', user: { id, email: moved } })
})
