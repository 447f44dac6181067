import * as z from 'zod/mini'
import type { Role } from './roles.ts'
import type { CallScope } from './scopes.ts'

/** A session of somebody with one of the roles, or a key with the scope; no key where the scope is `person`. */
type RolesAccess = { kind: 'roles'; roles: readonly Role[]; scope: CallScope }
/** `public`: anyone. `capability`: a secret inside the request proves the right. `roles`: a bearer. */
export type Access = { kind: 'public' } | { kind: 'capability' } | RolesAccess

export type Schema = z.ZodMiniType

export type EndpointDefinition = {
  /** Unique; also the OpenAPI operation id and the first part of every query key. */
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/api`, with `:name` for path parameters. `:orgId` binds the request to that organization. */
  path: `/${string}`
  summary: string
  access: Access
  params?: Schema
  query?: Schema
  body?: Schema
  reply: Schema
  status?: 200 | 201 | 202 | 204
  /** How long a client may keep the answer of a GET; left out: 60 seconds. */
  cacheSeconds?: number
  /** The most that a body may have, where 1 MB is too little; the bearer is looked at before it is read. */
  bodyBytes?: number
  /** The body is a file of one of these types, and no JSON; its schema is `FileBody`. */
  bodyTypes?: readonly string[]
  /** The caller must have proved who they are, by password or passkey, within the last ten minutes. */
  fresh?: true
  /** Opens its own transactions: what takes long (a password's hash) must not hold a connection meanwhile. */
  ownTransactions?: true
  /** Waits for one of the few connections that reports have, so that it holds up nothing else. */
  readsMuch?: true
  /** Reads in statements each of which stands alone, and is spared the transaction; what writes fails. */
  readsAlone?: true
  /** Works while the session is locked. */
  whileLocked?: true
  /**
   * While a superadmin views as somebody, reading works and changing does not. `true`: this change works nevertheless, because it
   * is about the session itself. `false`: this is not read, because it is the business of the person looked at alone.
   */
  whileImpersonating?: boolean
  /** Takes fields and parameters that it does not know, and drops them; everywhere else they are refused. */
  dropsUnknown?: true
  /** POST that creates or sends: a repeated `Idempotency-Key` replays the first answer. */
  idempotent?: true
  /** The field of the answer that is told this once: it is neither kept for a repeated `Idempotency-Key` nor logged. */
  toldOnce?: 'token' | 'secret'
  /** Refuses when `If-Match` names another version of what is changed than the present one. */
  ifMatch?: true
  /** Continues a flow of the authentication pages, whose token is in `X-Auth-Flow`. */
  flow?: true
}

export function endpoint<const D extends EndpointDefinition>(definition: D): D {
  return definition
}

export const anyone = { kind: 'public' } as const
export const capability = { kind: 'capability' } as const
export function only(roles: readonly Role[], scope: CallScope): RolesAccess {
  return { kind: 'roles', roles, scope }
}

/** What a key needs for a call; `public` where nobody signs in. */
export const scopeOf = ({ access }: Pick<EndpointDefinition, 'access'>): CallScope | 'public' =>
  access.kind === 'roles' ? access.scope : 'public'

type Part<D, K extends string, Side extends 'in' | 'out'> = D extends { [key in K]: infer S extends Schema }
  ? Side extends 'in'
    ? z.input<S>
    : z.output<S>
  : undefined

/** What a caller hands in. */
export type Params<D> = Part<D, 'params', 'in'>
export type Query<D> = Part<D, 'query', 'in'>
export type Body<D> = Part<D, 'body', 'in'>
/** What a handler sees after validation. */
export type ParsedParams<D> = Part<D, 'params', 'out'>
export type ParsedQuery<D> = Part<D, 'query', 'out'>
export type ParsedBody<D> = Part<D, 'body', 'out'>
export type Reply<D extends EndpointDefinition> = z.output<D['reply']>

/** In lower case, as the database writes it: ids are compared as text. */
export const Id = z.uuid().check(z.toLowerCase())
export const Instant = z.iso.datetime()
/** A moment; or a day, which means its last moment where the organization is. */
export const DayOrInstant = z.union([Instant, z.iso.date()])
export const Nothing = z.strictObject({})
export const VideoParams = z.object({ videoId: Id })
export const TransmissionParams = z.object({ transmissionId: Id })

/** Whatever is sent as text has one line, unless it carries this mark: then it may have many, and tabs. */
export const lines = z.refine<string>(() => true)
/** Marks what is taken as it comes: secrets, and what is read like a file. Its reader sees to what cannot be stored. */
export const asItComes = z.refine<string>(() => true)

/** A text that has to be filled in. */
export const requiredText = (most: number) =>
  z.string().check(z.trim(), z.minLength(1, 'required'), z.maxLength(most, 'too_long'))
export const requiredLines = (most: number) => requiredText(most).check(lines)

/** A whole number that somebody types. */
export const wholeBetween = (least: number, most: number) =>
  z.number().check(z.int('invalid'), z.gte(least, 'too_small'), z.lte(most, 'too_big'))
/** As far as an integer of the database counts. */
export const Count = wholeBetween(0, 2_147_483_647)

/** The answer to a removal: by this operation it can be taken back. */
export const Removed = z.object({ operationId: Id })

/** A reply that is no JSON but a file, sent while it is made. */
export const FileReply = z.custom<{
  name: string
  type: string
  content: AsyncIterable<string | Uint8Array>
}>()

/** A request whose body is a file, handed on as it came. */
export const FileBody = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** Numbers in a query string arrive as text. */
const wholeNumber = (least: number, most: number) =>
  z.coerce.number().check(z.int(), z.gte(least), z.lte(most))

export const PageQuery = z.object({
  offset: z._default(wholeNumber(0, 10_000), 0),
  limit: z._default(wholeNumber(1, 100), 25),
  /** Opaque keyset position; comes from `next` and wins over `offset`. */
  after: z.optional(z.string().check(z.maxLength(500))),
})

/** The same for a list that is read in both directions. */
export const ListQuery = z.extend(PageQuery, {
  /** Opaque keyset position; comes from `previous` and wins over `offset` and `after`. */
  before: z.optional(z.string().check(z.maxLength(500))),
})

/** The orders of a list: by each field upwards and, with a minus, downwards. */
export function bothWays<const Field extends string>(...fields: readonly Field[]) {
  return fields.flatMap((field) => [field, `-${field}`] as const)
}

/** A list answer. `next` is a relative API path that the client passes directly; null on the last page. */
export function page<const S extends Schema>(item: S) {
  return z.object({
    items: z.array(item),
    total: z.number(),
    /** True when `total` stopped counting at 10,000. */
    totalIsMinimum: z.optional(z.boolean()),
    offset: z.number(),
    limit: z.number(),
    next: z.nullable(z.string()),
  })
}

/** The answer of a list that is read in both directions and whose search forgives typing errors. */
export function listPage<const S extends Schema>(item: S) {
  return z.extend(page(item), {
    /** As `next`, towards the beginning. */
    previous: z.nullable(z.string()),
    /** Nothing has the words that were looked for; these come nearest, the nearest first, on one page. */
    approximate: z.optional(z.literal(true)),
  })
}
