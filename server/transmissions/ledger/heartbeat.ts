import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { connectionLock, locks } from '../../platform/db/locks.ts'

/** This is a living worker. Its leases are good as long as its database connection holds the lock of its token. */
type Heartbeat = {
  /** Returns the token for new leases. It is another one after the connection was lost. */
  token(): Promise<string>
  leave(): Promise<void>
}

export function startHeartbeat(url: string): Heartbeat {
  let present: Promise<{ token: string; client: pg.Client }> | undefined

  /** Takes the lock on a connection of its own, whose end, however it comes, is what ends the lock. */
  async function open() {
    const token = randomUUID()
    const client = new pg.Client({ connectionString: url, keepAlive: true })
    const lost = () => {
      present = undefined
    }
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.connect()
      await client.query(connectionLock('sendingWorker').wait, [token])
    } catch (error) {
      present = undefined
      throw error
    }
    return { token, client }
  }

  return {
    async token() {
      present ??= open()
      return (await present).token
    },
    async leave() {
      await (await present?.catch(() => undefined))?.client.end()
    },
  }
}

/**
 * This query selects the keys of the locks that living workers hold, to compare with `lockKey` of a lease. PostgreSQL frees them when a
 * worker crashes.
 */
export const livingKeys: SQL = sql`select l.objid from pg_locks l where l.locktype = 'advisory' and l.granted
  and l.classid = ${sql.raw(String(locks.sendingWorker))} and l.objsubid = 2
  and l.database = (select oid from pg_database where datname = current_database())`

export function lockKey(token: SQL): SQL {
  return sql`(hashtext(${token}::text)::bigint & 4294967295)::oid`
}
