import pg from 'pg'
import type { Pooling } from './pooling.ts'
import { hangUp } from './pulse.ts'

/** These settings of PostgreSQL hold for a connection, or behind a pooler for each of its transactions. */
export type Settings = Record<string, string>

const reportConnections = 3

const beginScope = {
  name: 'begin_scope',
  text: `select set_config('app.scope', $1, true), set_config('app.actor', $2, true)`,
}

/** Begins a transaction, in one flush. Gives the id of the backend at which it is, for whoever wants to cancel it. */
export type Begin = (
  client: pg.PoolClient,
  settings: Settings,
  values: [own: string, actor: string],
) => Promise<number>

const beginAt: Begin = async (client, _settings, values) => {
  await Promise.all([client.query('begin'), client.query({ ...beginScope, values })])
  return (client as pg.PoolClient & { processID: number }).processID
}

/** A pooler tells the driver a number of its own, so the backend itself is asked. */
const beginBehind: Begin = (client, _settings, values) =>
  begunWith(client, { name: 'begin_behind', text: `${beginScope.text}, ${backend}`, values })

/** Any backend may have the transaction, so everything that holds for it goes with it. */
const beginAnywhere: Begin = (client, settings, values) => {
  const own = Object.entries(settings).filter(([name]) => name !== 'app.scope')
  return begunWith(client, {
    text: `${beginScope.text}, ${configured(own, { isLocal: true })}, ${backend}`,
    values,
  })
}

const backend = 'pg_backend_pid() as backend'

async function begunWith(client: pg.PoolClient, statement: pg.QueryConfig): Promise<number> {
  const [
    ,
    {
      rows: [found],
    },
  ] = await Promise.all([client.query('begin'), client.query<{ backend: number }>(statement)])
  return found?.backend ?? 0
}

/** Of a transaction that has begun, this is the name of what is the default of a connection. */
const inTransactionName: Record<string, string> = { default_transaction_read_only: 'transaction_read_only' }

const configured = (settings: [string, string][], { isLocal }: { isLocal: boolean }) =>
  settings
    .map(([name, value]) => {
      const given = isLocal ? (inTransactionName[name] ?? name) : name
      return `set_config(${pg.escapeLiteral(given)}, ${pg.escapeLiteral(value)}, ${isLocal})`
    })
    .join(', ')

/** A request that waits longer for a free connection, or for the database to take a new one, is told to come back. */
const connectionTimeoutMillis = 9_000

/** Nobody waits longer than this for a statement, or for a lock that another transaction holds. */
export const bounds: Settings = {
  statement_timeout: '30000',
  lock_timeout: '20000',
  idle_in_transaction_session_timeout: '60000',
  client_min_messages: 'notice',
}

/** These are left for what keeps a connection: the pulse, the queue that listens, two locks of a process, and a backup. */
const keptConnections = 5

/** Divides the connections of a process. None is opened before it is needed, and one that is idle is given back. */
export function sharesOf(connections: number) {
  const left = Math.max(connections - keptConnections, 4)
  const share = (fifteenths: number) => Math.max(1, Math.floor((left * fifteenths) / 15))
  const reports = Math.min(share(3), reportConnections)
  const [system, reading] = [share(4), share(3)]
  return { system, reading, reports, work: Math.max(1, left - system - reading - reports) }
}

type PoolOptions = {
  max: number
  settings: Settings
  pooling: Pooling | undefined
  open: Set<pg.PoolClient>
}

export function poolOf(url: string, { max, settings, pooling, open }: PoolOptions): pg.Pool {
  const all = Object.entries(settings)
  const pipelined: pg.PoolConfig & { pipeline: boolean } = {
    connectionString: url,
    max,
    application_name: 'sendreel',
    pipeline: true,
    connectionTimeoutMillis,
    // A pooler refuses settings at the start of a connection.
    ...(pooling === undefined && { options: all.map(([name, value]) => `-c ${name}=${value}`).join(' ') }),
  }
  const pool = new pg.Pool(pipelined)
  // A connection that breaks, idle or between two statements of a transaction, is replaced at the next use; without a listener its
  // error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    open.add(client)
    client.on('error', () => undefined)
    client.on('notice', (notice) => {
      // The time of the statement was up before a standby had what was committed: nobody may be told that it is saved.
      if (notice.routine === 'SyncRepWaitForLSN') hangUp(client)
    })
    if (pooling === 'session')
      client.query(`select ${configured(all, { isLocal: false })}`).catch(() => hangUp(client))
  })
  pool.on('remove', (client) => open.delete(client))
  return pool
}

/** Returns how a transaction is begun on such a connection. */
export const beginning = (pooling: Pooling | undefined): Begin =>
  pooling === 'transaction' ? beginAnywhere : pooling === 'session' ? beginBehind : beginAt
