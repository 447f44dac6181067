import { beforeEach, describe, expect, test } from 'vitest'
import { readSession } from '#contract/identity/auth.ts'
import { readConfig } from '#contract/platform/system.ts'
import { readConnection, updateConnection, type ClaimRule, type GrantedRole } from '#contract/identity/sso.ts'
import { findConnections } from '#contract/identity/sso-sign-in.ts'
import { createInvitation } from '#contract/directory/invitations.ts'
import { domainFingerprint } from '#contract/identity/domain-fingerprint.ts'
import type { SignInFault } from '#contract/identity/sso-faults.ts'
import { signInFaultWords } from '#contract/identity/sso-words.ts'
import { openNameServer } from '../../testing/mail/name-server.ts'
import { callerFor, type Person } from '../../testing/server.ts'
import { aServerBeside, connected, ledBack, provedDomain, signedIn } from '../../testing/sign-in/company.ts'
import { openLiar } from '../../testing/sign-in/liar.ts'
import { isOurPage, toldAt, visitorOf, type Visitor } from '../../testing/sign-in/visitor.ts'
import { unique } from '../../testing/unique.ts'
import { anOrganization } from '../../testing/worlds.ts'

const names = await openNameServer()
const liar = await openLiar('login.acme.test')
const other = await openLiar('login.other.test')
const server = await aServerBeside(names, [liar, other])
const { query } = server

let orgId: string
let admin: Person
let domain: string
let connectionId: string
let visitor: Visitor

beforeEach(async () => {
  liar.honest()
  other.honest()
  ;({ orgId, admin } = await anOrganization(server))
  domain = await provedDomain(names, admin)
  connectionId = await connected(admin, liar)
  visitor = visitorOf(server, [liar.ca, other.ca])
})

const address = () => `${unique()}@${domain}`
const asPerson = (email: string, more: object = {}) => {
  liar.person = { sub: `sub of ${email}`, email, email_verified: true, name: 'Ada Example', ...more }
  return email
}

/** Somebody whom an administrator has created beforehand. */
async function somebody(role: GrantedRole | null = 'groupadmin', email = address()) {
  const [made] = await query<{ id: string }>(
    'insert into users (organization_id, name, email, role) values ($1, $2, $3, $4) returning id',
    [orgId, 'Ada', email, role],
  )
  asPerson(email)
  return { id: made?.id ?? '', email }
}

const change = async (more: {
  creates?: boolean
  grants?: GrantedRole
  rules?: ClaimRule[]
  isOn?: boolean
  secondStep?: 'ours' | 'told' | 'theirs'
}) => {
  const params = { orgId, connectionId }
  const { body } = await admin.call(readConnection, { params })
  const { kind, name, issuer, clientId, isOn, creates, grants, secondStep, rules } = body
  const changed = await admin.call(updateConnection, {
    params,
    body: { kind, name, issuer, clientId, isOn, creates, grants, secondStep, rules, ...more },
  })
  expect([changed.status, changed.problem]).toEqual([200, undefined])
}

const entriesOf = (action: string) =>
  query<{ fault: SignInFault }>(
    `select after->>'fault' as fault from audit where organization_id = $1 and action = $2 order by id`,
    [orgId, action],
  )

/** What became of a sign-in: what our address says, what the audit says, and how many sessions there are. */
async function outcomeOf(led: Promise<Record<string, string>>) {
  const told = await led
  const [entry] = (await entriesOf('auth.sso_refused')).slice(-1)
  const sessions = await query(
    `select from sessions s join users u on u.id = s.user_id where u.organization_id = $1 and 'sso' = any(s.amr)`,
    [orgId],
  )
  return {
    told,
    entry,
    sessions: sessions.length,
    words: signInFaultWords[entry?.fault ?? 'limit'].length > 20,
  }
}

/** Refused with a sentence for this fault, written down, and nobody is let in. */
const refusedFor = (fault: SignInFault) => ({ told: { fault }, entry: { fault }, sessions: 0, words: true })

const tokenOf = (body: Record<string, unknown>) => String(body['token'])
const callAs = (token: string) => {
  const send: Person['send'] = (method, url, more = {}) =>
    server.send(method, url, { ...more, headers: { ...more.headers, authorization: `Bearer ${token}` } })
  return callerFor(send)
}

