import { describe, expect, test, vi } from 'vitest'
import {
  forgotPassword,
  login,
  readSession,
  resetPassword,
  sendVerification,
  verifyAuthCode,
  verifyToken,
  type CodeSent,
} from '#contract/identity/auth.ts'
import { listOutbox, type OutboxMail } from '#contract/platform/system.ts'
import { hashPassword } from '../password/hash.ts'
import type { Person, TestServer } from '../../testing/server.ts'
import { until } from '../../testing/until.ts'
import { aServer } from '../../testing/worlds.ts'

const password = 'seven wet dogs in a boat'

const server = await aServer()
const superadmin = await server.person('superadmin')
const organizationId = await server.organization()
const former = await hashPassword('a password of former times')

const change = (statement: string, values: unknown[] = []) =>
  server.services.db.system.query(statement, values)
let networks = 0
const network = () => {
  networks += 1
  return { 'x-forwarded-for': `10.30.${networks}.7` }
}
/** Somebody who has chosen a password before. */
async function owner(home = organizationId): Promise<Person> {
  const person = await server.person('admin', home)
  await change('update users set password_hash = $2 where id = $1', [person.id, former])
  return person
}
const flow = (flowToken: string) => ({ 'x-auth-flow': flowToken })

async function mailsTo(address: string): Promise<OutboxMail[]> {
  return (await superadmin.call(listOutbox, { query: { q: address } })).body.items
}
const codeIn = (mail: OutboxMail | undefined) => /^ {4}(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? ''

/** The code as the person reads it in the nth mail. */
async function mailedCode(address: string, nth = 1): Promise<string> {
  const mails = await vi.waitFor(async () => {
    const found = await mailsTo(address)
    expect(found.length).toBeGreaterThanOrEqual(nth)
    return found
  })
  return codeIn(mails[0])
}

async function forgot(identifier: string): Promise<CodeSent> {
  const answer = await server.call(forgotPassword, { body: { identifier }, headers: network() })
  expect(answer.status).toBe(202)
  return answer.body
}
const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000')
const verify = (identifier: string, code: string, flowToken: string) =>
  server.call(verifyToken, { body: { identifier, code, methodType: 'email' }, headers: flow(flowToken) })
const reset = (flowToken: string, given = password, more: { identifier?: string; code?: string } = {}) =>
  server.call(resetPassword, { body: { password: given, ...more }, headers: flow(flowToken) })
const enter = (identifier: string, given: string) =>
  server.call(login, { body: { identifier, password: given }, headers: network() })

/** Somebody who has asked for a new password and typed the mailed code. */
async function verified(): Promise<{ person: Person; flowToken: string; code: string }> {
  const person = await owner()
  const { flowToken } = await forgot(person.email)
  const code = await mailedCode(person.email)
  const answer = await verify(person.email, code, flowToken)
  expect(answer.body).toMatchObject({ status: 'verified', purpose: 'reset_password' })
  return { person, code, flowToken: (answer.body as { flowToken: string }).flowToken }
}

test('a forgotten password: code by mail, new password, every session ends, sign in with the new one', async () => {
  const { person, flowToken } = await verified()
  const done = await reset(flowToken)
  expect(done.body).toEqual({ status: 'password_reset', sessionsRevoked: 1, next: 'sign-in' })
  expect((await person.call(readSession)).status).toBe(401)
  expect((await enter(person.email, password)).status).toBe(200)
  const subjects = (await mailsTo(person.email)).map((mail) => mail.subject)
  expect(subjects).toEqual([
    'New sign-in – Sendreel',
    'Your password was changed – Sendreel',
    'Your code for a new password – Sendreel',
  ])
  const entries = await change(`select action from audit where entity_id = $1 order by id`, [person.id])
  expect(entries.rows).toEqual([{ action: 'auth.reset_password' }, { action: 'auth.sign_in' }])
})

test('address, code and password in one call', async () => {
  const person = await owner()
  await change(`update users set state = 'invited' where id = $1`, [person.id])
  const { flowToken } = await forgot(person.email)
  const code = await mailedCode(person.email)
  expect((await reset(flowToken, password, { identifier: 'other@example.test', code })).status).toBe(401)
  expect((await reset(flowToken, password, { identifier: person.email, code })).status).toBe(200)
  expect((await reset(flowToken, password, { identifier: person.email, code })).status).toBe(410)
  const state = await change('select state from users where id = $1', [person.id])
  expect(state.rows).toEqual([{ state: 'active' }])
})

test('mails a friendly text with the code in both forms', async () => {
  const person = await owner()
  await forgot(person.email)
  const code = await mailedCode(person.email)
  const [mail] = await mailsTo(person.email)
  expect(mail?.subject).toBe('Your code for a new password – Sendreel')
  expect(mail?.text).toContain('You asked for a new password.')
  expect(mail?.html).toContain(`>${code}</p>`)
})

describe('asking for a code tells nobody who exists', () => {
  const people: Record<string, () => Promise<string>> = {
    somebody: async () => (await owner()).email,
    nobody: async () => 'nobody-here@example.test',
    'somebody who only receives': async () => (await server.person(null, organizationId)).email,
    'somebody who is switched off': async () => {
      const person = await owner()
      await change(`update users set state = 'disabled' where id = $1`, [person.id])
      return person.email
    },
    'somebody of a suspended organization': async () => {
      const suspended = await server.organization()
      await change(`update organizations set state = 'suspended' where id = $1`, [suspended])
      return (await owner(suspended)).email
    },
  }
  test.each(Object.keys(people))('%s', async (who) => {
    const identifier = (await people[who]?.()) ?? ''
    const sent = await forgot(identifier)
    expect(sent).toEqual({
      status: 'sent',
      flowToken: expect.stringMatching(/^[\w-]{43}$/),
      maskedDestination: `${identifier[0]}•••@example.test`,
      codeLength: 6,
      expiresAt: expect.any(String),
      resendAfter: 30,
      rests: true,
    })
    expect((Date.parse(sent.expiresAt) - Date.now()) / 60_000).toBeCloseTo(10, 0)
    if (who === 'somebody') await until(async () => (await mailsTo(identifier)).length > 0)
    else await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await mailsTo(identifier)).toHaveLength(who === 'somebody' ? 1 : 0)
    const code = codeIn((await mailsTo(identifier))[0])
    const guess = await verify(identifier, wrongCode(code), sent.flowToken)
    expect(guess.problem).toMatchObject({ code: 'invalid_code', detail: expect.stringContaining('4 tries') })
  })
})

