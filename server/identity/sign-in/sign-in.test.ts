import { describe, expect, test } from 'vitest'
import { login, logout, readSession, verifyPassword } from '#contract/identity/auth.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import type { Person } from '../../testing/server.ts'
import { aServer } from '../../testing/worlds.ts'
import { hashPassword } from '../password/hash.ts'

const password = 'seven wet dogs in a boat'

const server = await aServer()
const organizationId = await server.organization()
const passwordHash = await hashPassword(password)

/** Somebody with a password, and a network of their own so that tests do not use up each other's tries. */
async function somebody(
  role: 'admin' | 'groupadmin' | null = 'admin',
  organization = organizationId,
): Promise<Person> {
  const person = await server.person(role, organization)
  await change('update users set password_hash = $2 where id = $1', [person.id, passwordHash])
  return person
}
const change = (statement: string, values: unknown[]) => server.services.db.system.query(statement, values)
let networks = 0
const network = () => {
  networks += 1
  return { 'x-forwarded-for': `10.20.${networks}.7` }
}
const enter = (identifier: string, given: string, headers = network()) =>
  server.call(login, { body: { identifier, password: given }, headers })

test('signs in with email and password and tells who it is', async () => {
  const person = await somebody()
  const answer = await enter(` ${person.email.toUpperCase()} `, password)
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  const session = entered(answer.body)
  expect(session.token).toMatch(/^sr_[\w-]{43}[0-9A-Za-z]{6}$/)
  expect(session.user).toEqual({
    id: person.id,
    email: person.email,
    name: expect.any(String),
    role: 'admin',
    organizationId,
    organizationName: 'Acme',
    groupIds: [],
    avatar: null,
    mfa: { enrolled: false, methods: [] },
  })
  const ends = (Date.parse(session.expiresAt) - Date.now()) / 3_600_000
  expect(ends).toBeCloseTo(24, 1)
  expect((Date.parse(session.idleExpiresAt) - Date.now()) / 60_000).toBeCloseTo(60, 0)
  const headers = { authorization: `Bearer ${session.token}` }
  expect((await server.call(readSession, { headers })).body.user.id).toBe(person.id)
})

test('counts as being seen', async () => {
  const person = await somebody()
  await enter(person.email, password)
  const seen = await change(
    `select last_seen_at > now() - interval '1 minute' as now from users where id = $1`,
    [person.id],
  )
  expect(seen.rows).toEqual([{ now: true }])
})

test('tells a groupadmin which groups are theirs', async () => {
  const person = await somebody('groupadmin')
  const group = await change(`insert into groups (organization_id, name) values ($1, 'Crew') returning id`, [
    organizationId,
  ])
  const groupId = (group.rows[0] as { id: string }).id
  await change(
    'insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)',
    [organizationId, groupId, person.id],
  )
  expect(entered((await enter(person.email, password)).body).user.groupIds).toEqual([groupId])
})

test('gives every sign-in a token of its own, also of the same person at the same moment', async () => {
  const person = await somebody()
  const answers = await Promise.all(Array.from({ length: 5 }, () => enter(person.email, password)))
  const tokens = answers.map(({ body }) => entered(body).token)
  expect(new Set([...tokens, person.token]).size).toBe(6)
  for (const token of tokens) expect(Buffer.from(token.slice('sr_'.length, -6), 'base64url')).toHaveLength(32)
})

test('takes a password however old it is', async () => {
  const person = await somebody()
  const old = `now() - interval '20 years'`
  await change(`update users set password_changed_at = ${old}, created_at = ${old} where id = $1`, [
    person.id,
  ])
  expect((await enter(person.email, password)).body.status).toBe('authenticated')
})

