import '../surroundings.ts'
import { hash } from 'node:crypto'
import type { Writable } from 'node:stream'
import pg from 'pg'
import type * as z from 'zod/mini'
import type { MembershipCause } from '#contract/directory/membership.ts'
import { refuse } from '../errors.ts'
import { callerChanges, noteChangesOf, noteCommit, type CallerChanges } from './changes.ts'
import { checkRows, siteOfCaller } from './checks.ts'
import { beginning, bounds, poolOf, sharesOf, type Settings } from './connections.ts'
import { outageOf } from './outage.ts'
import { defaultConnections, type Pooling } from './pooling.ts'
import { hangUp } from './pulse.ts'
import { scopeKey } from './roles.ts'
import { sql, textOf, type SQL } from './sql.ts'
import { statementNames } from './statements.ts'
import { fairSemaphore } from '../fair-semaphore.ts'
import { inTransaction } from '../tracing/trace.ts'

/** A transaction may touch these rows: those of one organization, or (for the system itself and superadmins) all. */
export type Scope = { organizationId: string } | 'system'

/** This is the one way to the database from within a transaction. What it returns has no type until a schema names it: see `rows`. */
export type Tx = { execute(statement: SQL): Promise<{ rows: unknown[]; rowCount: number | null }> }

type Guarded = { end(): Promise<void> }
/** `actor` is behind a change; `signal` ends the waiting, and the statement that is running, with an error. */
type TransactionOptions = { actor?: string; signal?: AbortSignal | undefined }
type As = <T>(scope: Scope, work: (tx: Tx) => Promise<T>, by?: string | TransactionOptions) => Promise<T>