describe('somebody signs in by their company', () => {
  test('found by their verified address the first time, by the subject from then on, and the token is in no address', async () => {
    const { id, email } = await somebody('groupadmin')
    const first = await signedIn(visitor, connectionId)
    expect(first).toMatchObject({ status: 'authenticated', user: { id, email, role: 'groupadmin' } })
    asPerson(`another.${email}`, { sub: `sub of ${email}`, email_verified: false })
    const second = await signedIn(visitorOf(server, [liar.ca]), connectionId)
    expect(second).toMatchObject({ status: 'authenticated', user: { id, email } })
    const session = await callAs(tokenOf(second))(readSession)
    expect(session.body.user.id).toBe(id)
    const shown = await admin.call(readConnection, { params: { orgId, connectionId } })
    expect(shown.body).toMatchObject({ people: 1, lastFault: null })
    expect(JSON.stringify(shown.body)).not.toContain(liar.clientSecret)
  })

  test('the flow works once, and for the browser that began it alone', async () => {
    await somebody()
    const told = await ledBack(visitor, connectionId)
    const stranger = visitorOf(server, [])
    expect((await stranger.post('/api/auth/sso/exchange', { flow: told['flow'] })).body['code']).toBe(
      'flow_expired',
    )
    expect((await visitor.post('/api/auth/sso/exchange', { flow: told['flow'] })).status).toBe(200)
    expect((await visitor.post('/api/auth/sso/exchange', { flow: told['flow'] })).body['code']).toBe(
      'flow_expired',
    )
  })

  test('nobody is created unless the connection says so, and then as the rules say', async () => {
    asPerson(address(), { groups: ['staff', 'chiefs'] })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('nobody'))
    await change({ creates: true })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('nobody'))
    const [group] = await query<{ id: string }>(
      'insert into groups (organization_id, name) values ($1, $2) returning id',
      [orgId, 'Staff'],
    )
    await change({
      creates: true,
      rules: [
        { claim: 'groups', value: 'chiefs', role: 'groupadmin', groupId: group?.id ?? null },
        { claim: 'groups', value: 'nobody', role: 'admin', groupId: null },
      ],
    })
    const made = await signedIn(visitor, connectionId)
    expect(made).toMatchObject({ user: { name: 'Ada Example', role: 'groupadmin', groupIds: [group?.id] } })
    asPerson(String(liar.person['email']), { groups: ['staff'] })
    expect(await ledBack(visitor, connectionId)).toEqual({ fault: 'no_role' })
    expect((await callAs(tokenOf(made))(readSession)).status).toBe(401)
    expect(await query('select from group_members where group_id = $1', [group?.id])).toEqual([])
  })

  test('who was invited needs no rule: the invitation says what they may do, and is accepted with it', async () => {
    const email = asPerson(address())
    const invited = await admin.call(createInvitation, {
      body: { organizationId: orgId, email, role: 'groupadmin', groupIds: [] },
    })
    expect(invited.status).toBe(201)
    expect(await signedIn(visitor, connectionId)).toMatchObject({ user: { email, role: 'groupadmin' } })
    expect(await query('select state from invitations where email = $1', [email])).toEqual([
      { state: 'accepted' },
    ])
  })

  test('a role that people here gave stays, a rule raises it, and takes away what it gave', async () => {
    const { id } = await somebody('groupadmin')
    await change({ rules: [{ claim: 'team.lead', value: '*', role: 'admin', groupId: null }] })
    const roleNow = async () =>
      (await query<{ role: string }>('select role from users where id = $1', [id]))[0]?.role
    await signedIn(visitor, connectionId)
    expect(await roleNow()).toBe('groupadmin')
    liar.person = { ...liar.person, team: { lead: 'yes' } }
    await signedIn(visitor, connectionId)
    expect(await roleNow()).toBe('admin')
    liar.person = { ...liar.person, team: {} }
    expect(await ledBack(visitor, connectionId)).toEqual({ fault: 'no_role' })
    expect(await roleNow()).toBe(null)
  })

  test('the policy of second steps holds, unless the connection counts as one', async () => {
    await somebody('admin')
    await query(`update organizations set policies = policies || '{"mfa":"required"}' where id = $1`, [orgId])
    expect(await signedIn(visitor, connectionId)).toMatchObject({ status: 'mfa_enrollment_required' })
    await change({ secondStep: 'told' })
    expect(await signedIn(visitor, connectionId)).toMatchObject({ status: 'mfa_enrollment_required' })
    liar.person = { ...liar.person, amr: ['pwd', 'mfa'] }
    expect(await signedIn(visitor, connectionId)).toMatchObject({ status: 'authenticated' })
    liar.person = { ...liar.person, amr: ['pwd'] }
    await change({ secondStep: 'theirs' })
    expect(await signedIn(visitor, connectionId)).toMatchObject({ status: 'authenticated' })
  })

  test('what the token leaves out is asked of the provider, and keys that it changes are known at once', async () => {
    const { email } = await somebody()
    liar.person = { sub: 'only a name' }
    liar.userinfo = { email, email_verified: true }
    expect(await signedIn(visitor, connectionId)).toMatchObject({ user: { email } })
    await liar.rotate()
    expect(await signedIn(visitor, connectionId)).toMatchObject({ user: { email } })
  })

  test('addresses of a proved domain are led to the connection, all alike, and others ask nothing', async () => {
    const { email } = await somebody()
    const config = await server.call(readConfig)
    expect(config.body.claimedDomains).toContain(domainFingerprint(domain))
    expect(config.body.claimedDomains).not.toContain(domainFingerprint('unclaimed.example.com'))
    const found = async (identifier: string) =>
      (await server.call(findConnections, { body: { identifier } })).body
    const known = await found(email)
    expect(known.connections).toEqual([
      { id: connectionId, name: 'Company', organization: 'Acme', isRequired: false },
    ])
    expect(await found(`nobody@${domain}`)).toEqual(known)
    expect(await found('somebody@unclaimed.example.com')).toEqual({ connections: [] })
    await change({ isOn: false })
    expect(await found(email)).toEqual({ connections: [] })
  })
})

