import { beforeEach, expect, test } from 'vitest'
import {
  createKey,
  createSystemKey,
  listKeys,
  revokeKey,
  rotateKey,
  updateKey,
} from '#contract/service-accounts.ts'
import type { Person } from '../testing/server.ts'
import { identities } from '../testing/sign-in/identities.ts'
import { anOrganization, aServer } from '../testing/worlds.ts'
import { tellOfExpiry } from './expiry.ts'

const server = await aServer()
const { query, services } = server
const { mailsTo } = identities(server)

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Acme'))
})

const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const scopes = ['people:read' as const]

async function newKey(days = 90, by = admin): Promise<string> {
  const body = { name: 'Payroll', scopes, expiresAt: later(days) }
  const made = await by.call(createKey, { params: { orgId }, body })
  expect(made.status).toBe(201)
  return made.body.id
}

/** As if so many days had passed that so many are left. */
const daysLeft = (keyId: string, days: number) =>
  query(
    `update service_tokens set expires_at = now() + make_interval(secs => $2::float8 * 86400 - 60)
      where account_id = $1 and replaced_until is null`,
    [keyId, days],
  )
const told = async ({ email }: Pick<Person, 'email'>) =>
  (await mailsTo(email)).filter(({ subject }) => /key|Schlüssel/.test(subject))

test('whoever answers for a key is told two weeks and one day before its end, once each', async () => {
  const keyId = await newKey()
  await tellOfExpiry(services)
  expect(await told(admin)).toEqual([])
  await daysLeft(keyId, 14)
  // Several servers may look at the same moment, and each looks once an hour.
  await Promise.all([1, 2, 3].map(() => tellOfExpiry(services)))
  await tellOfExpiry(services)
  const [mail, ...others] = await told(admin)
  expect(others).toEqual([])
  expect(mail?.subject).toBe('A key expires soon – Sendreel')
  const text = mail?.text.replaceAll(/\s+/g, ' ')
  const [{ zone } = { zone: 'UTC' }] = await query<{ zone: string }>(
    'select time_zone as zone from organizations where id = $1',
    [orgId],
  )
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: zone })
  const { items } = (await admin.call(listKeys, { params: { orgId } })).body
  expect(text).toContain(
    `“Payroll”, by which another system acts in Acme, expires on ${day.format(
      new Date(items[0]?.expiresAt ?? 0),
    )}.`,
  )
  expect(text).toContain(`/settings?tab=keys&organization=${orgId}`)
  expect(text).not.toContain(items[0]?.start ?? 'srk_')
  await daysLeft(keyId, 2)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)
  await daysLeft(keyId, 1)
  await Promise.all([1, 2, 3].map(() => tellOfExpiry(services)))
  expect(await told(admin)).toHaveLength(2)
  await daysLeft(keyId, -1)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(2)
})

test('a server that was away for both tells the last one alone', async () => {
  const keyId = await newKey()
  await daysLeft(keyId, 0.5)
  await tellOfExpiry(services)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)
})

test('nobody is told of what they have just chosen, of a key that was withdrawn, or of a token that was replaced', async () => {
  const short = await newKey(10)
  await tellOfExpiry(services)
  expect(await told(admin)).toEqual([])
  await daysLeft(short, 1)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)

  const withdrawn = await newKey()
  await daysLeft(withdrawn, 14)
  await admin.call(revokeKey, { params: { orgId, keyId: withdrawn } })
  const rotated = await newKey()
  await daysLeft(rotated, 14)
  const body = { expiresAt: later(90), previousUntil: later(7) }
  expect((await admin.call(rotateKey, { params: { orgId, keyId: rotated }, body })).status).toBe(200)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)
  // Neither is another end that was chosen, until it is near itself.
  const change = (days: number) =>
    admin.call(updateKey, {
      params: { orgId, keyId: rotated },
      body: { name: 'Payroll', scopes, expiresAt: later(days) },
    })
  expect((await change(10)).status).toBe(200)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)
  await change(90)
  await daysLeft(rotated, 13)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(2)
})

test('where the owner has left, the administrators are told, each in their language, and nobody who has left', async () => {
  const owner = await server.person('admin', orgId)
  const away = await server.person('admin', orgId)
  const groupadmin = await server.person('groupadmin', orgId)
  const keyId = await newKey(90, owner)
  await query(`update users set state = 'disabled' where id = any($1)`, [[owner.id, away.id]])
  await query(`update users set language = 'de' where id = $1`, [admin.id])
  await daysLeft(keyId, 14)
  await tellOfExpiry(services)
  expect((await told(admin)).map(({ subject }) => subject)).toEqual([
    'Ein Schlüssel läuft bald ab – Sendreel',
  ])
  const [{ name } = { name: '' }] = await query<{ name: string }>('select name from users where id = $1', [
    owner.id,
  ])
  expect((await told(admin))[0]?.text.replaceAll(/\s+/g, ' ')).toContain(`${name} steht für ihn ein`)
  for (const one of [owner, away, groupadmin]) expect(await told(one)).toEqual([])
  // An organization that is switched off can do nothing about it.
  await query(`update organizations set state = 'suspended' where id = $1`, [orgId])
  await daysLeft(keyId, 1)
  await tellOfExpiry(services)
  expect(await told(admin)).toHaveLength(1)
})

test('of a key of the installation superadmins are told', async () => {
  const [owner, other] = [await server.person('superadmin'), await server.person('superadmin')]
  const body = { name: 'Warehouse', scopes, expiresAt: later(90) }
  const made = await owner.call(createSystemKey, { body })
  await daysLeft(made.body.id, 14)
  await tellOfExpiry(services)
  expect([(await told(owner)).length, (await told(other)).length]).toEqual([1, 0])
  expect((await told(owner))[0]?.text.replaceAll(/\s+/g, ' ')).toContain('acts in Sendreel, expires on')
  await query(`update users set state = 'disabled' where id = $1`, [owner.id])
  await daysLeft(made.body.id, 1)
  await tellOfExpiry(services)
  expect([(await told(owner)).length, (await told(other)).length]).toEqual([1, 1])
  expect(await told(admin)).toEqual([])
})
