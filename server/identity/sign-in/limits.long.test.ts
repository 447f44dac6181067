import { describe, expect, test } from 'vitest'
import { forgotPassword, login, resetPassword, verifyPassword, verifyToken } from '#contract/identity/auth.ts'
import { setUp } from '#contract/identity/setup.ts'
import { startHousekeeping } from '../../housekeeping.ts'
import { countGuess, passwordLimits, returnPassword } from '../limit.ts'
import { browserOf, identities, network, password, said } from '../../testing/sign-in/identities.ts'
import { startTestServer, type Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const are = identities(server)

/** Somebody and the browser that they have signed in with. */
async function atHome(): Promise<{ person: Person; home: Record<string, string> }> {
  const person = await are.somebody()
  const answer = await are.enter(person.email)
  return { person, home: { ...network(), ...browserOf(answer) } }
}
const guess = (email: string, headers = network()) => are.enter(email, 'wrong', headers)
const atOnce = <T>(n: number, ask: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => ask(i)))
const count = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length
const pass = (minutes: number) =>
  are.change(
    `update attempts set window_start = window_start - make_interval(mins => $1), blocked_until = null
      where window_start <> 'infinity'`,
    [minutes],
  )
/** As if the clock of the database had been set back. */
const setBack = (minutes: number) =>
  are.change(
    `update attempts set window_start = window_start + make_interval(mins => $1),
        blocked_until = blocked_until + make_interval(mins => $1) where window_start <> 'infinity'`,
    [minutes],
  )
/** As if an hour had passed; what lasts stays. */
const laterOn = () => are.change(`delete from attempts where window_start <> 'infinity'`)

test('a clock that is set back makes nobody wait longer', async () => {
  const { email } = await are.somebody()
  const here = network()
  for (let n = 0; n < 5; n++) await guess(email, here)
  expect((await are.enter(email, password, here)).status).toBe(429)
  await setBack(10)
  expect((await are.enter(email, password, here)).status).toBe(200)
})