export type Database = {
  /**
   * Runs `work` in one transaction that the tenant policies hold to `scope`. It commits when `work` resolves, and rolls back when it
   * throws. Begin, scope and the first statement leave in one flush (pipeline), so the policy costs no round trip.
   */
  as: As
  /**
   * Does the same for `work` that reads very much. It waits for one of a few connections of its own, each of which keeps no more than one
   * core of the database busy: however many reports are asked for, evidence is taken in and the console answers. Actors take turns.
   */
  asReport: As
  /**
   * Runs `work` that only reads, in statements that stand alone. The scope holds for `work`, but no transaction is around it, and what
   * writes fails. Scope and first statement leave in one flush; nothing is given to anybody before the database has taken the scope.
   */
  reads: <T>(scope: Scope, work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Runs single statements over all organizations, without a transaction around them, such as looking up a bearer or reading a queue. */
  single: Tx
  /** Runs one text of a library over all organizations, with the types that the driver gives. A text without values may hold several. */
  query(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** These are the connections of `single`, for tests and for a reader that holds one of them for long. Behind a pooler they have no scope. */
  system: pg.Pool
  /** This counts the changes of what callers are made of, whoever makes them. */
  callerChanges: CallerChanges
  url: string
  /** This leads past a pooler, for what has to keep its connection: listening, and locks that last as long as a process. */
  directUrl: string
  /** Says how busy the connections are at this moment. */
  pools(): { name: string; most: number; total: number; idle: number; waiting: number }[]
  /** Ends all connections at once, for a database that does not answer: whatever waits for it fails. New ones are made when needed. */
  breakOff(): void
  close(): Promise<void>
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the pass that opens the rows of one scope to the rest of a transaction, as the setting `app.scope`. */
export function passOf(key: string, scope: Scope): string {
  const name = scope === 'system' ? scope : scope.organizationId.toLowerCase()
  return `${name}:${hash('sha256', `${name}:${key}`)}`
}

const readScope = { name: 'read_scope', text: `select set_config('app.scope', $1, false)` }

function asUuid(id: string): string {
  if (!uuidPattern.test(id)) throw new Error('not an id')
  return id
}

/** Says why memberships change in the rest of this transaction, where it is not simply that a person decided so. */
export async function setCause(tx: Tx, cause: MembershipCause): Promise<void> {
  await tx.execute(sql`select set_config('app.cause', ${cause}, true)`)
}

/**
 * Runs `work` as the system itself within a transaction of one organization, and returns to that organization. It is for facts about the
 * whole installation (an address by which somebody signs in is there once) and for what belongs to no organization.
 */
export async function asSystem<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const pass = passes.get(tx)
  if (!pass) throw new Error('this transaction was not begun here')
  if (pass.own === pass.system) return work()
  const enter = (name: 'own' | 'system') =>
    tx.execute(sql`select set_config('app.scope', ${pass[name]}, true)`)
  const leave = async () => {
    pass.beyond -= 1
    if (pass.beyond === 0) await enter('own')
  }
  pass.beyond += 1
  // Several may do so at once: the first widens the scope, the last narrows it again.
  if (pass.beyond === 1) await enter('system')
  const [done] = await Promise.allSettled([work()])
  const [left] = await Promise.allSettled([leave()])
  // A transaction that has failed takes no more statements, so the statement at which it failed says why.
  if (done.status === 'rejected') throw done.reason
  if (left.status === 'rejected') throw left.reason
  return done.value
}

/** A transaction has its scope by these keys, and may act for the system by them. They are kept here, where no statement reaches. */
const passes = new WeakMap<Tx, { own: string; system: string; beyond: number }>()

type ConnectOptions = {
  /** This process opens no more connections than this, those included that listen and hold locks. */
  connections?: number
  directUrl?: string | undefined
  pooling?: Pooling | undefined
}

/** One kind of connections, and what holds for them. */
type Kind = { pool: pg.Pool; settings: Settings }

export function connect(
  url: string,
  { connections = defaultConnections, directUrl = url, pooling }: ConnectOptions = {},
): Database {
  const key = scopeKey(url)
  const systemPass = passOf(key, 'system')
  const open = new Set<pg.PoolClient>()
  const changes = callerChanges()
  const most = sharesOf(connections)
  const openKind = (max: number, own: Settings): Kind => {
    const settings = { ...bounds, ...own }
    const pool = poolOf(url, { max, settings, pooling, open })
    pool.on('connect', (client) => noteChangesOf(client, changes))
    return { pool, settings }
  }
  const working = openKind(most.work, {})
  const system = openKind(most.system, { 'app.scope': systemPass })
  const reading = openKind(most.reading, { default_transaction_read_only: 'on' })
  const reports = openKind(most.reports, { max_parallel_workers_per_gather: '0' })
  const begin = beginning(pooling)
  const wrapped = new WeakMap<pg.PoolClient, Tx>()

  // A statement that one connection has prepared is not known to the next one.
  const nameOf = pooling === 'transaction' ? () => undefined : statementNames()

  function txOf(client: pg.PoolClient): Tx {
    const tx = wrapped.get(client) ?? statementsOn(client, nameOf)
    wrapped.set(client, tx)
    return tx
  }

  const passFor = (scope: Scope) =>
    scope === 'system' ? systemPass : passOf(key, { organizationId: asUuid(scope.organizationId) })

  /** Does `work` on a connection of this kind, in a transaction that is held to `scope`. */
  async function within<T>(
    kind: Kind,
    {
      own,
      actor = '',
      signal,
    }: { own: string; actor?: string | undefined; signal?: AbortSignal | undefined },
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    const client = await kind.pool.connect()
    let broken: Error | undefined
    let guarded: Guarded | undefined
    try {
      flushTogether(client)
      const begun = begin(client, kind.settings, [own, actor === '' ? '' : asUuid(actor)])
      begun.catch(() => undefined)
      guarded = cancelOn(signal, begun)
      const result = await work(client)
      await begun
      // Behind a pooler the backend is somebody else's as soon as the transaction is over.
      await guarded.end()
      await client.query('commit')
      noteCommit(client, changes)
      return result
    } catch (error) {
      await guarded?.end()
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
      // What has become a standby leads nowhere any more; the next connection may find the primary.
      if (kind !== reading && outageOf(error)) broken ??= new Error('the database is not what it was')
      throw error
    } finally {
      client.release(broken)
    }
  }

  const asFrom =
    (kind: Kind): As =>
    async (scope, work, by) => {
      const own = passFor(scope)
      return within(kind, { own, ...byOf(by) }, (client) => {
        const tx = txOf(client)
        passes.set(tx, { own, system: systemPass, beyond: 0 })
        return work(tx)
      })
    }

  /** A connection for reading is left in this scope, because the next reading is mostly one of the same organization. */
  const entered = new WeakMap<pg.PoolClient, string>()
  const enter = async (client: pg.PoolClient, pass: string) => {
    if (entered.get(client) === pass) return
    entered.delete(client)
    await client.query({ ...readScope, values: [pass] })
    entered.set(client, pass)
  }

  const reads: Database['reads'] = async (scope, work) => {
    const use = { isOver: false, isBroken: false }
    const txOn = (client: pg.PoolClient): Tx => ({
      // A statement that comes late would ask within the scope of somebody else.
      execute: async (statement) => {
        if (use.isOver) throw new Error('this reading is over')
        return txOf(client).execute(statement)
      },
    })
    if (pooling === 'transaction')
      return within(reading, { own: passFor(scope) }, (client) => work(txOn(client))).finally(() => {
        use.isOver = true
      })
    const client = await reading.pool.connect()
    try {
      flushTogether(client)
      const [, result] = await together(enter(client, passFor(scope)), work(txOn(client)))
      return result
    } catch (error) {
      use.isBroken = outageOf(error) !== undefined
      throw error
    } finally {
      use.isOver = true
      client.release(use.isBroken)
    }
  }

  const single: Tx =
    pooling === 'transaction'
      ? { execute: (statement) => asFrom(system)('system', (tx) => tx.execute(statement)) }
      : statementsOn(system.pool, nameOf)
  const query: Database['query'] = (text, values) =>
    pooling === 'transaction'
      ? within(system, { own: systemPass }, (client) => client.query(text, values))
      : system.pool.query(text, values)

  /** Cancels what a transaction is at, again and again, because between two statements there is nothing to cancel. */
  function cancelOn(signal: AbortSignal | undefined, begun: Promise<number>): Guarded {
    let cancelling: Promise<unknown> = Promise.resolve()
    let timer: NodeJS.Timeout | undefined
    const cancel = () => {
      const once = begun.then((backend) => query('select pg_cancel_backend($1)', [backend]))
      cancelling = Promise.allSettled([cancelling, once])
      timer = setTimeout(cancel, cancelAgainMs)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted === true) cancel()
    return {
      async end() {
        signal?.removeEventListener('abort', cancel)
        clearTimeout(timer)
        // A cancelling that comes late would hit whoever has the connection next.
        await cancelling
      },
    }
  }

  const semaphore = fairSemaphore({ places: most.reports, each: Math.max(1, most.reports - 1) })
  const asReport: As = async (scope, work, by) => {
    const { actor, signal } = byOf(by)
    const leave = await semaphore.take(actor ?? '', signal)
    return asFrom(reports)(scope, work, by).finally(leave)
  }

  const kinds = { work: working, system, reading, reports }
  const as = asFrom(working)
  return {
    as: (scope, work, by) => inTransaction(() => as(scope, work, by)),
    asReport: (scope, work, by) => inTransaction(() => asReport(scope, work, by)),
    reads: (scope, work) => inTransaction(() => reads(scope, work)),
    single,
    query,
    system: system.pool,
    callerChanges: changes,
    url,
    directUrl,
    pools: () =>
      Object.entries(kinds).map(([name, { pool }]) => ({
        name,
        most: pool.options.max,
        total: pool.totalCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      })),
    breakOff: () => {
      for (const client of open) hangUp(client)
    },
    close: async () => void (await Promise.all(Object.values(kinds).map(({ pool }) => pool.end()))),
  }
}

/**
 * Makes the way to a connection that the caller holds, or to any of a pool. `nameOf` gives the name by which a statement is prepared, if it
 * is.
 */
export function statementsOn(
  client: pg.ClientBase | pg.Pool,
  nameOf: (text: string) => string | undefined = () => undefined,
): Tx {
  return {
    async execute(statement) {
      const text = textOf(statement)
      const values = [...statement.values]
      // Without values a text may hold several statements, which cannot be prepared.
      const name = values.length > 0 ? nameOf(text) : undefined
      try {
        return await client.query<object>({ text, values, types, ...(name === undefined ? {} : { name }) })
      } catch (cause) {
        throw new Error(`Failed query: ${text}`, { cause })
      }
    },
  }
}

/** Sends everything that is asked before anything is waited for in one write, because each write wakes the other side. */
function flushTogether(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: Writable } }
  connection.stream.cork()
  process.nextTick(() => connection.stream.uncork())
}

