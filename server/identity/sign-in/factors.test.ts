import { describe, expect, test } from 'vitest'
import { readSession, verifyAuthCode, type SignInAnswer } from '#contract/identity/auth.ts'
import * as factors from '#contract/identity/factors.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { roles, type Role } from '#contract/roles.ts'
import {
  defaultSecurity,
  mfaPolicies,
  readSecurity,
  updateSecurity,
  type MfaPolicy,
} from '#contract/identity/security.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { softAuthenticator } from '../../testing/sign-in/authenticator.ts'
import { appCode, factorTests, withFlow } from '../../testing/sign-in/factors.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')

const { change, network, somebody, enter, enterAs, addApp, ask, addPasskey, mailsTo, auditOf } = factorTests(
  () => server,
)

async function setPolicy(mfa: MfaPolicy): Promise<void> {
  const answer = await superadmin.call(updateSecurity, { body: { ...defaultSecurity, mfa } })
  expect(answer.status).toBe(200)
}
async function organizationWith(mfa: MfaPolicy): Promise<string> {
  const id = await server.organization()
  await change('update organizations set policies = $2 where id = $1', [id, { ...defaultPolicies, mfa }])
  return id
}

describe('the policy', () => {
  const asksFor = (policy: MfaPolicy, role: Role) =>
    policy === 'required' || (policy === 'required-for-admins' && role !== 'groupadmin')

  test.each(mfaPolicies)(
    '%s of the installation, with each of an organization, for each role',
    async (system) => {
      await setPolicy(system)
      const seen: Record<string, SignInAnswer['status']> = {}
      const expected: typeof seen = {}
      for (const own of mfaPolicies)
        for (const role of roles) {
          const home = role === 'superadmin' ? null : await organizationWith(own)
          const isAsked = asksFor(system, role) || (home !== null && asksFor(own, role))
          const bare = await somebody(role, home)
          seen[`${own} ${role}`] = (await enter(bare)).status
          expected[`${own} ${role}`] = isAsked ? 'mfa_enrollment_required' : 'authenticated'
          const enrolled = await somebody(role, home)
          await addApp(enrolled)
          seen[`${own} ${role} enrolled`] = (await enter(enrolled)).status
          expected[`${own} ${role} enrolled`] = 'mfa_required'
        }
      await setPolicy('optional')
      expect(seen).toEqual(expected)
    },
  )

  test('makes the sign-in set an app up first, and ends it with a session', async () => {
    const person = await somebody('admin', await organizationWith('required'))
    const headers = withFlow(await enterAs(person, 'mfa_enrollment_required'))
    const { secret, flowToken } = (await server.call(factors.startTotp, { headers })).body
    const body = { code: appCode(secret) }
    const done = await server.call(verifyAuthCode, { body, headers: withFlow(flowToken) })
    expect(done.body).toMatchObject({ status: 'mfa_enrolled', next: { status: 'authenticated' } })
    const { recoveryCodes, next } = done.body as { recoveryCodes: string[]; next: SignInAnswer }
    expect(recoveryCodes).toHaveLength(10)
    expect(entered(next).user.mfa).toEqual({ enrolled: true, methods: ['totp', 'recovery'] })
  })

  test('is as content with a passkey', async () => {
    const person = await somebody('admin', await organizationWith('required'))
    const headers = withFlow(await enterAs(person, 'mfa_enrollment_required'))
    const { options, flowToken } = await ask(server.call, 'register', headers)
    const body = { credential: softAuthenticator().create(options) }
    const done = await server.call(factors.verifyPasskey, { body, headers: withFlow(flowToken) })
    expect(done.body).toMatchObject({ status: 'mfa_enrolled', next: { status: 'authenticated' } })
  })

  test('gives a waiting enrolment no right over a factor that was set up meanwhile', async () => {
    const person = await somebody('admin', await organizationWith('required'))
    const waiting = withFlow(await enterAs(person, 'mfa_enrollment_required'))
    const { secret } = (await server.call(factors.startTotp, { headers: waiting })).body
    await addApp(person)
    const body = { code: appCode(secret) }
    const answer = await server.call(verifyAuthCode, { body, headers: waiting })
    expect(answer.problem?.code).toBe('flow_expired')
    expect((await server.call(factors.startTotp, { headers: waiting })).problem?.code).toBe('flow_expired')
  })

  test('keeps the last factor, whichever it is', async () => {
    const person = await somebody('admin', await organizationWith('required'))
    await addApp(person)
    expect((await person.call(factors.readFactors)).body.required).toBe(true)
    expect((await person.call(factors.removeTotp)).problem?.code).toBe('conflict')
    await addPasskey(person)
    expect((await person.call(factors.removeTotp)).status).toBe(200)
    const [passkey] = (await person.call(factors.readFactors)).body.passkeys
    const params = { passkeyId: passkey?.id ?? '' }
    expect((await person.call(factors.removePasskey, { params })).problem?.code).toBe('conflict')
    expect((await person.call(factors.readFactors)).body).toMatchObject({ totp: null, recoveryCodesLeft: 10 })
  })

  test('keeps one of two that are removed at once', async () => {
    const person = await somebody('admin', await organizationWith('required'))
    await addApp(person)
    await addPasskey(person)
    const [passkey] = (await person.call(factors.readFactors)).body.passkeys
    const params = { passkeyId: passkey?.id ?? '' }
    const answers = await Promise.all([
      person.call(factors.removeTotp),
      person.call(factors.removePasskey, { params }),
    ])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409])
  })

  test('tells superadmins whom a stricter one would ask', async () => {
    const before = (await superadmin.call(readSecurity)).body.withoutFactor
    await addApp(await somebody('groupadmin'))
    await somebody('groupadmin')
    await somebody('admin')
    await server.person(null, await server.organization())
    expect((await superadmin.call(readSecurity)).body.withoutFactor).toEqual({
      admins: before.admins + 1,
      everyone: before.everyone + 2,
    })
  })
})

