import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { sha256 } from '../../platform/keys.ts'

/** A request of a browser that signs in, and its answer. */
export type Visit = { services: Services; request: FastifyRequest; reply: FastifyReply }

/** What a sign-in is for: to enter, to try a connection, or to prove that one is still there. */
export const Aim = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('sign_in') }),
  z.object({
    kind: z.literal('trial'),
    by: z.string(),
    /** As it was typed, and not saved; the secret sealed, base64. */
    provider: z.nullable(z.object({ issuer: z.string(), clientId: z.string(), sealed: z.string() })),
  }),
  z.object({ kind: z.literal('proof'), sessionId: z.string(), userId: z.string() }),
])
export type Aim = z.infer<typeof Aim>

/** What the provider was asked with. It never leaves the server, but for `state` and what follows from `verifier`. */
const Question = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** ms */
  askedAt: z.number(),
})

/** Whom the provider's answer was found to be. */
const Found = z.object({
  personId: z.string(),
  userId: z.string(),
  sid: z.nullable(z.string()),
  isSecondStep: z.boolean(),
})
export type FoundPerson = z.infer<typeof Found>

/** `offered`: may be begun, once. `asked`: the provider was asked. `answered`: its answer is being looked at. `done`: to be exchanged. */
const stages = ['offered', 'asked', 'answered', 'done'] as const

export const ConnectionFlow = z.object({
  id: z.string(),
  tokenHash: z.instanceof(Buffer),
  data: z.object({
    connectionId: z.string(),
    stage: z.enum(stages),
    aim: Aim,
    question: z.optional(Question),
    found: z.optional(Found),
  }),
})
export type ConnectionFlow = z.infer<typeof ConnectionFlow>

const columns = sql`id, token_hash as "tokenHash", data`
const isOpen = sql`purpose = 'connection' and used_at is null and expires_at > now()`

export const flowById = (tx: Tx, id: string): Promise<ConnectionFlow | undefined> =>
  row(tx, ConnectionFlow, sql`select ${columns} from flows where id = ${id} and ${isOpen}`)

export const flowByToken = (tx: Tx, token: string): Promise<ConnectionFlow | undefined> =>
  row(tx, ConnectionFlow, sql`select ${columns} from flows where token_hash = ${sha256(token)} and ${isOpen}`)

type Step = { from: (typeof stages)[number]; to: Partial<ConnectionFlow['data']>; token?: string }

/** Of two that take the same step, one does. A new `token` takes the place of the one before. */
export async function takeStep(
  tx: Tx,
  { id }: Pick<ConnectionFlow, 'id'>,
  { from, to, token }: Step,
): Promise<boolean> {
  const hash = token === undefined ? sql`token_hash` : sql`${sha256(token)}`
  const taken = await tx.execute(
    sql`update flows set data = data || ${JSON.stringify(to)}::jsonb, token_hash = ${hash}
      where id = ${id} and ${isOpen} and data->>'stage' = ${from}`,
  )
  return taken.rowCount === 1
}

export async function endFlow(tx: Tx, { id }: Pick<ConnectionFlow, 'id'>): Promise<boolean> {
  const ended = await tx.execute(sql`update flows set used_at = now() where id = ${id} and used_at is null`)
  return ended.rowCount === 1
}

const seconds = 600
/** As many at once as somebody has windows open; the oldest go, so that the head of a request stays short. */
const mostAtOnce = 5

const isSecure = ({ publicUrl }: Pick<Services, 'publicUrl'>) => publicUrl().startsWith('https:')
/** With `__Host-` no neighbour below the same domain can plant one. */
const prefixOf = (services: Pick<Services, 'publicUrl'>) => (isSecure(services) ? '__Host-sso-' : 'sso-')

const optionsFor = (services: Pick<Services, 'publicUrl'>) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(services) }) as const

/** The browser that began, and no other, goes on: the token lies in a cookie that no script reads and no address carries. */
export function bindToBrowser(
  { services, request, reply }: Visit,
  { id, token }: { id: string; token: string },
): void {
  const prefix = prefixOf(services)
  const others = Object.keys(request.cookies)
    .filter((name) => name.startsWith(prefix))
    .toSorted()
  for (const name of others.slice(0, Math.max(0, others.length - mostAtOnce + 1)))
    reply.clearCookie(name, optionsFor(services))
  reply.setCookie(`${prefix}${id}`, token, { ...optionsFor(services), maxAge: seconds })
}

export function isOfBrowser({ services, request }: Omit<Visit, 'reply'>, flow: ConnectionFlow): boolean {
  const token = request.cookies[`${prefixOf(services)}${flow.id}`]
  return token !== undefined && sha256(token).equals(flow.tokenHash)
}

export function forgetBrowser(
  { services, reply }: Omit<Visit, 'request'>,
  { id }: Pick<ConnectionFlow, 'id'>,
): void {
  reply.clearCookie(`${prefixOf(services)}${id}`, optionsFor(services))
}
