import * as auth from '#contract/identity/auth.ts'
import { identities, network } from '../../testing/sign-in/identities.ts'
import {
  codeCalls,
  proveTable,
  steps,
  better,
  strange,
  wrong,
  fresh,
  twice,
  type Row,
} from '../../testing/calls/steps.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const are = identities(server)
const to = steps(server, are)

const codeRows: Row[] = [
  [
    'forgotPassword',
    'known address',
    202,
    'sent',
    async () =>
      server.call(auth.forgotPassword, {
        body: { identifier: (await are.somebody()).email },
        headers: network(),
      }),
  ],
  [
    'forgotPassword',
    'unknown address',
    202,
    'sent',
    () => server.call(auth.forgotPassword, { body: { identifier: fresh() }, headers: network() }),
  ],
  [
    'forgotPassword',
    'again at once',
    429,
    'too_many_requests',
    async () =>
      twice(fresh(), (identifier) =>
        server.call(auth.forgotPassword, { body: { identifier }, headers: network() }),
      ),
  ],
  [
    'forgotPassword',
    'nothing typed',
    422,
    'validation_failed',
    () => server.call(auth.forgotPassword, { body: { identifier: '' } }),
  ],
  ['sendVerification', 'to confirm an address', 202, 'sent', () => to.send(server, fresh(), 'confirm_email')],
  [
    'sendVerification',
    'to claim an address',
    202,
    'sent',
    async () => to.send(await are.somebody(), fresh(), 'confirm_email'),
  ],
  [
    'sendVerification',
    'to claim an address, long after the last proof',
    403,
    'reauthentication_required',
    async () => to.send(await to.stale(await are.somebody()), fresh(), 'confirm_email'),
  ],
  [
    'sendVerification',
    'to claim what is no address',
    422,
    'validation_failed',
    async () => to.send(await are.somebody(), 'no address', 'confirm_email'),
  ],
  [
    'sendVerification',
    'to sign in, switched off',
    403,
    'forbidden',
    async () => {
      await are.policy({})
      return to.send(server, fresh(), 'login')
    },
  ],
  [
    'sendVerification',
    'to sign in, switched on',
    202,
    'sent',
    async () => {
      await are.policy({ signInCode: true })
      try {
        return await to.send(server, fresh(), 'login')
      } finally {
        await are.policy({})
      }
    },
  ],
  [
    'sendVerification',
    'to step up, not signed in',
    401,
    'unauthenticated',
    () => to.send(server, fresh(), 'step_up'),
  ],
  [
    'sendVerification',
    'to step up, a foreign address',
    403,
    'forbidden',
    async () => to.send(await are.somebody(), fresh(), 'step_up'),
  ],
  ['verifyToken', 'right', 200, 'verified', async () => to.verify(await to.asked())],
  [
    'verifyToken',
    'wrong',
    401,
    'invalid_code',
    async () => {
      const given = await to.asked()
      return to.verify(given, { code: wrong(given.code) })
    },
  ],
  [
    'verifyToken',
    'for another address',
    401,
    'invalid_code',
    async () => to.verify(await to.asked(), { identifier: fresh() }),
  ],
  [
    'verifyToken',
    'a second time',
    410,
    'flow_expired',
    async () => twice(await to.asked(), (given) => to.verify(given)),
  ],
  [
    'verifyToken',
    'a strange flow',
    410,
    'flow_expired',
    async () => to.verify({ ...(await to.asked()), flowToken: strange }),
  ],
  [
    'verifyToken',
    'to sign in, with a second factor',
    200,
    'mfa_required',
    async () => to.verify(await to.askedToEnter(await to.withFactor())),
  ],
  [
    'verifyToken',
    'to sign in, without one',
    403,
    'forbidden',
    async () => to.verify(await to.askedToEnter(await are.somebody())),
  ],
  [
    'verifyToken',
    'to sign in, without one, again',
    410,
    'flow_expired',
    async () => twice(await to.askedToEnter(await are.somebody()), (given) => to.verify(given)),
  ],
  [
    'verifyToken',
    'to sign in, switched off meanwhile',
    403,
    'forbidden',
    async () => {
      const given = await to.askedToEnter(await to.withFactor())
      await are.policy({})
      return to.verify(given)
    },
  ],
  ['verifyAuthCode', 'right', 200, 'verified', async () => to.complete(await to.asked())],
  [
    'verifyAuthCode',
    'wrong',
    401,
    'invalid_code',
    async () => {
      const given = await to.asked()
      return to.complete({ ...given, code: wrong(given.code) })
    },
  ],
  [
    'verifyAuthCode',
    'a second time',
    410,
    'flow_expired',
    async () => twice(await to.asked(), (given) => to.complete(given)),
  ],
  [
    'verifyAuthCode',
    'without a flow',
    410,
    'flow_expired',
    () => server.call(auth.verifyAuthCode, { body: { code: '123456' }, headers: network() }),
  ],
  ['resetPassword', 'verified', 200, 'password_reset', async () => to.reset(await to.verified())],
  [
    'resetPassword',
    'in one call',
    200,
    'password_reset',
    async () => {
      const given = await to.asked()
      return to.reset(given, better, { identifier: given.person.email, code: given.code })
    },
  ],
  [
    'resetPassword',
    'forced at sign-in',
    200,
    'password_reset',
    async () => {
      const person = await to.somebodyWho(`password_expired = 'breached'`)
      const { flowToken } = (await are.enter(person.email)).body as { flowToken: string }
      return to.reset({ person, flowToken, code: '' })
    },
  ],
  [
    'resetPassword',
    'in one call, wrong code',
    401,
    'invalid_code',
    async () => {
      const given = await to.asked()
      return to.reset(given, better, { identifier: given.person.email, code: wrong(given.code) })
    },
  ],
  [
    'resetPassword',
    'a bad password',
    422,
    'password_rejected',
    async () => to.reset(await to.verified(), 'short'),
  ],
  [
    'resetPassword',
    'a second time',
    410,
    'flow_expired',
    async () => twice(await to.verified(), (given) => to.reset(given)),
  ],
  ['resetPassword', 'before the code', 410, 'flow_expired', async () => to.reset(await to.asked())],
  [
    'resetPassword',
    'with the flow of a second step',
    410,
    'flow_expired',
    async () => {
      const person = await to.withFactor()
      const { flowToken } = (await are.enter(person.email)).body as { flowToken: string }
      return to.reset({ person, flowToken, code: '' })
    },
  ],
]

proveTable([...codeRows], codeCalls)