test('keeps only a hash of the token, and an argon2id hash of the password', async () => {
  const person = await somebody()
  const { token } = entered((await enter(person.email, password)).body)
  const stored = await change('select s::text as row from sessions s where user_id = $1', [person.id])
  expect(JSON.stringify(stored.rows)).not.toContain(token)
  const own = await change('select password_hash as hash from users where id = $1', [person.id])
  expect(own.rows).toEqual([{ hash: passwordHash }])
  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

/** The least work of many, in milliseconds of the processor: what else the server has to do only ever adds to it. */
test('takes as long for an unknown address as for a wrong password', async () => {
  const least = { unknown: Infinity, known: Infinity }
  const measure = async (who: 'unknown' | 'known', identifier: string) => {
    const before = process.cpuUsage()
    await enter(identifier, 'wrong')
    const { user, system } = process.cpuUsage(before)
    least[who] = Math.min(least[who], (user + system) / 1_000)
  }
  const isClose = () => Math.abs(Math.log(least.unknown / least.known)) < Math.log(1.3)
  for (let n = 0; n < 10 || (n < 60 && !isClose()); n += 1) {
    const { email } = await somebody()
    const first = n % 2 === 0
    if (first) await measure('unknown', `nobody-${n}@example.test`)
    await measure('known', email)
    if (!first) await measure('unknown', `nobody-${n}@example.test`)
  }
  expect(least.unknown / least.known).toBeGreaterThan(1 / 1.3)
  expect(least.unknown / least.known).toBeLessThan(1.3)
})

describe('answers with the same words', () => {
  const cases: Record<string, () => Promise<{ email: string; given?: string }>> = {
    'an unknown address': async () => ({ email: 'nobody@example.test' }),
    'a wrong password': async () => ({ email: (await somebody()).email, given: `${password}!` }),
    'a password in other letters': async () => ({
      email: (await somebody()).email,
      given: password.toUpperCase(),
    }),
    'somebody who only receives': async () => ({ email: (await somebody(null)).email }),
    'somebody who is switched off': async () => {
      const person = await somebody()
      await change(`update users set state = 'disabled' where id = $1`, [person.id])
      return person
    },
    'somebody who was removed': async () => {
      const person = await somebody()
      await change(`update users set deleted_at = now(), state = 'deleted' where id = $1`, [person.id])
      return person
    },
    'somebody of a suspended organization': async () => {
      const suspended = await server.organization()
      await change(`update organizations set state = 'suspended' where id = $1`, [suspended])
      return somebody('admin', suspended)
    },
    'somebody without a password': async () => server.person('admin', organizationId),
  }
  test.each(Object.keys(cases))('%s', async (name) => {
    const { email, given } = (await cases[name]?.()) ?? { email: '' }
    const answer = await enter(email, given ?? password)
    expect(answer.status).toBe(401)
    const { requestId: _requestId, ...problem } = answer.problem ?? {}
    expect(problem).toEqual({
      type: 'urn:sendreel:problem:invalid_credentials',
      title: 'The email or the password is not right.',
      status: 401,
      code: 'invalid_credentials',
    })
  })
})

test('lets an invited person with a password in', async () => {
  const person = await somebody()
  await change(`update users set state = 'invited' where id = $1`, [person.id])
  expect((await enter(person.email, password)).status).toBe(200)
})

test('names the missing fields', async () => {
  const answer = await server.call(login, { body: { identifier: '', password: '' } })
  expect(answer.status).toBe(422)
  expect(answer.problem?.fields).toEqual({ identifier: ['required'], password: ['required'] })
})

test('signs in although the client still sends a token that has ended', async () => {
  const person = await somebody()
  const headers = { ...network(), authorization: `Bearer sr_${'x'.repeat(49)}` }
  expect((await enter(person.email, password, headers)).status).toBe(200)
})

describe('guessing', () => {
  test('makes the fifth failure wait, and even the right password has to', async () => {
    const person = await somebody()
    const headers = network()
    for (let n = 0; n < 5; n += 1) expect((await enter(person.email, 'wrong', headers)).status).toBe(401)
    const sixth = await enter(person.email, password, headers)
    expect(sixth.status).toBe(429)
    expect(sixth.problem?.retryAfter).toBeGreaterThan(25)
    expect(sixth.problem?.retryAfter).toBeLessThanOrEqual(30)
    expect(sixth.headers['retry-after']).toBe(String(sixth.problem?.retryAfter))
  })

  test('waits longer each time, and starts anew after the right one', async () => {
    const person = await somebody()
    const headers = network()
    const waits: number[] = []
    for (let n = 0; n < 9; n += 1) {
      await enter(person.email, 'wrong', headers)
      if (n < 4) continue
      waits.push((await enter(person.email, password, headers)).problem?.retryAfter ?? 0)
      await change('update attempts set blocked_until = now() where blocked_until > now()', [])
    }
    expect(waits.map((seconds) => Math.ceil(seconds / 30) * 30)).toEqual([30, 60, 300, 900, 900])
    expect((await enter(person.email, password, headers)).status).toBe(200)
    for (let n = 0; n < 4; n += 1) await enter(person.email, 'wrong', headers)
    expect((await enter(person.email, password, headers)).status).toBe(200)
  })

  test('gives no more tries to many requests at once', async () => {
    const person = await somebody()
    const headers = network()
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(person.email, 'x', headers)))
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(5)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15)
  })

  test('does not lock the owner out who comes from elsewhere', async () => {
    const person = await somebody()
    const headers = network()
    for (let n = 0; n < 6; n += 1) await enter(person.email, 'wrong', headers)
    expect((await enter(person.email, password)).status).toBe(200)
  })

  test('makes an unknown address wait in the same way', async () => {
    const headers = network()
    for (let n = 0; n < 5; n += 1) await enter('ghost@example.test', 'wrong', headers)
    expect((await enter('ghost@example.test', 'wrong', headers)).status).toBe(429)
  })

  test('ends after 30 failures of one network, whatever the addresses', async () => {
    const headers = network()
    const tries = await Promise.all(
      Array.from({ length: 31 }, (_, n) => enter(`spray-${n}@example.test`, 'x', headers)),
    )
    expect(tries.filter((answer) => answer.status === 429)).toHaveLength(1)
    const person = await somebody()
    expect((await enter(person.email, password, headers)).status).toBe(429)
  })

  test('stays without any address in the table', async () => {
    const stored = await change(`select a::text as row from attempts a`, [])
    expect(stored.rows.length).toBeGreaterThan(5)
    expect(JSON.stringify(stored.rows)).not.toMatch(/example|10\.20\.\d+\.7/)
  })
})

