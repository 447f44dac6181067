import { describe, expect, test } from 'vitest'
import * as auth from '#contract/identity/auth.ts'
import * as setup from '#contract/identity/setup.ts'
import * as viewing from '#contract/identity/view-as.ts'
import { ensureSetupLink } from './setup.ts'
import { identities, network, password } from '../../testing/sign-in/identities.ts'
import type { Person } from '../../testing/server.ts'
import {
  callsOf,
  codeCalls,
  proveTable,
  steps,
  better,
  strange,
  fresh,
  many,
  type Row,
  type Said,
} from '../../testing/calls/steps.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const are = identities(server)
const to = steps(server, are)

const lookAs = async (by: Person, userId: string) =>
  by.call(viewing.viewAs, { body: { userId, reason: 'Asked for help' } })

const viewingRows: Row[] = [
  [
    'viewAs',
    'an administrator',
    200,
    'done',
    async () => lookAs(await are.somebody('superadmin'), (await are.somebody()).id),
  ],
  [
    'viewAs',
    'a superadmin',
    403,
    'forbidden',
    async () => lookAs(await are.somebody('superadmin'), (await are.somebody('superadmin')).id),
  ],
  [
    'viewAs',
    'by an administrator',
    403,
    'forbidden',
    async () => lookAs(await are.somebody(), (await are.somebody()).id),
  ],
  [
    'viewAs',
    'long after the last proof',
    403,
    'reauthentication_required',
    async () => lookAs(await to.stale(await are.somebody('superadmin')), (await are.somebody()).id),
  ],
  [
    'stopImpersonating',
    'signed in',
    200,
    'done',
    async () => (await are.somebody()).call(viewing.stopImpersonating),
  ],
  [
    'stopImpersonating',
    'not signed in',
    401,
    'unauthenticated',
    () => server.call(viewing.stopImpersonating),
  ],
]

const signInRows: Row[] = [
  ['lockSession', 'signed in', 200, 'done', async () => (await are.somebody()).call(auth.lockSession)],
  ['lockSession', 'not signed in', 401, 'unauthenticated', () => server.call(auth.lockSession)],
  ['login', 'right', 200, 'authenticated', () => to.enter({})],
  ['login', 'with a second factor', 200, 'mfa_required', async () => to.enter({}, await to.withFactor())],
  [
    'login',
    'without the factor that the policy asks for',
    200,
    'mfa_enrollment_required',
    async () => {
      await are.policy({ mfa: 'required' })
      try {
        return await to.enter({})
      } finally {
        await are.policy({})
      }
    },
  ],
  [
    'login',
    'after an administrator has asked for another password',
    200,
    'password_change_required',
    async () => to.enter({}, await to.somebodyWho(`password_expired = 'reset_by_admin'`)),
  ],
  ['login', 'wrong password', 401, 'invalid_credentials', () => to.enter({ given: 'wrong' })],
  [
    'login',
    'unknown address',
    401,
    'invalid_credentials',
    () => to.enter({ identifier: 'nobody@example.test' }),
  ],
  [
    'login',
    'switched off',
    401,
    'invalid_credentials',
    async () => to.enter({}, await to.somebodyWho(`state = 'disabled'`)),
  ],
  [
    'login',
    'past the days of grace',
    401,
    'invalid_credentials',
    async () => to.enter({}, await to.somebodyWho(`delete_after = now()`)),
  ],
  ['login', 'nothing typed', 422, 'validation_failed', () => are.enter('', '')],
  [
    'login',
    'sixth in a row',
    429,
    'too_many_requests',
    async () => {
      const [{ email }, headers] = [await are.somebody(), network()]
      return many(6, () => are.enter(email, 'wrong', headers))
    },
  ],
  [
    'verifyPassword',
    'as the second page',
    200,
    'authenticated',
    async () => to.prove(server, (await are.somebody()).email),
  ],
  [
    'verifyPassword',
    'as the second page, wrong',
    401,
    'invalid_credentials',
    async () => to.prove(server, (await are.somebody()).email, 'x'),
  ],
  [
    'verifyPassword',
    'with a bearer',
    200,
    'reauthenticated',
    async () => {
      const person = await are.somebody()
      return to.prove(person, person.email)
    },
  ],
  [
    'verifyPassword',
    'with a bearer, locked',
    200,
    'reauthenticated',
    async () => {
      const person = await to.locked(await are.somebody())
      return to.prove(person, person.email)
    },
  ],
  [
    'verifyPassword',
    'with a bearer, the password of somebody else',
    401,
    'invalid_credentials',
    async () => to.prove(await are.somebody(), (await are.somebody()).email),
  ],
  ['logout', 'signed in', 200, 'done', async () => (await are.somebody()).call(auth.logout)],
  ['logout', 'not signed in', 401, 'unauthenticated', () => server.call(auth.logout)],
  ['readSession', 'signed in', 200, 'done', async () => (await are.somebody()).call(auth.readSession)],
  [
    'readSession',
    'locked',
    423,
    'session_locked',
    async () => (await to.locked(await are.somebody())).call(auth.readSession),
  ],
  ['readSession', 'not signed in', 401, 'unauthenticated', () => server.call(auth.readSession)],
]

