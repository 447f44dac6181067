import { beforeEach, expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import { readWatchers } from '#contract/directory/organizations.ts'
import { unlinkConnectionPerson } from '#contract/identity/sso.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import type { Person } from '../../testing/server.ts'
import { aServerBeside, connected, ledBack, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { visitorOf, type Visitor } from '../../testing/sign-in/visitor.ts'
import { addDelivery, addVideo, batchOf, openPage } from '../../testing/viewing/viewing.ts'
import { unique } from '../../testing/unique.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const server = await aServerBeside(names, [liar])
const { query } = server

let orgId: string
let admin: Person
let connectionId: string
let visitor: Visitor
let person: { id: string; email: string }

beforeEach(async () => {
  liar.honest()
  ;({ orgId, admin } = await anOrganization(server))
  const domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
  visitor = visitorOf(server, [liar.ca])
  const email = `${unique()}@${domain}`
  const [made] = await query<{ id: string }>(
    'insert into users (organization_id, name, email) values ($1, $2, $3) returning id',
    [orgId, 'Ada', email],
  )
  person = { id: made?.id ?? '', email }
  liar.person = { sub: `sub of ${email}`, email, email_verified: true, name: 'Ada' }
})

const ask = (whoMayWatch: 'link' | 'signed_in') =>
  query(
    `update organizations set policies = policies || jsonb_build_object('whoMayWatch', $2::text) where id = $1`,
    [orgId, whoMayWatch],
  )

const cookieOf = () => [...visitor.jar.values()].map((cookies) => cookies.get('watching')).find(Boolean)

test('somebody without a role signs in for their videos alone, where only signed-in people may watch', async () => {
  await ask('signed_in')
  const video = await addVideo(server, { organizationId: orgId })
  const { secret } = await addDelivery(server, { organizationId: orgId, userId: person.id, ...video })
  const path = `/w/video/${video.videoId}?d=${secret}`
  expect((await openPage(server, path)).data).toBeUndefined()
  // Nothing that the console would take is told.
  expect(await signedIn(visitor, connectionId)).toEqual({ status: 'watching' })
  const cookie = `watching=${cookieOf()}`
  const { data } = await openPage(server, path, { cookie })
  const report = async () =>
    (await server.send('POST', '/api/tracks', { body: batchOf({ playToken: data?.playToken ?? '' }) })).status
  expect(await report()).toBe(200)
  // The id of the session is no token.
  const stolen = { authorization: `Bearer ${cookieOf()}` }
  expect((await server.call(readSession, { headers: stolen })).status).toBe(401)
  const unlinked = await admin.call(unlinkConnectionPerson, {
    params: { orgId, connectionId, userId: person.id },
  })
  expect(unlinked.status).toBe(200)
  expect(await report()).toBe(410)
  expect((await openPage(server, path, { cookie })).data).toBeUndefined()
})

test('elsewhere they are told that they have no role, as before', async () => {
  await ask('link')
  expect(await ledBack(visitor, connectionId)).toEqual({ fault: 'no_role' })
})

test('the settings count them among those who have a way to sign in', async () => {
  const asked = async () => (await admin.call(readWatchers, { params: { orgId } })).body
  expect((await asked()).some.map(({ id }) => id)).not.toContain(person.id)
  await query('update sign_in_connections set is_on = false where id = $1', [connectionId])
  expect((await asked()).some.map(({ id }) => id)).toContain(person.id)
})