describe('a code', () => {
  test('has five tries; even the right one comes too late then', async () => {
    const person = await owner()
    const { flowToken } = await forgot(person.email)
    const code = await mailedCode(person.email)
    for (let n = 4; n >= 0; n -= 1) {
      const answer = await verify(person.email, wrongCode(code), flowToken)
      expect(answer.status).toBe(401)
      expect(answer.problem?.detail).toContain(n === 0 ? 'No tries are left' : `${n} tr`)
    }
    expect((await verify(person.email, code, flowToken)).problem?.code).toBe('flow_expired')
  })

  test('has no more tries when they come at once', async () => {
    const person = await owner()
    const { flowToken } = await forgot(person.email)
    const code = await mailedCode(person.email)
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => verify(person.email, wrongCode(code), flowToken)),
    )
    expect(tries.filter((answer) => answer.status === 401)).toHaveLength(5)
    expect(tries.filter((answer) => answer.status === 410)).toHaveLength(15)
  })

  test('works once', async () => {
    const person = await owner()
    const { flowToken } = await forgot(person.email)
    const code = await mailedCode(person.email)
    const both = await Promise.all([1, 2].map(() => verify(person.email, code, flowToken)))
    expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 410])
    expect((await verify(person.email, code, flowToken)).status).toBe(410)
  })

  test('ends after ten minutes', async () => {
    const person = await owner()
    const { flowToken } = await forgot(person.email)
    const code = await mailedCode(person.email)
    await change(`update flows set expires_at = now() where identifier = $1`, [person.email])
    expect((await verify(person.email, code, flowToken)).problem?.code).toBe('flow_expired')
  })

  test('is worthless without the flow that asked for it, for another address, and after a newer one', async () => {
    const [person, other] = [await owner(), await owner()]
    const first = await forgot(person.email)
    const code = await mailedCode(person.email)
    const foreign = await forgot(other.email)
    expect((await verify(person.email, code, foreign.flowToken)).status).toBe(401)
    expect((await verify(other.email, code, first.flowToken)).status).toBe(401)
    const body = { identifier: person.email, code, methodType: 'email' as const }
    expect((await server.call(verifyToken, { body })).status).toBe(410)
    await change('delete from attempts')
    await forgot(person.email)
    expect((await verify(person.email, code, first.flowToken)).status).toBe(410)
  })

  test('completes the pending flow of whoever holds it, without the address', async () => {
    const person = await owner()
    const sent = await server.call(sendVerification, {
      body: { identifier: person.email, methodType: 'email' },
      headers: network(),
    })
    const code = await mailedCode(person.email)
    const headers = flow(sent.body.flowToken)
    expect((await server.call(verifyAuthCode, { body: { code: wrongCode(code) }, headers })).status).toBe(401)
    const answer = await server.call(verifyAuthCode, { body: { code }, headers })
    expect(answer.body).toMatchObject({ status: 'verified', purpose: 'confirm_email' })
    const { flowToken } = answer.body as { flowToken: string }
    expect((await reset(flowToken)).problem?.code).toBe('flow_expired')
  })
})