const setupRows: Row[] = [
  ['readSetup', 'somebody exists', 200, 'done', () => server.call(setup.readSetup)],
  [
    'setUp',
    'a link that is none',
    410,
    'link_expired',
    () =>
      server.call(setup.setUp, {
        body: { setup: strange, name: 'A', email: fresh(), password: better },
        headers: network(),
      }),
  ],
  [
    'setUp',
    'somebody exists',
    410,
    'link_expired',
    async () => {
      await are.somebody()
      const token = (await ensureSetupLink(server.services)) ?? strange
      return server.call(setup.setUp, {
        body: { setup: token, name: 'A', email: fresh(), password: better },
        headers: network(),
      })
    },
  ],
]

proveTable(
  [...signInRows, ...viewingRows, ...setupRows],
  [auth, setup, viewing]
    .flatMap(callsOf)
    .filter((name) => !codeCalls.includes(name) && name !== 'deleteAccount'),
)

describe('nobody learns who exists', () => {
  const who: Record<string, () => Promise<string>> = {
    'an unknown address': async () => fresh(),
    'somebody with another password': async () => (await are.somebody()).email,
    'somebody without a password': async () => (await to.somebodyWho('password_hash = null')).email,
    'somebody who only receives': async () => (await are.somebody(null)).email,
    'somebody who is switched off': async () => (await to.somebodyWho(`state = 'disabled'`)).email,
    'somebody who was deleted': async () =>
      (await to.somebodyWho(`state = 'deleted', deleted_at = now()`)).email,
    'somebody past the days of grace': async () => (await to.somebodyWho('delete_after = now()')).email,
    'somebody whose password was switched off': async () => {
      const { email } = await are.somebody()
      for (let n = 0; n < 25; n += 1) await are.enter(email, 'wrong')
      return email
    },
  }
  /** Byte for byte, but for what is random or the time. */
  const plain = ({ status, body }: Said) =>
    JSON.stringify([status, body]).replaceAll(
      /"(requestId|flowToken|expiresAt|maskedDestination)":"[^"]+"/g,
      '"$1":"…"',
    )
  test.each(Object.keys(who))('%s', async (name) => {
    const email = (await who[name]?.()) ?? ''
    const unknown = await are.enter('nobody@example.test', 'wrong')
    const given = name === 'somebody with another password' ? 'wrong' : password
    expect(plain(await are.enter(email, given))).toBe(plain(unknown))
    expect(plain(await to.prove(server, email, 'wrong'))).toBe(plain(unknown))
    const forgotten = await server.call(auth.forgotPassword, {
      body: { identifier: email },
      headers: network(),
    })
    const nobody = await server.call(auth.forgotPassword, {
      body: { identifier: fresh() },
      headers: network(),
    })
    expect(plain(forgotten)).toBe(plain(nobody))
  })
})
