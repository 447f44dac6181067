import { TOTP, URI } from 'otpauth'
import { describe, expect, test, vi } from 'vitest'
import {
  forgotPassword,
  login,
  readSession,
  resetPassword,
  verifyAuthCode,
  verifyToken,
} from '#contract/identity/auth.ts'
import { readFactors, startTotp } from '#contract/identity/factors.ts'
import { updateUser } from '#contract/directory/users.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { appCode, factorTests, password, withFlow, wrongCode } from '../../testing/sign-in/factors.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

const { change, network, somebody, enter, enterAs, addApp, letAppRest, mailsTo, auditOf } = factorTests(
  () => server,
)

const verify = (code: string, flowToken: string, headers = network()) =>
  server.call(verifyAuthCode, { body: { code }, headers: { ...withFlow(flowToken), ...headers } })

/** Somebody with an app, at the second step. */
async function atSecondStep(): Promise<{ person: Person; secret: string; flowToken: string }> {
  const person = await somebody()
  const { secret } = await addApp(person)
  return { person, secret, flowToken: await enterAs(person, 'mfa_required') }
}

describe('setting up an app', () => {
  test('gives a secret of 160 bits and an address that every app reads', async () => {
    const person = await somebody()
    const { secret, otpauthUri } = (await person.call(startTotp)).body
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    const read = URI.parse(otpauthUri)
    expect(read).toBeInstanceOf(TOTP)
    expect(read).toMatchObject({
      issuer: 'Sendreel',
      label: person.email,
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
    })
    expect(read.secret.base32).toBe(secret)
  })

  test('is finished by the first good code, with ten recovery codes, and a mail', async () => {
    const person = await somebody()
    const { secret, flowToken } = (await person.call(startTotp)).body
    expect((await person.call(readFactors)).body.totp).toBeNull()
    const wrong = await person.call(verifyAuthCode, {
      body: { code: wrongCode(secret) },
      headers: withFlow(flowToken),
    })
    expect(wrong.problem).toMatchObject({ status: 401, code: 'invalid_code' })
    expect(wrong.problem?.detail).toContain('4 tries')
    expect(entered(await enter(person)).user.mfa).toEqual({ enrolled: false, methods: [] })
    const done = await person.call(verifyAuthCode, {
      body: { code: appCode(secret) },
      headers: withFlow(flowToken),
    })
    expect(done.body).toMatchObject({ status: 'mfa_enrolled', next: null })
    const { recoveryCodes } = done.body as { recoveryCodes: string[] }
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes)
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){5}$/)
    expect((await person.call(readFactors)).body).toMatchObject({
      totp: { lastUsedAt: null },
      recoveryCodesLeft: 10,
    })
    expect((await person.call(readSession)).body.user.mfa).toEqual({
      enrolled: true,
      methods: ['totp', 'recovery'],
    })
    expect((await mailsTo(person)).map(({ subject }) => subject)).toContain(
      'An authenticator app was added – Sendreel',
    )
    expect(await auditOf(person)).toContain('auth.factor_added')
  })

  test('keeps the secret sealed, bound to its owner', async () => {
    const person = await somebody()
    const { secret } = await addApp(person)
    const stored = await change(
      `select t::text as row from totp_factors t where user_id = $1 union all
       select f::text from flows f where user_id = $1`,
      [person.id],
    )
    expect(JSON.stringify(stored.rows)).not.toContain(secret)
    const other = await somebody()
    await change(
      'insert into totp_factors select $2, secret_sealed, 0 from totp_factors where user_id = $1',
      [person.id, other.id],
    )
    const flowToken = await enterAs(other, 'mfa_required')
    expect((await verify(appCode(secret), flowToken)).status).toBe(500)
  })

  test('needs somebody signed in who has just proved it, or the flow of a sign-in', async () => {
    expect((await server.call(startTotp)).problem?.code).toBe('unauthenticated')
    const headers = withFlow('x'.repeat(43))
    expect((await server.call(startTotp, { headers })).problem?.code).toBe('flow_expired')
    const person = await somebody()
    await change(
      `update sessions set reauthenticated_at = now() - interval '11 minutes' where user_id = $1`,
      [person.id],
    )
    expect((await person.call(startTotp)).problem?.code).toBe('reauthentication_required')
    await change('update sessions set locked_at = now() where user_id = $1', [person.id])
    expect((await person.call(startTotp)).problem?.code).toBe('session_locked')
  })

  test('goes on only in the session that began it', async () => {
    const person = await somebody()
    const { secret, flowToken } = (await person.call(startTotp)).body
    const attempt = { body: { code: appCode(secret) }, headers: withFlow(flowToken) }
    expect((await server.call(verifyAuthCode, attempt)).problem?.code).toBe('flow_expired')
    expect((await (await somebody()).call(verifyAuthCode, attempt)).problem?.code).toBe('flow_expired')
    expect((await person.call(verifyAuthCode, attempt)).status).toBe(200)
    expect((await person.call(verifyAuthCode, attempt)).problem?.code).toBe('flow_expired')
  })

  test('gives the same secret again within one flow, and replaces a former app only when a code was seen', async () => {
    const person = await somebody()
    const former = await addApp(person)
    const begun = (await person.call(startTotp)).body
    const again = (await person.call(startTotp, { headers: withFlow(begun.flowToken) })).body
    expect(again).toEqual(begun)
    expect((await verify(appCode(former.secret), await enterAs(person, 'mfa_required'))).status).toBe(200)
    const body = { code: appCode(begun.secret) }
    const done = await person.call(verifyAuthCode, { body, headers: withFlow(begun.flowToken) })
    expect(done.body).toMatchObject({ status: 'mfa_enrolled', recoveryCodes: [] })
    await letAppRest(person)
    const flowToken = await enterAs(person, 'mfa_required')
    expect((await verify(appCode(former.secret), flowToken)).status).toBe(401)
    expect((await verify(appCode(begun.secret), flowToken)).status).toBe(200)
  })
})