describe('what a provider says is not believed', () => {
  const lies: [name: string, fault: SignInFault, lie: () => void][] = [
    ['of another issuer', 'issuer_wrong', () => (liar.lie = (claims) => ({ ...claims, iss: other.issuer }))],
    ['without an issuer', 'issuer_wrong', () => (liar.lie = ({ iss: _none, ...claims }) => claims)],
    ['for another client', 'audience', () => (liar.lie = (claims) => ({ ...claims, aud: 'somebody else' }))],
    [
      'for several clients, handed to another',
      'audience',
      () => (liar.lie = (claims) => ({ ...claims, aud: ['reel', 'else'], azp: 'else' })),
    ],
    ['for nobody', 'audience', () => (liar.lie = ({ aud: _none, ...claims }) => claims)],
    ['of another sign-in', 'nonce', () => (liar.lie = (claims) => ({ ...claims, nonce: 'another' }))],
    ['without a nonce', 'nonce', () => (liar.lie = ({ nonce: _none, ...claims }) => claims)],
    ['expired', 'expired', () => (liar.lie = (claims) => ({ ...claims, exp: Date.now() / 1_000 - 90 }))],
    [
      'made ten minutes ago',
      'expired',
      () => (liar.lie = (claims) => ({ ...claims, iat: Date.now() / 1_000 - 600 })),
    ],
    ['by a clock that is ten minutes slow', 'expired', () => (liar.ahead = -600_000)],
    [
      'from the future',
      'from_future',
      () => (liar.lie = (claims) => ({ ...claims, iat: Date.now() / 1_000 + 600 })),
    ],
    ['by a clock that is ten minutes fast', 'from_future', () => (liar.ahead = 600_000)],
    [
      'not valid yet',
      'from_future',
      () => (liar.lie = (claims) => ({ ...claims, nbf: Date.now() / 1_000 + 600 })),
    ],
    ['without a subject', 'token_invalid', () => (liar.lie = ({ sub: _none, ...claims }) => claims)],
    ['without an end', 'token_invalid', () => (liar.lie = ({ exp: _none, ...claims }) => claims)],
    [
      'with a key of somebody else',
      'signature',
      () => (liar.sign = (claims) => liar.signed(claims, {}, liar.strangerKey)),
    ],
    [
      'with a key of another provider',
      'signature',
      () => (liar.sign = (claims) => other.signed({ ...claims, iss: liar.issuer })),
    ],
    [
      'with a signature that was changed',
      'signature',
      () => (liar.sign = async (claims) => `${(await liar.signed(claims)).slice(0, -6)}AAAAAA`),
    ],
    ['with claims that were changed after it was signed', 'signature', () => (liar.sign = changedAfter)],
    ['without a signature', 'algorithm', () => (liar.sign = async (claims) => unsigned(claims, 'none'))],
    [
      'signed with what both sides share',
      'algorithm',
      () => (liar.sign = async (claims) => unsigned(claims, 'HS256')),
    ],
    [
      'of an address that it has not verified',
      'email_unverified',
      () => (liar.lie = (claims) => ({ ...claims, email_verified: false })),
    ],
    [
      'of an address of which it says nothing',
      'email_unverified',
      () => (liar.lie = ({ email_verified: _none, ...claims }) => claims),
    ],
    ['without an address', 'email_missing', () => (liar.lie = ({ email: _none, ...claims }) => claims)],
    [
      'of an address that is none',
      'email_missing',
      () => (liar.lie = (claims) => ({ ...claims, email: 'ada@' })),
    ],
    [
      'of a domain that is not proved',
      'domain_unproved',
      () => (liar.lie = (claims) => ({ ...claims, email: 'ada@unproved.example.com' })),
    ],
  ]
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = (claims: object, alg: string) =>
    `${part({ alg })}.${part(claims)}.${alg === 'none' ? '' : part(claims)}`
  const changedAfter = async (claims: Record<string, unknown>) => {
    const [head, , signature] = (await liar.signed(claims)).split('.')
    return `${head}.${part({ ...claims, email: `root@${domain}` })}.${signature}`
  }

  test.each(lies)('a token %s: %s', async (_name, fault, lie) => {
    await somebody('admin')
    lie()
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor(fault))
  })

  test('an answer with an error, a secret that is not right any more, an answer that is none', async () => {
    await somebody()
    liar.back = (url) => {
      url.search = new URLSearchParams({
        error: 'access_denied',
        state: url.searchParams.get('state') ?? '',
      }).toString()
      return url
    }
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('provider_refused'))
    liar.honest()
    const answering = (status: number, error: string) => {
      liar.token = (answer) => {
        answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
        return true
      }
    }
    answering(401, 'invalid_client')
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('client_refused'))
    answering(400, 'invalid_grant')
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('code_refused'))
    answering(500, 'out of order')
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('provider_fault'))
  })

  test('a provider that calls itself otherwise by now, and one that is gone', async () => {
    liar.metadata = (honest) => ({ ...honest, issuer: other.issuer })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('provider_fault'))
    await query('update sign_in_connections set issuer = $2 where id = $1', [
      connectionId,
      'https://gone.acme.test',
    ])
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('unreachable'))
  })
})

