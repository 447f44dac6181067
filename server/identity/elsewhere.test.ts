import { beforeEach, describe, expect, test, vi } from 'vitest'
import { acceptInvitation, openInvitation } from '#contract/identity/acceptance.ts'
import { listAudit } from '#contract/platform/audit.ts'
import { forgotPassword } from '#contract/identity/auth.ts'
import { changeUsers } from '#contract/directory/bulk.ts'
import {
  createImport,
  listImportRows,
  rehearseImport,
  startImport,
  updateImport,
} from '#contract/imports/imports.ts'
import {
  createInvitation,
  inviteMany,
  listInvitations,
  resendInvitation,
} from '#contract/directory/invitations.ts'
import { listOperationRows } from '#contract/operations.ts'
import { search } from '#contract/search.ts'
import { createUser, listUsers, readUser, updateUser, type User } from '#contract/directory/users.ts'
import { identities, network, password, said } from '../testing/sign-in/identities.ts'
import { invitedToken } from '../testing/mail/invited.ts'
import { endOf, takeOperationBack } from '../testing/operations.ts'
import type { Person } from '../testing/server.ts'
import { aWorkingServer } from '../testing/worlds.ts'

const server = await aWorkingServer()

let orgId: string
let admin: Person
const are = identities(server)
beforeEach(async () => {
  orgId = await server.organization()
  admin = await are.somebody('admin', orgId)
})

const fresh = () => `${crypto.randomUUID()}@example.test`
const added = async (input: { email: string; role?: 'admin' | null }): Promise<User> =>
  (await admin.call(createUser, { params: { orgId }, body: { name: 'Somebody', ...input } })).body
const change = (userId: string, body: { email: string; role?: 'admin' | null }) =>
  admin.call(updateUser, { params: { orgId, userId }, body: { name: 'Somebody', ...body } })

async function removedAndBack(userIds: string[]) {
  const selection = { userIds }
  const body = { selection, do: { action: 'remove' as const } }
  const { id } = (await admin.call(changeUsers, { params: { orgId }, body })).body
  await endOf(admin, id)
  const back = await takeOperationBack(admin, id)
  return [back, (await admin.call(listOperationRows, { params: { operationId: id } })).body.items]
}

async function imported(email: string) {
  const body = { fileName: 'people.csv', content: `name,email,role\nSomebody,${email},admin\n` }
  const { id, mapping } = (await admin.call(createImport, { params: { orgId }, body })).body
  const params = { orgId, importId: id }
  await admin.call(updateImport, { params, body: { mapping, options: {} } })
  const rehearsed = (await admin.call(rehearseImport, { params })).body
  const started = await admin.call(startImport, { params })
  const done = await endOf(admin, id)
  return [rehearsed, started.body, done, (await admin.call(listImportRows, { params })).body.items]
}

/** What an administrator may do with an address, and what is answered. */
const acts: Record<string, (email: string) => Promise<unknown>> = {
  'adding with a role': (email) => added({ email, role: 'admin' }),
  'giving a role': async (email) => change((await added({ email })).id, { email, role: 'admin' }),
  'another email for somebody who signs in': async (email) =>
    change((await are.somebody('admin', orgId)).id, { email }),
  'another email for somebody who is invited': async (email) =>
    change((await added({ email: fresh(), role: 'admin' })).id, { email, role: 'admin' }),
  'carrying out an import': imported,
  'undoing a removal': async (email) => removedAndBack([(await added({ email, role: 'admin' })).id]),
  'inviting, and once more': async (email) => {
    const body = { organizationId: orgId, email, role: 'admin' as const }
    const first = await admin.call(createInvitation, { body })
    const params = { invitationId: first.body.id }
    return [
      first,
      await admin.call(resendInvitation, { params }),
      await admin.call(createInvitation, { body }),
    ]
  },
  'inviting many': (email) =>
    admin.call(inviteMany, {
      body: { organizationId: orgId, role: 'admin', addresses: email, groupIds: [], dryRun: false },
    }),
  'a forgotten password': async (email) => {
    await added({ email, role: 'admin' })
    const mailed = async () => (await are.mailsTo(email)).filter(({ text }) => text.includes('?invite='))
    const answer = await server.call(forgotPassword, { body: { identifier: email }, headers: network() })
    await vi.waitFor(async () => expect(await mailed()).toHaveLength(2))
    return answer
  },
  'signing in with guesses': async (email) => {
    await added({ email, role: 'admin' })
    return [await are.enter(email, 'guess'), await are.enter(email, 'another guess')]
  },
}