describe('the second step', () => {
  test('asks for the app after the password, and its code completes the sign-in', async () => {
    const person = await somebody()
    const { secret } = await addApp(person)
    const answer = await enter(person)
    expect(answer).toMatchObject({ status: 'mfa_required', methods: ['totp', 'recovery'] })
    const { flowToken } = answer as { flowToken: string }
    const code = appCode(secret)
    const session = entered((await verify(`${code.slice(0, 3)} ${code.slice(3)}`, flowToken)).body)
    expect(session.user).toMatchObject({ id: person.id, mfa: { enrolled: true } })
    const stored = await change('select amr from sessions where user_id = $1 order by id desc limit 1', [
      person.id,
    ])
    expect(stored.rows).toEqual([{ amr: ['pwd', 'otp'] }])
    expect(await auditOf(person)).toContain('auth.second_step')
  })

  test('is the same by verify-token, for the address of the flow only', async () => {
    const { person, secret, flowToken } = await atSecondStep()
    const body = { identifier: person.email, code: appCode(secret), methodType: 'totp' as const }
    const headers = withFlow(flowToken)
    const other = { ...body, identifier: (await somebody()).email }
    expect((await server.call(verifyToken, { body: other, headers })).problem?.code).toBe('invalid_code')
    const recovery = { ...body, methodType: 'recovery' as const }
    expect((await server.call(verifyToken, { body: recovery, headers })).problem?.code).toBe('invalid_code')
    const mailed = { ...body, methodType: 'email' as const }
    expect((await server.call(verifyToken, { body: mailed, headers })).problem?.code).toBe('flow_expired')
    expect((await server.call(verifyToken, { body, headers })).body.status).toBe('authenticated')
  })

  test('remembers on wish, which was told with the password', async () => {
    const person = await somebody()
    const { secret } = await addApp(person)
    const body = { identifier: person.email, password, remember: true }
    const first = (await server.call(login, { body, headers: network() })).body as { flowToken: string }
    const session = entered((await verify(appCode(secret), first.flowToken)).body)
    expect((Date.parse(session.expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 1)
  })

  test('takes the codes of this half minute and the one before, and none of another time', async () => {
    const { secret, flowToken } = await atSecondStep()
    await vi.waitFor(() => expect((Date.now() / 1_000) % 30).toBeLessThan(25), { timeout: 6_000 })
    for (const ago of [2, -1]) expect((await verify(appCode(secret, ago), flowToken)).status).toBe(401)
    expect((await verify(appCode(secret, 1), flowToken)).status).toBe(200)
  })

  test('never takes a code twice, nor an earlier one after a later one', async () => {
    const { person, secret, flowToken } = await atSecondStep()
    const earlier = appCode(secret, 1)
    const code = appCode(secret)
    expect((await verify(code, flowToken)).status).toBe(200)
    const again = await enterAs(person, 'mfa_required')
    expect((await verify(code, again)).status).toBe(401)
    expect((await verify(earlier, again)).status).toBe(401)
  })

  test('lets one in of two with the same code at once, in one flow and in two', async () => {
    const { person, secret, flowToken } = await atSecondStep()
    const code = appCode(secret)
    const sameFlow = await Promise.all([verify(code, flowToken), verify(code, flowToken)])
    expect(sameFlow.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410])
    await letAppRest(person)
    const flows = [await enterAs(person, 'mfa_required'), await enterAs(person, 'mfa_required')]
    const twoFlows = await Promise.all(flows.map((token) => verify(appCode(secret), token)))
    expect(twoFlows.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401])
  })

  test('belongs to the flow of its own person', async () => {
    const one = await atSecondStep()
    const other = await atSecondStep()
    expect((await verify(appCode(one.secret), other.flowToken)).status).toBe(401)
    expect((await verify(appCode(one.secret), 'y'.repeat(43))).problem?.code).toBe('flow_expired')
    const headers = withFlow(one.flowToken)
    const body = { password, code: appCode(one.secret), identifier: one.person.email }
    expect((await server.call(resetPassword, { body, headers })).problem?.code).toBe('flow_expired')
  })

  test.each([
    ['the person is removed', `update users set deleted_at = now(), state = 'deleted' where id = $1`],
    [
      'the organization is suspended',
      `update organizations set state = 'suspended' where id =
      (select organization_id from users where id = $1)`,
    ],
    ['ten minutes pass', `update flows set expires_at = now() where user_id = $1`],
  ])('ends when %s', async (_what, statement) => {
    const { person, secret, flowToken } = await atSecondStep()
    await change(statement, [person.id])
    expect((await verify(appCode(secret), flowToken)).problem?.code).toBe('flow_expired')
  })

  test('ends when the password changes', async () => {
    const { person, secret, flowToken } = await atSecondStep()
    const asked = await server.call(forgotPassword, {
      body: { identifier: person.email },
      headers: network(),
    })
    const mail = await vi.waitFor(async () => {
      const found = (await mailsTo(person)).find(({ subject }) => subject.includes('code for a new password'))
      expect(found).toBeDefined()
      return found
    })
    const code = /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? ''
    const body = { identifier: person.email, code, password: 'nine dry cats on a roof' }
    const done = await server.call(resetPassword, { body, headers: withFlow(asked.body.flowToken) })
    expect(done.status).toBe(200)
    expect((await verify(appCode(secret), flowToken)).problem?.code).toBe('flow_expired')
    const anew = { identifier: person.email, password: body.password }
    const next = await server.call(login, { body: anew, headers: network() })
    expect(next.body.status).toBe('mfa_required')
  })

  test('ends when an administrator switches the person off', async () => {
    const { person, secret, flowToken } = await atSecondStep()
    const admin = await server.person('admin', person.organizationId)
    const params = { orgId: person.organizationId ?? '', userId: person.id }
    const body = { name: 'Somebody', email: person.email, state: 'disabled' as const }
    expect((await admin.call(updateUser, { params, body })).status).toBe(200)
    expect((await verify(appCode(secret), flowToken)).problem?.code).toBe('flow_expired')
  })
})