describe('nobody is led astray', () => {
  const stopped = async (from = visitor) => {
    const page = await from.follow(`/api/auth/sso/${connectionId}`, (url) => !url.includes('/callback'))
    return page.url
  }
  const lands = async (url: string, by = visitor) =>
    toldAt((await by.follow(url, (next) => !isOurPage(next))).url)

  test('the answer is taken once, by the browser that asked, with the state that it asked with', async () => {
    await somebody()
    const answer = await stopped()
    expect(await outcomeOf(lands(answer, visitorOf(server, [liar.ca])))).toEqual(refusedFor('other_browser'))
    const forged = new URL(answer)
    forged.searchParams.set('state', `${String(forged.searchParams.get('state')).slice(0, -1)}x`)
    expect(await outcomeOf(lands(forged.href))).toEqual(refusedFor('flow_unknown'))
    forged.searchParams.delete('state')
    expect(await outcomeOf(lands(forged.href))).toEqual(refusedFor('flow_unknown'))
    expect(await lands(answer)).toEqual({ flow: expect.any(String) })
    expect(await lands(answer)).toEqual({ fault: 'flow_unknown' })
  })

  test('login CSRF: the answer of a stranger, with a code of theirs, signs nobody in', async () => {
    await somebody()
    const theirs = await stopped(visitorOf(server, [liar.ca]))
    await stopped()
    expect(await outcomeOf(lands(theirs))).toEqual(refusedFor('other_browser'))
  })

  test('a code of another sign-in does not fit: the provider has the challenge, and the token the nonce', async () => {
    await somebody()
    const theirs = new URL(await stopped(visitorOf(server, [liar.ca])))
    const mine = new URL(await stopped())
    mine.searchParams.set('code', theirs.searchParams.get('code') ?? '')
    expect(await outcomeOf(lands(mine.href))).toEqual(refusedFor('nonce'))
    const [asked] = liar.asked.filter(({ path }) => path === '/token').slice(-1)
    expect(asked?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
  })

  test('mix-up of two providers: what one answers is not taken for the answer of the other', async () => {
    await somebody()
    const second = await connected(admin, other, { name: 'Other' })
    const answer = new URL(await stopped())
    answer.pathname = answer.pathname.replace(connectionId, second)
    expect(await outcomeOf(lands(answer.href))).toEqual(refusedFor('issuer_wrong'))
    liar.back = (url) => {
      url.searchParams.set('iss', other.issuer)
      return url
    }
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('issuer_wrong'))
    liar.metadata = (honest) => ({ ...honest, authorization_response_iss_parameter_supported: true })
    liar.back = (url) => url
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('issuer_wrong'))
  })

  test('no parameter leads anywhere else, and nothing of a stranger’s stands in our address', async () => {
    for (const name of ['returnTo', 'redirect_uri', 'next', 'url']) {
      const page = await visitor.open(`/api/auth/sso/${connectionId}?${name}=https://evil.example.com`)
      expect([page.status, page.headers['location']]).toEqual([422, undefined])
    }
    liar.back = (url) => {
      url.search = new URLSearchParams({
        error: 'x',
        error_description: 'Call 555',
        state: url.searchParams.get('state') ?? '',
      }).toString()
      return url
    }
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('provider_refused'))
  })

  test('a connection that is off, of a closed organization, or not there', async () => {
    await somebody()
    await change({ isOn: false })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('connection_off'))
    await change({ isOn: true })
    await query(`update organizations set state = 'suspended' where id = $1`, [orgId])
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('organization_closed'))
    expect(await ledBack(visitor, crypto.randomUUID())).toEqual({ fault: 'connection_off' })
  })
})