/** What the organization shows of it afterwards, with its log. */
async function visible(email: string) {
  return [
    (await admin.call(listUsers, { params: { orgId }, query: { q: email } })).body,
    (await admin.call(listInvitations, { query: { q: email } })).body,
    (await admin.call(search, { query: { q: email } })).body,
    (await admin.call(listAudit, {})).body,
  ]
}

const passing = new Set(['headers', 'requestId', 'flowToken', 'maskedDestination', 'network', 'seal'])

/** Without what differs from one time to another. */
function plain(shown: unknown, email: string): unknown {
  return JSON.parse(
    JSON.stringify(shown, (key, value: unknown) => (passing.has(key) ? undefined : value))
      .replaceAll(email, 'the address')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}@example\.test/g, 'another address')
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, 'id')
      .replaceAll(/person-\d+-\w+@example\.test|Person \d+/g, 'person')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
      .replaceAll(/"hash":"[^"]+"/g, '"hash":""'),
  )
}

describe('an administrator cannot tell who has an account in another organization, by', () => {
  test.each(Object.keys(acts))('%s', async (name) => {
    const notified = async (email: string) => {
      orgId = await server.organization()
      admin = await are.somebody('admin', orgId)
      const answer = await acts[name]?.(email)
      return plain([answer, await visible(email)], email)
    }
    const nobody = await notified(fresh())
    const account = await are.somebody()
    const email = fresh()
    await are.change('update users set email = $2 where id = $1', [account.id, email])
    expect(await notified(email)).toEqual(nobody)
    // Neither taken over nor locked out.
    expect((await are.enter(email)).body).toMatchObject({ user: { id: account.id } })
  })
})

test('the address signs in where it was accepted first, and the other invitation tells only its holder', async () => {
  const email = fresh()
  const first = await added({ email, role: 'admin' })
  const here = await invitedToken(server, email)
  const other = await are.somebody()
  const params = { orgId: other.organizationId ?? '' }
  const body = { name: 'Wanted', email, role: 'admin' as const }
  const wanted = (await other.call(createUser, { params, body })).body
  const there = await invitedToken(server, email)
  const answer = { name: 'Ada', password }
  const accept = (token: string) =>
    server.call(acceptInvitation, { params: { token }, body: answer, headers: network() })
  expect(said(await accept(here))).toBe('authenticated')
  expect((await server.call(openInvitation, { params: { token: there } })).body.account).toBe('elsewhere')
  expect((await accept(there)).problem?.code).toBe('conflict')
  const shown = await other.call(readUser, { params: { ...params, userId: wanted.id } })
  expect(shown.body).toMatchObject({ role: 'admin', state: 'invited' })
  const entered = await are.enter(email)
  expect(entered.body).toMatchObject({ user: { id: first.id, organizationId: orgId } })
})

test('of two who accept at once one gets the address', async () => {
  const email = fresh()
  await added({ email, role: 'admin' })
  const here = await invitedToken(server, email)
  const other = await are.somebody()
  const body = { name: 'Wanted', email, role: 'admin' as const }
  await other.call(createUser, { params: { orgId: other.organizationId ?? '' }, body })
  const tokens = [here, await invitedToken(server, email)]
  const answers = await Promise.all(
    tokens.map((token) =>
      server.call(acceptInvitation, {
        params: { token },
        body: { name: 'Ada', password },
        headers: network(),
      }),
    ),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(said(await are.enter(email))).toBe('authenticated')
})
