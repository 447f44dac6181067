import { mailForm } from '#contract/identity/addresses.ts'
import type { FastifyRequest } from 'fastify'
import type { Authenticated } from '#contract/identity/auth.ts'
import { hasRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { lock } from '../../platform/db/locks.ts'
import { refuse } from '../../platform/errors.ts'
import { audit } from '../../platform/http/audit.ts'
import type { Services } from '../../platform/http/services.ts'
import { randomToken, sha256 } from '../../platform/keys.ts'
import { hashPassword } from '../password/hash.ts'
import { requireGoodPassword } from '../password/judge.ts'
import { accountById, anybodyExists, type Account } from '../queries.ts'
import { startSession } from '../session.ts'
import { Id } from '../../platform/db/rows.ts'

const linkDays = 7

/** Token of the link that creates the first superadmin; the one of an earlier start ends. Undefined once somebody exists. */
export async function ensureSetupLink({ db }: Services): Promise<string | undefined> {
  return db.as('system', async (tx) => {
    await tx.execute(sql`select ${lock('firstPerson')}`)
    if (await anybodyExists(tx)) return undefined
    const token = randomToken()
    await tx.execute(sql`delete from setup_links where used_at is null`)
    await tx.execute(
      sql`insert into setup_links (token_hash, expires_at) values (${sha256(token)}, now() + make_interval(days => ${linkDays}))`,
    )
    return token
  })
}

type FirstPerson = { email: string; password: string; name: string }

/**
 * The first superadmin without a browser. Whoever is one already stays as they are, password included; refuses when only others exist, or
 * the password is not good.
 */
export async function createSuperadmin(
  services: Services,
  { email, password, name }: { email: string; password: string; name?: string },
): Promise<'created' | 'there'> {
  const first = { email: mailForm(email), password, name: name ?? email.split('@')[0] ?? email }
  if (await services.db.as('system', (tx) => isSuperadmin(tx, first.email))) return 'there'
  const passwordHash = await hashFirst(services, first)
  const created = await services.db.as('system', (tx) => insertFirst(tx, { ...first, passwordHash }))
  if (!created) throw refuse('conflict', { reason: { code: 'somebody_exists' } })
  return 'created'
}

async function isSuperadmin(tx: Tx, email: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from users where email = ${email} and role = 'superadmin' and state = 'active' and deleted_at is null`,
  )
}

async function hashFirst(services: Services, { email, password, name }: FirstPerson): Promise<string> {
  await requireGoodPassword(services, password, { name, email })
  return hashPassword(password)
}

/** Undefined when somebody was first. */
async function insertFirst(
  tx: Tx,
  { email, name, passwordHash }: { email: string; name: string; passwordHash: string },
): Promise<Account | undefined> {
  await tx.execute(sql`select ${lock('firstPerson')}`)
  if (await anybodyExists(tx)) return undefined
  const inserted = await row(
    tx,
    Id,
    sql`insert into users (email, name, password_hash, role) values (${email}, ${name}, ${passwordHash}, 'superadmin') returning id`,
  )
  return inserted && accountById(tx, inserted.id)
}

/** Makes an organization of this name; the directory, which stands above, hands it in. */
export type AddOrganization = (tx: Tx, input: { name: string }) => Promise<{ id: string }>

type SettingUp = { services: Services; request: FastifyRequest; addOrganization: AddOrganization }
type SetupInput = FirstPerson & { setup: string; sample: boolean }

/** First superadmin, session and (if wished) the sample's organization in one transaction: all of it or nothing. */
export async function setUp(setting: SettingUp, input: SetupInput): Promise<Authenticated> {
  const { services, request } = setting
  const { db } = services
  const tokenHash = sha256(input.setup)
  const open = await db.as('system', (tx) =>
    hasRow(
      tx,
      sql`select 1 from setup_links where token_hash = ${tokenHash} and used_at is null and expires_at > now()`,
    ),
  )
  if (!open) throw refuse('link_expired')
  const passwordHash = await hashFirst(services, input)
  return db.as('system', async (tx) => {
    const account = await insertFirst(tx, { ...input, passwordHash })
    const mine = await hasRow(
      tx,
      sql`update setup_links set used_at = now()
        where token_hash = ${tokenHash} and used_at is null and expires_at > now() returning 1`,
    )
    if (!account || !mine) throw refuse('link_expired')
    const by = { request, caller: { userId: account.id } }
    const entry = { organizationId: null, entity: 'user', entityId: account.id }
    await audit(tx, by, { ...entry, action: 'auth.set_up', after: { sample: input.sample } })
    if (input.sample) await addSample(setting, tx)
    return startSession(tx, account, { services, request, amr: ['pwd'] })
  })
}

async function addSample({ services: { jobs }, addOrganization }: SettingUp, tx: Tx): Promise<void> {
  const { id: organizationId } = await addOrganization(tx, { name: 'Sample organization' })
  await jobs.send(tx, 'sample.fill', { organizationId })
}
