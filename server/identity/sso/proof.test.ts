import { beforeEach, describe, expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import { beginProof, readProof } from '#contract/identity/sso-sign-in.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { isOurPage, toldAt, visitorOf, type Visitor } from '../../testing/sign-in/visitor.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const server = await aServerBeside(names, [liar])

let orgId: string
let domain: string
let connectionId: string
let visitor: Visitor
beforeEach(async () => {
  liar.honest()
  let admin: Person
  ;({ orgId, admin } = await anOrganization(server))
  domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
  visitor = visitorOf(server, [liar.ca])
})

const tokenOf = (body: Record<string, unknown>) => String(body['token'])
const callAs = (token: string) => {
  const send: Person['send'] = (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { ...more.headers, authorization: `Bearer ${token}` } })
  return callerFor(send)
}

describe('proof that somebody is still there comes from the provider', () => {
  async function entered() {
    const email = `ada@${domain}`
    await server.query(
      `insert into users (organization_id, name, email, role) values ($1, 'Ada', $2, 'admin')`,
      [orgId, email],
    )
    liar.person = { sub: 'ada', email, email_verified: true }
    const token = tokenOf(await signedIn(visitor, connectionId))
    return { token, call: callAs(token) }
  }
  const proved = async (token: string) => {
    const begun = await callAs(token)(beginProof, { body: { connectionId } })
    expect(begun.status).toBe(200)
    return toldAt((await visitor.follow(begun.body.url, (url) => !isOurPage(url))).url)
  }

  test('unlocks the session, and asks for the password there', async () => {
    const { token, call } = await entered()
    await server.send('POST', '/api/auth/lock', { headers: { authorization: `Bearer ${token}` } })
    expect((await call(readProof)).body).toEqual({
      own: false,
      connections: [{ id: connectionId, name: 'Company' }],
    })
    const asked: Record<string, string>[] = []
    liar.lie = (claims, of) => {
      asked.push(of)
      return claims
    }
    const told = await proved(token)
    expect(asked[0]).toMatchObject({ prompt: 'login', max_age: '0' })
    expect((await visitor.post('/api/auth/sso/exchange', { flow: told['flow'] })).body['code']).toBe(
      'flow_expired',
    )
    const again = await proved(token)
    const done = await visitor.post('/api/auth/sso/exchange', { flow: again['flow'] }, token)
    expect(done.body).toMatchObject({ status: 'reauthenticated' })
    expect((await callAs(tokenOf(done.body))(readSession)).status).toBe(200)
    expect((await call(readSession)).status).toBe(401)
  })

  test('is none without asking anew, or by somebody else', async () => {
    const { token } = await entered()
    liar.lie = (claims) => ({ ...claims, auth_time: Date.now() / 1_000 - 3_600 })
    expect(await proved(token)).toEqual({ fault: 'proof_too_old' })
    liar.lie = ({ auth_time: _none, ...claims }) => claims
    expect(await proved(token)).toEqual({ fault: 'proof_too_old' })
    liar.lie = (claims) => ({ ...claims, sub: 'somebody else' })
    expect(await proved(token)).toEqual({ fault: 'other_person' })
  })
})
