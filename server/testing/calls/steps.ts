import { expect, test } from 'vitest'
import * as account from '#contract/identity/account.ts'
import * as auth from '#contract/identity/auth.ts'
import { network, password, said, type Identities } from '../sign-in/identities.ts'
import type { Person, TestServer } from '../server.ts'

export type Said = { status: number; body: unknown; problem: { code: string } | undefined }
/** Call, circumstances, status, code (of the problem, or of the answer), and how it comes about. */
export type Row = readonly [
  call: string,
  when: string,
  status: number,
  code: string,
  ask: () => Promise<Said>,
]

export const better = 'twelve slow snails on a wall'

export const flow = (flowToken: string) => ({ ...network(), 'x-auth-flow': flowToken })

export const strange = 'x'.repeat(43)

export type SentStep = { person: Person; flowToken: string; code: string }

export const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

let addresses = 0
export const fresh = () => `fresh-${(addresses += 1)}@example.test`

export async function twice<T>(given: T, ask: (given: T) => Promise<Said>): Promise<Said> {
  await ask(given)
  return ask(given)
}

export async function many(times: number, ask: () => Promise<Said>): Promise<Said> {
  for (let n = 1; n < times; n += 1) await ask()
  return ask()
}

/** The steps of signing in and of changing an account, each up to where a test takes over. */
export function steps(server: TestServer, are: Identities) {
  const enter = async (
    more: Partial<{ identifier: string; given: string; headers: object }>,
    person?: Person,
  ) => are.enter(more.identifier ?? (person ?? (await are.somebody())).email, more.given, network())

  /** Somebody after a change of their row. */
  async function somebodyWho(change: string): Promise<Person> {
    const person = await are.somebody()
    await are.change(`update users set ${change} where id = $1`, [person.id])
    return person
  }

  async function withFactor(): Promise<Person> {
    const person = await are.somebody()
    await are.giveFactor(person.id)
    return person
  }

  async function asked(person?: Person): Promise<SentStep> {
    const who = person ?? (await are.somebody())
    const headers = network()
    const sent = await server.call(auth.forgotPassword, { body: { identifier: who.email }, headers })
    return { person: who, flowToken: sent.body.flowToken, code: await are.mailedCode(who.email) }
  }

  async function askedToEnter(person: Person): Promise<SentStep> {
    await are.policy({ signInCode: true })
    const body = { identifier: person.email, methodType: 'email', purpose: 'login' } as const
    const sent = await server.call(auth.sendVerification, { body, headers: network() })
    return { person, flowToken: sent.body.flowToken, code: await are.mailedCode(person.email) }
  }

  const verify = ({ person, flowToken, code }: SentStep, more: { identifier?: string; code?: string } = {}) =>
    server.call(auth.verifyToken, {
      body: { identifier: person.email, code, methodType: 'email', ...more },
      headers: flow(flowToken),
    })

  const complete = ({ flowToken, code }: SentStep) =>
    server.call(auth.verifyAuthCode, { body: { code }, headers: flow(flowToken) })

  async function verified(): Promise<SentStep> {
    const given = await asked()
    const answer = await verify(given)
    return { ...given, flowToken: (answer.body as { flowToken: string }).flowToken }
  }

  const reset = (
    { flowToken }: SentStep,
    given = better,
    more: { identifier?: string; code?: string } = {},
  ) => server.call(auth.resetPassword, { body: { password: given, ...more }, headers: flow(flowToken) })

  async function locked(person: Person): Promise<Person> {
    await person.call(auth.lockSession)
    return person
  }

  async function stale(person: Person): Promise<Person> {
    await are.change('update sessions set reauthenticated_at = null where user_id = $1', [person.id])
    return person
  }

  const send = (
    by: Pick<TestServer, 'call'>,
    identifier: string,
    purpose: 'confirm_email' | 'login' | 'step_up',
  ) =>
    by.call(auth.sendVerification, { body: { identifier, methodType: 'email', purpose }, headers: network() })

  async function claimed(address: string) {
    const person = await are.somebody()
    const sent = await send(person, address, 'confirm_email')
    const given = { person, flowToken: sent.body.flowToken, code: await are.mailedCode(address) }
    const answer = await verify(given, { identifier: address })
    return { ...given, flowToken: (answer.body as { flowToken: string }).flowToken }
  }
  const takeAddress = ({ person, flowToken }: SentStep) =>
    person.call(account.changeEmail, { headers: flow(flowToken) })

  const prove = (by: Pick<TestServer, 'call'>, identifier: string, given = password) =>
    by.call(auth.verifyPassword, { body: { identifier, password: given }, headers: network() })
  const another = (by: Pick<TestServer, 'call'>, currentPassword: string, given = better) =>
    by.call(account.changePassword, { body: { currentPassword, password: given }, headers: network() })

  return {
    enter,
    somebodyWho,
    withFactor,
    asked,
    askedToEnter,
    verify,
    complete,
    verified,
    reset,
    locked,
    stale,
    send,
    claimed,
    takeAddress,
    prove,
    another,
  }
}

/** One test for each row, and one that finds calls without any. */
export function proveTable(table: readonly Row[], calls: readonly string[]): void {
  test('every call has its rows', () => {
    expect([...new Set(table.map(([call]) => call))].toSorted()).toEqual(calls.toSorted())
  })
  test.each(table)('%s, %s: %i %s', async (...[, , status, code, ask]) => {
    const answer = await ask()
    expect([answer.status, said(answer)]).toEqual([status, code])
  })
}

const isCall = (value: unknown): value is { name: string } =>
  typeof value === 'object' && value !== null && 'access' in value && 'name' in value

/** Names of the endpoints of a file of the contract. */
export function callsOf(room: object): string[] {
  return Object.values(room as Record<string, unknown>)
    .filter(isCall)
    .map(({ name }) => name)
}

/** Those whose rows stand with the codes. */
export const codeCalls = [
  'forgotPassword',
  'sendVerification',
  'verifyToken',
  'verifyAuthCode',
  'resetPassword',
]