describe('changing one’s factors', () => {
  const changes = [factors.removeTotp, factors.renewRecoveryCodes] as const
  test.each(changes.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s needs a session that was just proved',
    async (_name, endpoint) => {
      const person = await somebody()
      await addApp(person)
      await change('update sessions set reauthenticated_at = null where user_id = $1', [person.id])
      expect((await person.call(endpoint)).problem?.code).toBe('reauthentication_required')
    },
  )

  test('removing the last one ends the recovery codes too, and is told by mail', async () => {
    const person = await somebody()
    await addApp(person)
    expect((await person.call(factors.removeTotp)).status).toBe(200)
    expect((await person.call(factors.removeTotp)).status).toBe(200)
    expect((await person.call(factors.readFactors)).body).toMatchObject({ totp: null, recoveryCodesLeft: 0 })
    expect((await enter(person)).status).toBe('authenticated')
    const notified = (await mailsTo(person)).filter(({ subject }) => subject.includes('was removed'))
    expect(notified).toHaveLength(1)
  })
})

describe('an administrator resets the factors of somebody', () => {
  const resetFor = (reason: string) => (actor: Person, target: { id: string }, orgId: string) =>
    actor.call(factors.resetFactors, { params: { orgId, userId: target.id }, body: { reason } })
  const reset = resetFor('Lost the phone')

  test.each([
    ['superadmin', 'admin', 200],
    ['superadmin', 'groupadmin', 200],
    ['superadmin', null, 409],
    ['admin', 'admin', 200],
    ['admin', 'groupadmin', 200],
    ['admin', null, 409],
    ['groupadmin', 'groupadmin', 403],
    ['groupadmin', 'admin', 403],
  ] as const)('%s, of %s: %i', async (role, targetRole, status) => {
    const orgId = await server.organization()
    const actor = await somebody(role, role === 'superadmin' ? null : orgId)
    await addApp(actor)
    const target = targetRole === null ? await server.person(null, orgId) : await somebody(targetRole, orgId)
    if (targetRole !== null) await addApp(target)
    expect((await reset(actor, target, orgId)).status).toBe(status)
    const left = await change('select 1 from totp_factors where user_id = $1', [target.id])
    expect(left.rows).toHaveLength(targetRole === null || status === 200 ? 0 : 1)
  })

  test('takes app, passkeys and codes away, ends sessions and half-way sign-ins, and says why', async () => {
    const orgId = await organizationWith('required')
    const actor = await somebody('admin', orgId)
    await addApp(actor)
    const target = await somebody('groupadmin', orgId)
    const { secret, recoveryCodes } = await addApp(target)
    await addPasskey(target)
    const flowToken = await enterAs(target, 'mfa_required')
    const answer = await resetFor('Phone fell into the sea')(actor, target, orgId)
    expect(answer.body).toEqual({ sessionsRevoked: 1 })
    expect((await target.call(readSession)).status).toBe(401)
    for (const code of [appCode(secret), recoveryCodes[0] ?? '']) {
      const attempt = { body: { code }, headers: { ...withFlow(flowToken), ...network() } }
      expect((await server.call(verifyAuthCode, attempt)).problem?.code).toBe('flow_expired')
    }
    expect((await enter(target)).status).toBe('mfa_enrollment_required')
    const mail = (await mailsTo(target)).at(-1)
    expect(mail?.subject).toBe('Your second step was reset – Sendreel')
    expect(mail?.text).toContain('Phone fell into the sea')
    expect(await auditOf(target)).toContain('user.factors_reset')
    const stored = await change(`select end_reason from sessions where user_id = $1`, [target.id])
    expect(stored.rows).toEqual([{ end_reason: 'factor_reset' }])
  })

  test('only after a second step of their own in this session, which was just proved', async () => {
    const orgId = await server.organization()
    const target = await somebody('admin', orgId)
    await addApp(target)
    const actor = await somebody('admin', orgId)
    const without = await reset(actor, target, orgId)
    expect(without.problem).toMatchObject({ code: 'conflict' })
    expect(without.problem?.detail).toContain('Set up a second step for your own account')
    await addApp(actor)
    await change(`update sessions set amr = '{pwd}' where user_id = $1`, [actor.id])
    expect((await reset(actor, target, orgId)).problem?.detail).toContain('sign in again')
    await change(`update sessions set amr = '{pwd,otp}', reauthenticated_at = null where user_id = $1`, [
      actor.id,
    ])
    expect((await reset(actor, target, orgId)).problem?.code).toBe('reauthentication_required')
    await change(`update sessions set reauthenticated_at = now() where user_id = $1`, [actor.id])
    expect((await reset(actor, target, orgId)).status).toBe(200)
    expect((await reset(actor, target, orgId)).problem?.code).toBe('conflict')
  })

  test('never their own, never in another organization, never without a reason', async () => {
    const orgId = await server.organization()
    const actor = await somebody('admin', orgId)
    await addApp(actor)
    expect((await reset(actor, actor, orgId)).problem?.code).toBe('conflict')
    const stranger = await somebody('admin')
    await addApp(stranger)
    expect((await reset(actor, stranger, orgId)).status).toBe(404)
    expect((await reset(actor, stranger, stranger.organizationId ?? '')).status).toBe(404)
    expect((await resetFor('  ')(actor, stranger, orgId)).status).toBe(422)
  })
})