describe('the browser', () => {
  test('gets a name that no script sees, and keeps it', async () => {
    const { email } = await are.somebody()
    const first = await are.enter(email)
    expect(first.headers['set-cookie']).toMatch(
      /^device=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const again = await are.enter(email, password, { ...network(), ...browserOf(first) })
    expect(browserOf(again)).toEqual(browserOf(first))
    const stored = await are.change('select d::text as row from devices d')
    expect(JSON.stringify(stored.rows)).not.toContain(browserOf(first)['cookie']?.slice(7))
  })

  test('gets none before the sign-in is complete, nor when it fails', async () => {
    const { id, email } = await are.somebody()
    expect((await guess(email)).headers['set-cookie']).toBeUndefined()
    await are.giveFactor(id)
    const half = await are.enter(email)
    expect([half.body.status, half.headers['set-cookie']]).toEqual(['mfa_required', undefined])
  })

  test('is told about when it is a new one, and only then', async () => {
    const person = await are.somebody()
    await are.change('delete from sessions where user_id = $1', [person.id])
    const first = await are.enter(person.email)
    expect(await are.subjectsTo(person.email)).toEqual([])
    await are.enter(person.email, password, { ...network(), ...browserOf(first) })
    expect(await are.subjectsTo(person.email)).toEqual([])
    const headers = {
      'x-forwarded-for': '203.0.113.77',
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
    }
    await atOnce(2, () =>
      are.enter(person.email, password, {
        ...headers,
        ...browserOf(first),
        cookie: `device=${'n'.repeat(43)}`,
      }),
    )
    const [mail, ...more] = await are.mailsTo(person.email)
    expect([mail?.subject, more]).toEqual(['New sign-in – Sendreel', []])
    expect(mail?.text).toContain('Firefox on Windows')
    expect(mail?.text).toContain('203.0.113.0/24')
    expect(mail?.text).not.toContain('203.0.113.77')
  })

  test('counts for its own people only', async () => {
    const { home } = await atHome()
    const other = await are.somebody()
    const tries = await atOnce(7, () => guess(other.email, home))
    expect(count(tries, 401)).toBe(5)
    const elsewhere = { ...home, ...network() }
    expect((await are.enter(other.email, password, elsewhere)).status).toBe(200)
    expect((await are.mailsTo(other.email)).length).toBe(1)
  })

  test('is secure, and says so in its name, where the console is', async () => {
    const secure = await startTestServer({ PUBLIC_URL: 'https://console.example.test' })
    const { email } = await identities(secure).somebody()
    const answer = await secure.call(login, { body: { identifier: email, password }, headers: network() })
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-device=.*; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    await secure.close()
  })

  test('of a stranger is forgotten with the password', async () => {
    const { person, home } = await atHome()
    const headers = network()
    const sent = await server.call(forgotPassword, { body: { identifier: person.email }, headers })
    const code = await are.mailedCode(person.email)
    const better = 'twelve slow snails on a wall'
    const done = await server.call(resetPassword, {
      body: { identifier: person.email, code, password: better },
      headers: { ...headers, 'x-auth-flow': sent.body.flowToken },
    })
    expect(done.status).toBe(200)
    const before = (await are.subjectsTo(person.email)).length
    await are.enter(person.email, better, { ...network(), ...browserOf(done) })
    expect(await are.subjectsTo(person.email)).toHaveLength(before)
    await are.enter(person.email, better, home)
    expect((await are.subjectsTo(person.email))[0]).toBe('New sign-in')
  })
})

describe('strangers who guess', () => {
  test('never make the owner wait in a browser of theirs, not even from the same network', async () => {
    const { person, home } = await atHome()
    const { cookie = '', ...same } = home
    for (let n = 0; n < 6; n += 1) await guess(person.email, same)
    await atOnce(31, (n) => guess(`spray-${n}@example.test`, same))
    expect((await guess(person.email, same)).status).toBe(429)
    expect((await are.enter(person.email, password, { ...same, cookie })).status).toBe(200)
  })

  test('gain nothing by calling themselves another browser', async () => {
    const { email } = await are.somebody()
    const from = network()
    const tries = await atOnce(20, (n) =>
      guess(email, { ...from, cookie: `device=${String(n).padStart(43, 'x')}` }),
    )
    expect([count(tries, 401), count(tries, 429)]).toEqual([5, 15])
  })

  test('have twenty tries an hour together; then even the right password is wrong, and the owner learns of it once', async () => {
    const { person, home } = await atHome()
    const tries = await atOnce(30, () => guess(person.email))
    expect(count(tries, 401)).toBe(30)
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    expect((await are.enter(person.email, password, home)).status).toBe(200)
    expect(await are.subjectsTo(person.email, 2)).toEqual([
      'Many wrong passwords for your account',
      'New sign-in',
    ])
    await laterOn()
    expect((await are.enter(person.email)).status).toBe(200)
  })

  test('have no more of them around the moment at which an hour begins', async () => {
    const person = await are.somebody()
    await atOnce(10, () => guess(person.email))
    await pass(30)
    await atOnce(15, () => guess(person.email))
    await pass(27)
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    // What does not count any more does not count for the next hour either: of the first ten, all have come back.
    await pass(9)
    await atOnce(9, () => guess(person.email))
    expect((await are.enter(person.email)).status).toBe(200)
    await atOnce(2, () => guess(person.email))
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    expect(await are.subjectsTo(person.email, 2)).toContain('Many wrong passwords for your account')
  })

  test('get nothing back for a guess that was not compared', async () => {
    const { email } = await are.somebody()
    const { db, keys } = server.services
    await atOnce(25, () => guess(email))
    const limits = passwordLimits({ keys, identifier: email, ip: '203.0.113.9', known: undefined })
    for (let n = 0; n < 3; n += 1) {
      const missed = await db.as('system', (tx) => countGuess(tx, limits))
      expect(missed.counts).toBe(false)
      await db.as('system', (tx) => returnPassword(tx, limits, missed))
    }
    expect(said(await are.enter(email))).toBe('invalid_credentials')
  })

  test('switch the password off for new browsers with a hundred in a row; the owner goes on, and a reset ends it', async () => {
    const { person, home } = await atHome()
    for (let round = 0; round < 5; round += 1) {
      await atOnce(20, () => guess(person.email))
      await laterOn()
    }
    expect((await are.subjectsTo(person.email, 2))[0]).toBe('Your password was switched off for new browsers')
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    expect((await are.enter(person.email, password, home)).status).toBe(200)
    await (await startHousekeeping(server.services)).stop()
    expect(said(await are.enter(person.email))).toBe('invalid_credentials')
    const headers = network()
    const sent = await server.call(forgotPassword, { body: { identifier: person.email }, headers })
    const code = await are.mailedCode(person.email)
    const body = { identifier: person.email, code, password: 'twelve slow snails on a wall' }
    await server.call(resetPassword, { body, headers: { ...headers, 'x-auth-flow': sent.body.flowToken } })
    expect((await are.enter(person.email, body.password)).status).toBe(200)
  })

  test('begin anew after the owner has signed in', async () => {
    const { person, home } = await atHome()
    for (let round = 0; round < 4; round += 1) {
      await atOnce(20, () => guess(person.email))
      await laterOn()
    }
    await are.enter(person.email, password, home)
    await atOnce(20, () => guess(person.email))
    await laterOn()
    expect((await are.enter(person.email)).status).toBe(200)
  })

  test('count the same against an address that nobody has', async () => {
    const tries = await atOnce(30, () => guess('ghost-of-many@example.test'))
    expect(count(tries, 401)).toBe(30)
    const stored = await are.change(`select max(count) as most from attempts where window_start = 'infinity'`)
    expect((stored.rows[0] as { most: number }).most).toBeGreaterThanOrEqual(20)
  })

  test('do not keep the owner from proving who they are', async () => {
    const person = await are.somebody()
    await atOnce(25, () => guess(person.email))
    const body = { identifier: person.email, password }
    expect((await person.call(verifyPassword, { body, headers: network() })).status).toBe(200)
  })
})

test('guessing in a browser of the owner is bound as well, with twenty at once', async () => {
  const { person, home } = await atHome()
  const tries = await atOnce(20, () => guess(person.email, home))
  expect([count(tries, 401), count(tries, 429)]).toEqual([5, 15])
  expect((await are.enter(person.email)).status).toBe(200)
})

test('guessing with the token of a session is bound as well', async () => {
  const person = await are.somebody()
  const body = { identifier: person.email, password: 'wrong' }
  const tries = await atOnce(20, () => person.call(verifyPassword, { body, headers: network() }))
  expect([count(tries, 401), count(tries, 429)]).toEqual([5, 15])
})

describe('codes', () => {
  const ask = (identifier: string, headers = network()) =>
    server.call(forgotPassword, { body: { identifier }, headers })

  test('that strangers ask for neither use up those of the owner nor end them', async () => {
    const { person, home } = await atHome()
    const mine = await ask(person.email, home)
    const code = await are.mailedCode(person.email)
    expect((await ask(person.email)).status).toBe(202)
    expect((await ask(person.email)).status).toBe(429)
    const answer = await server.call(verifyToken, {
      body: { identifier: person.email, code, methodType: 'email' },
      headers: { ...network(), 'x-auth-flow': mine.body.flowToken },
    })
    expect(answer.body).toMatchObject({ status: 'verified' })
  })

  test('count for the browser of the owner too', async () => {
    const { person, home } = await atHome()
    expect((await ask(person.email, home)).status).toBe(202)
    expect((await ask(person.email, { ...home, ...network() })).status).toBe(429)
  })
})

test('tokens that open nothing are taken sixty times by a network, with all of them at once', async () => {
  const headers = network()
  const body = { setup: 'x'.repeat(43), name: 'A', email: 'a@example.test', password }
  const answers = await atOnce(70, () => server.call(setUp, { body, headers }))
  expect([count(answers, 410), count(answers, 429)]).toEqual([60, 10])
  const flow = { ...headers, 'x-auth-flow': 'x'.repeat(43) }
  const elsewhere = { ...network(), 'x-auth-flow': 'x'.repeat(43) }
  // What cannot be read was never counted, and so gives nothing back.
  const json = { ...headers, 'content-type': 'application/json' }
  const unread = { method: 'POST', url: '/api/setup', headers: json, payload: '{' } as const
  expect((await server.app.inject(unread)).statusCode).toBe(400)
  expect((await server.call(resetPassword, { body: { password }, headers: flow })).status).toBe(429)
  expect((await server.call(resetPassword, { body: { password }, headers: elsewhere })).status).toBe(410)
})
