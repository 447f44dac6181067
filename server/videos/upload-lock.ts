import type { Lock, Locker } from '@tus/server'
import pg from 'pg'
import * as z from 'zod/mini'
import { row, statementsOn } from '../platform/db/client.ts'
import type { Services } from '../platform/http/services.ts'
import { numbered } from '../platform/db/sql.ts'
import { connectionLock } from '../platform/db/locks.ts'

/** A sender that was silent for so long has probably lost its network: the one that comes back takes over. */
const silentMs = 5_000
const patience = 3_000

type Holder = { lastByteAt: number; release: () => void; gone: Promise<void> }

const busy = { status_code: 423, body: 'Another connection is sending this upload.\n' }

/** Lets one connection write to an upload: among the requests of this process by a table, among processes by advisory locks. */
type UploadLocks = {
  locker: Locker
  /** Bytes of this upload have just arrived. */
  touch(uploadId: string): void
  close(): Promise<void>
}

export function uploadLocks({ db, log }: Pick<Services, 'db' | 'log'>): UploadLocks {
  const holders = new Map<string, Holder>()
  const shared = advisoryLocks(db.url)

  async function takeOver(id: string): Promise<void> {
    const holder = holders.get(id)
    if (!holder) return
    if (performance.now() - holder.lastByteAt < silentMs) throw busy
    holder.release()
    await Promise.race([holder.gone, new Promise((resolve) => setTimeout(resolve, patience))])
    if (holders.has(id)) throw busy
  }

  function newLock(id: string): Lock {
    let leave: (() => void) | undefined
    return {
      async lock(_signal, release) {
        await takeOver(id)
        const { promise: gone, resolve } = Promise.withResolvers<void>()
        const holder = { lastByteAt: performance.now(), release: () => void release(), gone }
        holders.set(id, holder)
        leave = () => {
          holders.delete(id)
          resolve()
        }
        const mine = await shared.take(id).catch((error: unknown) => {
          log.error({ err: error }, 'the lock of an upload could not be taken')
          return false
        })
        if (mine) return
        leave()
        throw busy
      },
      async unlock() {
        await shared.release(id)
        leave?.()
      },
    }
  }

  return {
    locker: { newLock },
    touch(id) {
      const holder = holders.get(id)
      if (holder) holder.lastByteAt = performance.now()
    },
    close: () => shared.close(),
  }
}

const LockAnswer = z.object({ mine: z.boolean() })

/** One connection holds every lock of this process; when the process dies, the database frees them all. */
function advisoryLocks(url: string) {
  let connection: Promise<pg.Client> | undefined
  function connected(): Promise<pg.Client> {
    connection ??= open().catch((error: unknown) => {
      connection = undefined
      throw error
    })
    return connection
  }
  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => (connection = undefined))
    await client.connect()
    return client
  }
  const lock = connectionLock('upload')
  return {
    async take(id: string): Promise<boolean> {
      const client = await connected()
      const answer = await row(statementsOn(client), LockAnswer, numbered(lock.try, [id]))
      return answer?.mine ?? false
    },
    async release(id: string): Promise<void> {
      const client = await connection?.catch(() => undefined)
      await client?.query(lock.release, [id]).catch(() => undefined)
    },
    async close(): Promise<void> {
      const client = await connection?.catch(() => undefined)
      await client?.end()
    },
  }
}
