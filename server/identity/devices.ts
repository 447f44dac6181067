import { deviceIn } from '#contract/evidence/certificate-labels.ts'
import { deviceName } from '#contract/platform/devices.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import cookies from '@fastify/cookie'
import * as z from 'zod/mini'
import { hasRow, row, type Tx, type Database } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { addressOf } from '../platform/http/address.ts'
import { deviceOf } from '../platform/http/agent.ts'
import { agentOf, ipPrefix } from '../platform/http/audit.ts'
import type { Services } from '../platform/http/services.ts'
import { randomToken, sha256 } from '../platform/keys.ts'
import { sayIn } from '../platform/messages.ts'
import { queueNotice } from './notices.ts'
import { Id } from '../platform/db/rows.ts'

const seconds = 365 * 24 * 3_600

/** With `__Host-` no neighbour below the same domain can plant one. Browsers take it with HTTPS and the path `/` only. */
const cookieName = (isSecure: boolean) => (isSecure ? '__Host-device' : 'device')
const isSecure = ({ env }: Services) => env.publicUrl?.startsWith('https:') ?? false

/** Browsers in which somebody has just signed in; the answer carries their name. */
const signedIn = new WeakMap<FastifyRequest, string>()

/** One random name per browser. It proves nothing: it only keeps strangers' tries apart from the owner's. */
export async function nameDevices(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(cookies)
  const secure = isSecure(services)
  app.addHook('onSend', async (request, reply) => {
    const name = signedIn.get(request)
    if (name === undefined || reply.statusCode >= 400) return
    const options = { path: '/', httpOnly: true, sameSite: 'strict', secure, maxAge: seconds } as const
    reply.header('set-cookie', app.serializeCookie(cookieName(secure), name, options))
  })
}

function presented(services: Services, request: FastifyRequest): string | undefined {
  const name = request.cookies[cookieName(isSecure(services))]
  return name !== undefined && /^[\w-]{43}$/.test(name) ? name : undefined
}

type Browser = { services: Services; request: FastifyRequest }

/** Id of this browser's entry with the account of that address; the same work whether or not there is one. */
export async function knownDevice(
  tx: Tx,
  { services, request }: Browser,
  email: string,
): Promise<string | undefined> {
  const name = presented(services, request) ?? ''
  const found = await row(
    tx,
    Id,
    sql`select d.id from devices d join users u on u.id = d.user_id
      where u.email = ${email} and u.password_hash is not null and u.role is not null and u.deleted_at is null
        and d.token_hash = ${sha256(name)}`,
  )
  return found?.id
}

type Owner = { id: string; name: string; email: string; organizationId: string | null }

/**
 * From here on this browser is one of the owner's. Tells them when it was not before, unless they sign in for the very
 * first time.
 */
export async function welcomeDevice(tx: Tx, { services, request }: Browser, owner: Owner): Promise<void> {
  const wasHere = await hasRow(
    tx,
    sql`select 1 where exists (select 1 from sessions where user_id = ${owner.id})
      or exists (select 1 from devices where user_id = ${owner.id})`,
  )
  const isNew = await rememberDevice(tx, { services, request }, owner.id)
  if (!isNew || !wasHere) return
  const browser = deviceName(deviceOf(agentOf(request)))
  const network = ipPrefix(addressOf(request))
  const facts = (language: Language) => ({
    browser: deviceIn(browser, sayIn(language, 'evidence')),
    network,
  })
  await queueNotice(services, tx, { person: owner, event: 'new_device', facts })
}

const RememberedRow = z.object({ isNew: z.boolean() })

/** True when the browser was not known for this person. */
async function rememberDevice(tx: Tx, { services, request }: Browser, userId: string): Promise<boolean> {
  const name = presented(services, request) ?? randomToken()
  const device = await row(
    tx,
    RememberedRow,
    sql`insert into devices (user_id, token_hash, user_agent) values (${userId}, ${sha256(name)}, ${agentOf(request)})
      on conflict (user_id, token_hash) do update set last_seen_at = now(), user_agent = excluded.user_agent
      returning xmax = 0 as "isNew"`,
  )
  signedIn.set(request, name)
  return device?.isNew ?? false
}

/**
 * After a change of the password: whoever knew the former one may have left a browser of theirs among the known ones. Only
 * the one in which it was changed stays.
 */
export async function forgetOtherDevices(tx: Tx, browser: Browser, userId: string): Promise<void> {
  await tx.execute(sql`delete from devices where user_id = ${userId}`)
  await rememberDevice(tx, browser, userId)
}

export const forgetOldDevices = ({ single }: Pick<Database, 'single'>) =>
  single.execute(sql`delete from devices where last_seen_at < now() - interval '1 year'`)
