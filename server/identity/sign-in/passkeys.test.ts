import { describe, expect, test } from 'vitest'
import { lockSession, readSession } from '#contract/identity/auth.ts'
import {
  askPasskey,
  readFactors,
  removePasskey,
  renamePasskey,
  verifyPasskey,
} from '#contract/identity/factors.ts'
import { softAuthenticator, type Slip } from '../../testing/sign-in/authenticator.ts'
import { entered } from '../../testing/sign-in/entered.ts'
import { factorTests, withFlow } from '../../testing/sign-in/factors.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()

const tools = factorTests(() => server)
const {
  change,
  network,
  somebody,
  enter,
  enterAs,
  ask,
  addApp,
  addPasskey,
  enterByPasskey,
  mailsTo,
  auditOf,
} = tools

const foreign: [what: string, slip: Slip][] = [
  ['of another origin', { origin: 'https://sendreel.example.test' }],
  ['of another port of this computer', { origin: 'http://localhost:4000' }],
  ['for another site', { rpId: 'example.test' }],
  ['to another question', { challenge: 'A'.repeat(43) }],
  ['without a finger, a face or a PIN', { verified: false }],
]

describe('a new passkey', () => {
  test('is discoverable, verified, named after its device, and told by mail', async () => {
    const person = await somebody()
    const { options } = await ask(person.call, 'register')
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Sendreel' },
      user: { name: person.email },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
    await addPasskey(person)
    const { passkeys, recoveryCodesLeft } = (await person.call(readFactors)).body
    expect(passkeys).toMatchObject([{ name: 'Passkey', synced: false, lastUsedAt: null }])
    expect(recoveryCodesLeft).toBe(10)
    expect((await mailsTo(person)).map(({ subject }) => subject)).toEqual(['A passkey was added – Sendreel'])
    expect((await ask(person.call, 'register')).options['excludeCredentials']).toHaveLength(1)
  })

  test.each(foreign)('is not taken %s', async (_what, slip) => {
    const person = await somebody()
    const { options, flowToken } = await ask(person.call, 'register')
    const body = { credential: softAuthenticator().create(options, slip) }
    const answer = await person.call(verifyPasskey, { body, headers: withFlow(flowToken) })
    expect(answer.problem?.code).toBe('invalid_request')
    expect((await person.call(readFactors)).body.passkeys).toEqual([])
  })

  test('belongs to one person only', async () => {
    const key = await addPasskey(await somebody())
    await expect(addPasskey(await somebody(), key)).rejects.toThrow('already_exists')
  })

  test('needs a session that was just proved, and is finished in it', async () => {
    const attempt = { body: { for: 'register' as const }, headers: network() }
    expect((await server.call(askPasskey, attempt)).problem?.code).toBe('unauthenticated')
    const person = await somebody()
    const { options, flowToken } = await ask(person.call, 'register')
    const body = { credential: softAuthenticator().create(options) }
    const other = await somebody()
    const stolen = await other.call(verifyPasskey, { body, headers: withFlow(flowToken) })
    expect(stolen.problem?.code).toBe('flow_expired')
    await change('update sessions set reauthenticated_at = null where user_id = $1', [person.id])
    expect((await person.call(askPasskey, attempt)).problem?.code).toBe('reauthentication_required')
    await person.call(lockSession)
    expect((await person.call(askPasskey, attempt)).problem?.code).toBe('session_locked')
  })

  test('is renamed and removed by its owner only', async () => {
    const person = await somebody()
    await addPasskey(person)
    const passkeyId = (await person.call(readFactors)).body.passkeys[0]?.id ?? ''
    const rename = { params: { passkeyId }, body: { name: ' My key ' } }
    const other = await somebody()
    expect((await other.call(renamePasskey, rename)).status).toBe(404)
    expect((await other.call(removePasskey, { params: { passkeyId } })).status).toBe(404)
    expect((await person.call(renamePasskey, rename)).body.name).toBe('My key')
    expect((await person.call(removePasskey, { params: { passkeyId } })).status).toBe(200)
    const left = (await person.call(readFactors)).body
    expect(left).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 })
    expect((await mailsTo(person)).at(-1)?.text).toContain('“My key” was just removed')
  })
})