describe('the session', () => {
  test('ends with sign-out, at once', async () => {
    const person = await somebody()
    expect((await person.call(logout)).status).toBe(200)
    expect((await person.call(readSession)).problem?.code).toBe('unauthenticated')
    expect((await server.call(logout)).status).toBe(401)
  })

  test('is one of at most ten; the oldest ends', async () => {
    const person = await somebody()
    const headers = network()
    for (let n = 0; n < 10; n += 1) await enter(person.email, password, headers)
    expect((await person.call(readSession)).status).toBe(401)
    const alive = await change(
      'select count(*)::int as n from sessions where user_id = $1 and revoked_at is null',
      [person.id],
    )
    expect(alive.rows).toEqual([{ n: 10 }])
  })

  test('is proved again with the own password and goes on under a new token', async () => {
    const person = await somebody()
    const again = await person.call(verifyPassword, {
      body: { identifier: person.email, password },
      headers: network(),
    })
    if (again.body.status !== 'reauthenticated') throw new Error('not proved again')
    expect((await person.call(readSession)).status).toBe(401)
    const headers = { authorization: `Bearer ${again.body.token}` }
    expect((await server.call(readSession, { headers })).status).toBe(200)
  })

  test.each(['wrong password', 'the password of somebody else'])('is not proved by %s', async (how) => {
    const [person, other] = [await somebody(), await somebody()]
    const body =
      how === 'wrong password'
        ? { identifier: person.email, password: 'wrong' }
        : { identifier: other.email, password }
    const answer = await person.call(verifyPassword, { body, headers: network() })
    expect(answer.problem?.code).toBe('invalid_credentials')
    expect((await person.call(readSession)).status).toBe(200)
  })

  test('starts with the second step of an address-first sign-in', async () => {
    const person = await somebody()
    const body = { identifier: person.email, password }
    expect((await server.call(verifyPassword, { body, headers: network() })).body).toMatchObject({
      status: 'authenticated',
      user: { id: person.id },
    })
  })
})

test('writes sign-ins and failures into the audit', async () => {
  const person = await somebody()
  await enter(person.email, 'wrong')
  await enter(person.email, password)
  const entries = await change(
    'select action, actor_id, organization_id from audit where entity_id = $1 order by id',
    [person.id],
  )
  expect(entries.rows).toEqual([
    { action: 'auth.sign_in_failed', actor_id: null, organization_id: organizationId },
    { action: 'auth.sign_in', actor_id: person.id, organization_id: organizationId },
  ])
})