const byOf = (by: string | TransactionOptions = {}): TransactionOptions =>
  typeof by === 'string' ? { actor: by } : by

/** Times and days stay as PostgreSQL writes them, to the microsecond and with its infinities, which no Date holds. */
const asWritten = new Set([1082, 1114, 1184, 1186, 1115, 1182, 1185, 1187])
const types: pg.CustomTypesConfig = {
  getTypeParser: (type: number, format?: 'text' | 'binary') =>
    asWritten.has(type) ? (text: string) => text : pg.types.getTypeParser(type, format),
}

const cancelAgainMs = 200

type Schema = z.core.$ZodType

/**
 * Returns the rows of a statement, whose schema the caller names because SQL carries no types. Tests and development compare each row with
 * it; production does not.
 */
export async function rows<Row extends Schema>(tx: Tx, schema: Row, statement: SQL): Promise<z.infer<Row>[]> {
  const site = siteOfCaller()
  const found = await tx.execute(statement)
  if (site !== undefined) checkRows(schema, found.rows, site)
  return found.rows as z.infer<Row>[]
}

/** Returns the first row, or undefined. */
export async function row<Row extends Schema>(
  tx: Tx,
  schema: Row,
  statement: SQL,
): Promise<z.infer<Row> | undefined> {
  return (await rows(tx, schema, statement))[0]
}