describe('signing in with a passkey', () => {
  test('needs no name and no password, and no further step', async () => {
    const person = await somebody()
    const key = await addPasskey(person)
    const { options, flowToken } = await ask(server.call, 'sign_in')
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options['allowCredentials']).toBeUndefined()
    const body = { credential: key.get(options), remember: true }
    const answer = await server.call(verifyPasskey, { body, headers: withFlow(flowToken) })
    const session = entered(answer.body)
    expect(session.user.id).toBe(person.id)
    expect((Date.parse(session.expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(7, 1)
    const stored = await change('select amr from sessions where user_id = $1 order by id desc limit 1', [
      person.id,
    ])
    expect(stored.rows).toEqual([{ amr: ['hwk'] }])
    expect((await person.call(readFactors)).body.passkeys[0]?.lastUsedAt).not.toBeNull()
    expect(await auditOf(person)).toContain('auth.sign_in')
  })

  test.each(foreign)('is refused when the answer is one %s', async (_what, slip) => {
    const key = await addPasskey(await somebody())
    expect((await enterByPasskey(key, slip)).problem?.code).toBe('invalid_credentials')
  })

  test('is refused with one answer, whatever is wrong', async () => {
    const disabled = await somebody()
    const removed = await somebody()
    const suspended = await somebody()
    const mine = await somebody()
    const keys = {
      unknown: softAuthenticator(),
      disabled: await addPasskey(disabled),
      removed: await addPasskey(removed),
      suspended: await addPasskey(suspended),
      mine: await addPasskey(mine),
    }
    await change(`update users set state = 'disabled' where id = $1`, [disabled.id])
    await change(`update users set state = 'deleted', deleted_at = now() where id = $1`, [removed.id])
    await change(`update organizations set state = 'suspended' where id = $1`, [suspended.organizationId])
    const handle = Buffer.from(disabled.id).toString('base64url')
    const answers = [
      await enterByPasskey(keys.unknown, { userHandle: handle }),
      await enterByPasskey(keys.disabled),
      await enterByPasskey(keys.removed),
      await enterByPasskey(keys.suspended),
      await enterByPasskey(keys.mine, { userHandle: handle }),
    ]
    const { requestId: _id, ...expected } = answers[0]?.problem ?? { requestId: '' }
    expect(expected).toMatchObject({ status: 401, code: 'invalid_credentials' })
    for (const { problem } of answers)
      expect({ ...problem, requestId: undefined }).toEqual({ ...expected, requestId: undefined })
  })

  test('answers each question once, also for two at once and after a wrong answer', async () => {
    const key = await addPasskey(await somebody())
    const { options, flowToken } = await ask(server.call, 'sign_in')
    const headers = withFlow(flowToken)
    const attempt = () => server.call(verifyPasskey, { body: { credential: key.get(options) }, headers })
    const two = await Promise.all([attempt(), attempt()])
    expect(two.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 410])
    const next = await ask(server.call, 'sign_in')
    const wrong = { credential: key.get(next.options, { verified: false }) }
    await server.call(verifyPasskey, { body: wrong, headers: withFlow(next.flowToken) })
    const right = { credential: key.get(next.options) }
    const late = await server.call(verifyPasskey, { body: right, headers: withFlow(next.flowToken) })
    expect(late.problem?.code).toBe('flow_expired')
  })

  test('refuses a copy, and tells the owner', async () => {
    const person = await somebody()
    const key = await addPasskey(person)
    expect((await enterByPasskey(key, { counter: 50 })).status).toBe(200)
    for (const counter of [49, 50, 0]) {
      const answer = await enterByPasskey(key, { counter })
      expect(answer.problem?.code).toBe('invalid_credentials')
    }
    expect((await enterByPasskey(key, { counter: 51 })).status).toBe(200)
    const notified = (await mailsTo(person)).filter(({ subject }) =>
      subject.startsWith('A passkey was refused'),
    )
    expect(notified).toHaveLength(3)
    expect((await auditOf(person)).filter((action) => action === 'auth.passkey_copied')).toHaveLength(3)
  })

  test('knows passkeys that do not count, because they are kept on several devices', async () => {
    const key = await addPasskey(await somebody(), softAuthenticator({ counts: false }))
    for (let n = 0; n < 2; n += 1) expect((await enterByPasskey(key)).status).toBe(200)
  })

  test('works only at the address of the installation', async () => {
    const headers = { ...network(), origin: 'https://evil.example.test' }
    const body = { for: 'sign_in' as const }
    expect((await server.call(askPasskey, { body, headers })).problem?.code).toBe('forbidden')
    const here = { ...network(), origin: 'http://localhost:3000' }
    expect((await server.call(askPasskey, { body, headers: here })).status).toBe(200)
  })

  /** A few at a time: on a busy machine whoever waits too long for a connection is told to come back, which is no limit. */
  async function askedBy(headers: Record<string, string>, times: number): Promise<number[]> {
    const statuses: number[] = []
    while (statuses.length < times) {
      const asked = Array.from({ length: Math.min(20, times - statuses.length) }, () =>
        server.call(askPasskey, { body: { for: 'sign_in' }, headers }),
      )
      statuses.push(...(await Promise.all(asked)).map(({ status }) => status))
    }
    return statuses
  }

  test('is limited for a network', async () => {
    const headers = network()
    const statuses = await askedBy(headers, 210)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
  })

  test('is limited in any ten minutes, not only in those that a window begins with', async () => {
    const headers = network()
    const ask = async (n: number) => (await askedBy(headers, n)).filter((status) => status === 200).length
    const pass = (time: string) =>
      change(
        `update attempts set window_start = window_start - $1::interval where window_start <> 'infinity'`,
        [time],
      )
    expect(await ask(200)).toBe(200)
    await pass('9 minutes 30 seconds')
    expect(await ask(10)).toBe(0)
    await pass('85 seconds')
    expect(await ask(210)).toBe(200)
  })
})

describe('a passkey as the second step', () => {
  test('completes the sign-in, for its owner only', async () => {
    const person = await somebody()
    const key = await addPasskey(person)
    const answer = await enter(person)
    expect(answer).toMatchObject({ status: 'mfa_required', methods: ['passkey', 'recovery'] })
    const flow = withFlow((answer as { flowToken: string }).flowToken)
    const other = await addPasskey(await somebody())
    const first = await ask(server.call, 'second_step', flow)
    expect(first.options['allowCredentials']).toHaveLength(1)
    const wrong = await server.call(verifyPasskey, {
      body: { credential: other.get(first.options) },
      headers: flow,
    })
    expect(wrong.problem?.code).toBe('invalid_credentials')
    const { options } = await ask(server.call, 'second_step', flow)
    const right = await server.call(verifyPasskey, { body: { credential: key.get(options) }, headers: flow })
    entered(right.body)
    const stored = await change('select amr from sessions where user_id = $1 order by id desc limit 1', [
      person.id,
    ])
    expect(stored.rows).toEqual([{ amr: ['pwd', 'hwk'] }])
  })

  test('needs the flow of a password that was right', async () => {
    const key = await addPasskey(await somebody())
    const { options, flowToken } = await ask(server.call, 'sign_in')
    const headers = { ...network(), ...withFlow(flowToken) }
    const crossed = await server.call(askPasskey, { body: { for: 'second_step' }, headers })
    expect(crossed.problem?.code).toBe('flow_expired')
    const other = withFlow(await enterAs(await withApp(), 'mfa_required'))
    const foreignFlow = await server.call(verifyPasskey, {
      body: { credential: key.get(options) },
      headers: other,
    })
    expect(foreignFlow.problem?.code).toBe('flow_expired')
  })
})

async function withApp() {
  const person = await somebody()
  await addApp(person)
  return person
}

describe('a passkey proves again who is there', () => {
  test('the session goes on under a new token, unlocked', async () => {
    const person = await somebody()
    const key = await addPasskey(person)
    await person.call(lockSession)
    expect((await person.call(readSession)).status).toBe(423)
    const { options, flowToken } = await ask(person.call, 'reauthenticate')
    const body = { credential: key.get(options) }
    const answer = await person.call(verifyPasskey, { body, headers: withFlow(flowToken) })
    expect(answer.body).toMatchObject({ status: 'reauthenticated' })
    const { token } = answer.body as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    expect((await server.call(readSession, { headers })).body.reauthenticatedUntil).not.toBeNull()
    expect((await person.call(readSession)).status).toBe(401)
    const stored = await change('select amr from sessions where user_id = $1', [person.id])
    expect(stored.rows).toEqual([{ amr: ['pwd', 'hwk'] }])
  })

  test('of the person of the session only, and in that session', async () => {
    const person = await somebody()
    const other = await somebody()
    await addPasskey(person)
    const key = await addPasskey(other)
    const mine = await ask(person.call, 'reauthenticate')
    const wrong = { body: { credential: key.get(mine.options) }, headers: withFlow(mine.flowToken) }
    expect((await person.call(verifyPasskey, wrong)).problem?.code).toBe('invalid_credentials')
    const theirs = await ask(other.call, 'reauthenticate')
    const crossed = { body: { credential: key.get(theirs.options) }, headers: withFlow(theirs.flowToken) }
    expect((await person.call(verifyPasskey, crossed)).problem?.code).toBe('flow_expired')
  })
})
