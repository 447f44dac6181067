import * as account from '#contract/identity/account.ts'
import * as auth from '#contract/identity/auth.ts'
import { identities, password } from '../../testing/sign-in/identities.ts'
import { callsOf, proveTable, steps, fresh, twice, many, type Row } from '../../testing/calls/steps.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const are = identities(server)
const to = steps(server, are)

const accountRows: Row[] = [
  ['readAccount', 'signed in', 200, 'done', async () => (await are.somebody()).call(account.readAccount)],
  [
    'readAccount',
    'somebody who only receives',
    401,
    'unauthenticated',
    async () => (await are.somebody(null)).call(account.readAccount),
  ],
  [
    'updateAccount',
    'right',
    200,
    'done',
    async () => (await are.somebody()).call(account.updateAccount, { body: { name: 'Ada', phone: null } }),
  ],
  [
    'updateAccount',
    'without a name',
    422,
    'validation_failed',
    async () => (await are.somebody()).call(account.updateAccount, { body: { name: ' ', phone: null } }),
  ],
  [
    'updateAccount',
    'changed meanwhile',
    412,
    'precondition_failed',
    async () =>
      (await are.somebody()).call(account.updateAccount, {
        body: { name: 'Ada', phone: null },
        headers: { 'if-match': '"old"' },
      }),
  ],
  [
    'changePassword',
    'right',
    200,
    'password_changed',
    async () => to.another(await are.somebody(), password),
  ],
  [
    'changePassword',
    'wrong present one',
    401,
    'invalid_credentials',
    async () => to.another(await are.somebody(), 'wrong'),
  ],
  [
    'changePassword',
    'a bad one',
    422,
    'password_rejected',
    async () => to.another(await are.somebody(), password, 'short'),
  ],
  [
    'changePassword',
    'the same',
    422,
    'password_rejected',
    async () => to.another(await are.somebody(), password, password),
  ],
  ['changePassword', 'not signed in', 401, 'unauthenticated', () => to.another(server, password)],
  [
    'changePassword',
    'locked',
    423,
    'session_locked',
    async () => to.another(await to.locked(await are.somebody()), password),
  ],
  [
    'changePassword',
    'sixth wrong one',
    429,
    'too_many_requests',
    async () => {
      const person = await are.somebody()
      return many(6, () => to.another(person, 'wrong'))
    },
  ],
  ['changeEmail', 'verified', 200, 'done', async () => to.takeAddress(await to.claimed(fresh()))],
  [
    'changeEmail',
    'a second time',
    410,
    'flow_expired',
    async () => twice(await to.claimed(fresh()), (given) => to.takeAddress(given)),
  ],
  [
    'changeEmail',
    'by somebody else',
    410,
    'flow_expired',
    async () => to.takeAddress({ ...(await to.claimed(fresh())), person: await are.somebody() }),
  ],
  [
    'changeEmail',
    'with the flow for a password',
    410,
    'flow_expired',
    async () => to.takeAddress(await to.verified()),
  ],
  [
    'changeEmail',
    'to a taken address',
    409,
    'already_exists',
    async () => to.takeAddress(await to.claimed((await are.somebody()).email)),
  ],
  [
    'changeEmail',
    'long after the last proof',
    403,
    'reauthentication_required',
    async () => {
      const given = await to.claimed(fresh())
      await to.stale(given.person)
      return to.takeAddress(given)
    },
  ],
  [
    'deleteAccount',
    'the own address typed',
    200,
    'deletion_scheduled',
    async () => {
      const person = await are.somebody()
      return person.call(auth.deleteAccount, { body: { email: ` ${person.email.toUpperCase()}` } })
    },
  ],
  [
    'deleteAccount',
    'another address typed',
    422,
    'validation_failed',
    async () => (await are.somebody()).call(auth.deleteAccount, { body: { email: fresh() } }),
  ],
  [
    'deleteAccount',
    'long after the last proof',
    403,
    'reauthentication_required',
    async () => (await to.stale(await are.somebody())).call(auth.deleteAccount, { body: { email: fresh() } }),
  ],
  [
    'deleteAccount',
    'the last superadmin',
    409,
    'conflict',
    async () => {
      const person = await are.somebody('superadmin')
      return person.call(auth.deleteAccount, { body: { email: person.email } })
    },
  ],
]

proveTable([...accountRows], [...callsOf(account), 'deleteAccount'])