describe('a connection lets nobody in beyond what is its own', () => {
  test('people of another organization, whatever the provider says', async () => {
    const elsewhere = await anOrganization(server, 'Elsewhere')
    const email = address()
    await query(
      `insert into users (organization_id, name, email, role, password_hash) values ($1, 'Eve', $2, 'admin', 'x')`,
      [elsewhere.orgId, email],
    )
    asPerson(email)
    await change({ creates: true, rules: [{ claim: 'name', value: '*', role: 'admin', groupId: null }] })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('elsewhere'))
  })

  test('a superadmin', async () => {
    const email = address()
    await query(
      `insert into users (name, email, role, password_hash) values ('Root', $1, 'superadmin', 'x')`,
      [email],
    )
    asPerson(email, { role: 'superadmin', groups: ['superadmin'] })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('superadmin'))
  })

  test('a role above its grant, of the person or by a rule', async () => {
    await somebody('admin')
    await change({ grants: 'groupadmin' })
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('above_grant'))
    const params = { orgId, connectionId }
    const { body } = await admin.call(readConnection, { params })
    const { kind, name, issuer, clientId, isOn, creates, secondStep } = body
    const rules = [{ claim: 'groups', value: 'x', role: 'admin' as const, groupId: null }]
    const refused = await admin.call(updateConnection, {
      params,
      body: { kind, name, issuer, clientId, isOn, creates, secondStep, grants: 'groupadmin', rules },
    })
    expect(refused.problem?.fields).toEqual({ 'rules.0.role': ['not_allowed'] })
    await query(`update sign_in_connections set rules = $2 where id = $1`, [
      connectionId,
      JSON.stringify(rules),
    ])
    await somebody('groupadmin')
    liar.person = { ...liar.person, groups: ['x'] }
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('above_grant'))
  })

  test('somebody without a role, switched off, removed, or known by another account of the provider', async () => {
    const recipient = await somebody(null)
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('no_role'))
    const { id, email } = await somebody('groupadmin')
    await query(`update users set state = 'disabled' where id = $1`, [id])
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('disabled'))
    await query(`update users set state = 'active' where id = $1`, [id])
    asPerson(email, { sub: 'a new account with an old address' })
    await query(`update users set deleted_at = now() where id = $1`, [recipient.id])
    const known = await query('select from connection_people where user_id = $1', [id])
    expect(known).toEqual([])
    await query(
      `insert into connection_people (connection_id, organization_id, user_id, subject, claims) values ($1, $2, $3, 'old', '{}')`,
      [connectionId, orgId, id],
    )
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('linked_otherwise'))
    asPerson(email, { sub: 'old' })
    await query(`update users set deleted_at = now() where id = $1`, [id])
    expect(await outcomeOf(ledBack(visitor, connectionId))).toEqual(refusedFor('disabled'))
  })
})