describe('limits', () => {
  const ask = (identifier: string, headers = network()) =>
    server.call(forgotPassword, { body: { identifier }, headers })

  test('one code in thirty seconds and five an hour for an address', async () => {
    const identifier = 'limits@example.test'
    for (let n = 0; n < 5; n += 1) {
      expect((await ask(identifier)).status).toBe(202)
      const soon = await ask(identifier)
      expect(soon.status).toBe(429)
      expect(soon.problem?.retryAfter).toBeGreaterThan(0)
      await change('update attempts set blocked_until = null')
    }
    expect((await ask(identifier)).status).toBe(429)
  })

  test('twenty codes an hour for a network', async () => {
    const headers = network()
    for (let n = 0; n < 20; n += 1) expect((await ask(`n-${n}@example.test`, headers)).status).toBe(202)
    expect((await ask('one-more@example.test', headers)).status).toBe(429)
  })
})

describe('sending a code', () => {
  const send = (by: Pick<TestServer, 'call'>, identifier: string, purpose: 'login' | 'step_up') =>
    by.call(sendVerification, { body: { identifier, methodType: 'email', purpose }, headers: network() })

  test('for signing in says that this is switched off', async () => {
    const answer = await send(server, superadmin.email, 'login')
    expect(answer.problem).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('switched off'),
    })
  })

  test('for a change of importance goes to the own address of a signed-in person only', async () => {
    const person = await owner()
    expect((await send(server, person.email, 'step_up')).status).toBe(401)
    expect(await send(person, superadmin.email, 'step_up')).toMatchObject({
      status: 403,
      problem: { detail: 'A code for this goes to the address of your own account only.' },
    })
    const sent = await send(person, person.email, 'step_up')
    expect(sent.status).toBe(202)
    const code = await mailedCode(person.email)
    expect((await verify(person.email, code, sent.body.flowToken)).body).toMatchObject({ purpose: 'step_up' })
  })
})

describe('a new password', () => {
  const refused: Record<string, { given: string; reason: string }> = {
    'that is short': { given: 'fourteen chars', reason: 'password_too_short' },
    'that is long': { given: 'ö'.repeat(250) + ' 1234567', reason: 'password_too_long' },
    'that is common': { given: '1qaz2wsx3edc4rfv', reason: 'password_too_common' },
    'that is a common one, repeated': { given: 'dragondragondragon', reason: 'password_too_common' },
    'that is a common one, filled up': { given: 'Password1234567!', reason: 'password_too_common' },
    'that is a row of keys': { given: '123456789012345', reason: 'password_too_common' },
    'that is one letter': { given: 'aaaaaaaaaaaaaaaa', reason: 'password_too_common' },
    'that is the address': { given: 'EMAIL', reason: 'password_contains_identity' },
    'that is the name, filled up': { given: 'Maximiliana_Ek-2026', reason: 'password_contains_identity' },
    'that is the product': { given: 'Sendreel Sendreel', reason: 'password_contains_identity' },
    'that is the present one': { given: password, reason: 'password_same_as_current' },
  }
  test('is refused with the reason, and the step stays open for a better one', async () => {
    const first = await verified()
    await change(`update users set name = 'Maximiliana Ek' where id = $1`, [first.person.id])
    await reset(first.flowToken)
    await change('delete from attempts')
    const { flowToken } = await forgot(first.person.email)
    const code = await mailedCode(first.person.email, 3)
    const next = await verify(first.person.email, code, flowToken)
    const token = (next.body as { flowToken: string }).flowToken
    for (const [name, { given, reason }] of Object.entries(refused)) {
      const answer = await reset(token, given === 'EMAIL' ? first.person.email : given)
      expect([name, answer.status, answer.problem?.code]).toEqual([name, 422, 'password_rejected'])
      expect([name, answer.problem?.fields?.['password']]).toEqual([name, expect.arrayContaining([reason])])
    }
    expect((await reset(token, 'a dragon reads the morning paper')).status).toBe(200)
  })

  test('is taken byte for byte, up to 256 characters of any kind', async () => {
    const { person, flowToken } = await verified()
    const odd = ` ${Array.from({ length: 254 }, (_, n) => String.fromCodePoint(0x1f_400 + n)).join('')} `
    expect((await reset(flowToken, odd)).status).toBe(200)
    const stored = await change('select password_hash as hash from users where id = $1', [person.id])
    expect(stored.rows).toEqual([{ hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) }])
    expect((await enter(person.email, odd.trim())).status).toBe(401)
    expect((await enter(person.email, odd)).status).toBe(200)
  })

  test('needs a verified flow, fresh and unused', async () => {
    const { person, flowToken } = await verified()
    expect((await server.call(resetPassword, { body: { password } })).status).toBe(410)
    expect((await reset('x'.repeat(43))).status).toBe(410)
    const unverified = await forgot('someone@example.test')
    expect((await reset(unverified.flowToken)).status).toBe(410)
    const both = await Promise.all([reset(flowToken, `${password} 1`), reset(flowToken, `${password} 2`)])
    expect(both.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 410])
    const late = await verified()
    await change(`update flows set expires_at = now() where identifier = $1`, [late.person.email])
    expect((await reset(late.flowToken)).status).toBe(410)
    const disabled = await verified()
    await change(`update users set state = 'disabled' where id = $1`, [disabled.person.id])
    expect((await reset(disabled.flowToken)).status).toBe(410)
    expect(person.email).toContain('@')
  })
})
