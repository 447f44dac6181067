import { TOTP } from 'otpauth'
import { login, verifyAuthCode, type SignInAnswer } from '#contract/identity/auth.ts'
import { askPasskey, startTotp, verifyPasskey, type PasskeyUse } from '#contract/identity/factors.ts'
import type { Role } from '#contract/roles.ts'
import { hashPassword } from '../../identity/password/hash.ts'
import { softAuthenticator, type Slip, type SoftAuthenticator } from './authenticator.ts'
import type { Call, Person, TestServer } from '../server.ts'

export const password = 'seven wet dogs in a boat'

/** The code that an app shows now, or showed `ago` steps of thirty seconds before. */
export function appCode(secret: string, ago = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() - ago * 30_000 })
}
/** Six digits that no step around now has. */
export function wrongCode(secret: string): string {
  const near = new Set([-2, -1, 0, 1, 2].map((ago) => appCode(secret, ago)))
  return ['000000', '000001', '000002', '000003', '000004', '000005'].find((code) => !near.has(code)) ?? ''
}

export const withFlow = (flowToken: string) => ({ 'x-auth-flow': flowToken })

/** What tests of second factors do again and again, on one server. */
export function factorTests(server: () => TestServer) {
  const change = (statement: string, values: unknown[] = []) =>
    server().services.db.system.query(statement, values)
  let passwordHash: string | undefined
  let networks = 0
  /** Of their own, so that tests do not use up each other's tries. */
  const network = () => {
    networks += 1
    return { 'x-forwarded-for': `10.${40 + (networks >> 8)}.${networks & 255}.7` }
  }

  async function somebody(role: Role = 'admin', organizationId?: string | null): Promise<Person> {
    passwordHash ??= await hashPassword(password)
    const home = role === 'superadmin' ? null : (organizationId ?? (await server().organization()))
    const person = await server().person(role, home)
    await change('update users set password_hash = $2 where id = $1', [person.id, passwordHash])
    return person
  }

  async function enter(person: Person): Promise<SignInAnswer> {
    const body = { identifier: person.email, password }
    const answer = await server().call(login, { body, headers: network() })
    if (answer.status !== 200) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** The flow of the next step; throws when the sign-in ended otherwise. */
  async function enterAs(person: Person, status: SignInAnswer['status']): Promise<string> {
    const answer = await enter(person)
    if (answer.status !== status || !('flowToken' in answer))
      throw new Error(`expected ${status}: ${JSON.stringify(answer)}`)
    return answer.flowToken
  }

  /** As if no code of the app had been used for long. */
  async function letAppRest(person: Person): Promise<void> {
    await change('update totp_factors set last_step = 0 where user_id = $1', [person.id])
  }

  /** As if it had been set up a while ago: the code that is shown now still works. */
  async function addApp(person: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { secret, flowToken } = (await person.call(startTotp)).body
    const done = await person.call(verifyAuthCode, {
      body: { code: appCode(secret) },
      headers: withFlow(flowToken),
    })
    if (done.body.status !== 'mfa_enrolled') throw new Error(JSON.stringify(done.body))
    await letAppRest(person)
    return { secret, recoveryCodes: done.body.recoveryCodes }
  }

  async function ask(call: Call, use: PasskeyUse, headers: Record<string, string> = {}) {
    const answer = await call(askPasskey, { body: { for: use }, headers: { ...network(), ...headers } })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }

  async function addPasskey(person: Person, key = softAuthenticator()): Promise<SoftAuthenticator> {
    const { options, flowToken } = await ask(person.call, 'register')
    const done = await person.call(verifyPasskey, {
      body: { credential: key.create(options) },
      headers: withFlow(flowToken),
    })
    if (done.status !== 200) throw new Error(JSON.stringify(done.body))
    return key
  }

  async function enterByPasskey(key: SoftAuthenticator, slip: Slip = {}) {
    const { options, flowToken } = await ask(server().call, 'sign_in')
    return server().call(verifyPasskey, {
      body: { credential: key.get(options, slip) },
      headers: { ...withFlow(flowToken), ...network() },
    })
  }

  async function mailsTo(person: Person): Promise<{ subject: string; text: string }[]> {
    const found = await change('select subject, text from mails where address = $1 order by created_at, id', [
      person.email,
    ])
    return found.rows as { subject: string; text: string }[]
  }

  async function auditOf(person: Person): Promise<string[]> {
    const found = await change('select action from audit where entity_id = $1 order by at, id', [person.id])
    return (found.rows as { action: string }[]).map(({ action }) => action)
  }

  return {
    change,
    network,
    somebody,
    enter,
    enterAs,
    addApp,
    letAppRest,
    ask,
    addPasskey,
    enterByPasskey,
    mailsTo,
    auditOf,
  }
}