/** Returns the first row. Refuses with `not_found` where there is none. */
export async function requireRow<Row extends Schema>(
  tx: Tx,
  schema: Row,
  statement: SQL,
): Promise<z.infer<Row>> {
  const found = await row(tx, schema, statement)
  if (found === undefined) throw refuse('not_found')
  return found
}

/** Returns whether a statement has a row, whatever stands in it. */
export async function hasRow(tx: Tx, statement: SQL): Promise<boolean> {
  return (await tx.execute(statement)).rows.length > 0
}

/** Runs work in a savepoint. If it fails, what it did is undone, and the transaction can go on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.execute(sql`savepoint before`)
  try {
    const done = await work()
    await tx.execute(sql`release savepoint before`)
    return done
  } catch (error) {
    if (!outageOf(error)) await tx.execute(sql`rollback to savepoint before`)
    throw error
  }
}

/** Runs work that may run into something unique. It returns false then; what the work did is undone, and the transaction goes on. */
export async function unlessTaken(tx: Tx, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await inSavepoint(tx, work)
    return true
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const isTaken = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === '23505'
    if (!isTaken) throw error
    return false
  }
}

/** Makes an SQL array parameter of one type. */
export function arrayOf(values: readonly (string | number | null)[], type: string): SQL {
  return sql`${sql.param(values)}::${sql.raw(type)}[]`
}

/** Runs statements that do not need each other's results and leave in one flush. When several fail, the first of them tells why. */
export async function allTogether(work: readonly Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason
}

/**
 * Runs two statements that leave in one flush. When both fail, the first tells why: the second only says that the transaction is over, and
 * may say it sooner.
 */
export async function together<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const ended = await Promise.allSettled([first, second])
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  return Promise.all([first, second])
}