describe('guessing', () => {
  test('has five tries in a flow, also for twenty at once', async () => {
    const { secret, flowToken } = await atSecondStep()
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(wrongCode(secret), flowToken)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(15)
    expect((await verify(appCode(secret), flowToken)).problem?.code).toBe('flow_expired')
  })

  test('has ten tries an hour, whatever the number of flows, and then even the right code waits', async () => {
    const person = await somebody()
    const { secret, recoveryCodes } = await addApp(person)
    const flows: string[] = []
    for (let n = 0; n < 5; n += 1) flows.push(await enterAs(person, 'mfa_required'))
    const answers = await Promise.all(
      flows.flatMap((token) => Array.from({ length: 4 }, () => verify(wrongCode(secret), token))),
    )
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
    const right = await verify(appCode(secret), await enterAs(person, 'mfa_required'))
    expect(right.problem).toMatchObject({ code: 'too_many_requests' })
    expect(right.problem?.retryAfter).toBeGreaterThan(0)
    const recovery = await verify(recoveryCodes[0] ?? '', await enterAs(person, 'mfa_required'))
    expect(recovery.body.status).toBe('authenticated')
  })

  test('uses nothing up with codes that are right', async () => {
    const person = await somebody()
    const { secret } = await addApp(person)
    for (let n = 0; n < 12; n += 1) {
      await letAppRest(person)
      const answer = await verify(appCode(secret), await enterAs(person, 'mfa_required'))
      expect(answer.status).toBe(200)
    }
  })
})
