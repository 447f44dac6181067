import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { sql, type SQL } from './sql.ts'
import { connectionLock, locks, type LockName } from './locks.ts'

/** The locks that a process holds as long as it lives, each with a token of its own. */
type LifeLock = Extract<LockName, 'sendingWorker' | 'scratchOwner'>

/** This process lives. What it has marked with its token is its own as long as its database connection holds the lock of the token. */
export type Heartbeat = {
  /** Returns the token for what is marked from now on. It is another one after the connection was lost. */
  token(): Promise<string>
  leave(): Promise<void>
}

export function startHeartbeat(url: string, name: LifeLock): Heartbeat {
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
      await client.query(connectionLock(name).wait, [token])
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

const shared = new WeakMap<object, { heartbeat: Heartbeat; users: number }>()

/** The one heartbeat of a process that sends, for all that do: each of them would keep a connection. It ends when the last has left. */
export function sendingHeartbeat(db: { directUrl: string }): Heartbeat {
  const found = shared.get(db) ?? { heartbeat: startHeartbeat(db.directUrl, 'sendingWorker'), users: 0 }
  found.users += 1
  shared.set(db, found)
  return {
    token: () => found.heartbeat.token(),
    async leave() {
      found.users -= 1
      if (found.users > 0) return
      shared.delete(db)
      await found.heartbeat.leave()
    },
  }
}

/**
 * This query selects the keys of the locks that living processes hold, to compare with `lockKey` of a token. PostgreSQL frees them when a
 * process crashes.
 */
export const livingKeys = (
  name: LifeLock,
): SQL => sql`select l.objid from pg_locks l where l.locktype = 'advisory' and l.granted
  and l.classid = ${sql.raw(String(locks[name]))} and l.objsubid = 2
  and l.database = (select oid from pg_database where datname = current_database())`

export function lockKey(token: SQL): SQL {
  return sql`(hashtext(${token}::text)::bigint & 4294967295)::oid`
}
