import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { hasRow, type Database } from '../db/client.ts'
import { livingKeys, lockKey, startHeartbeat } from '../db/heartbeat.ts'
import { sql } from '../db/sql.ts'
import { safeId } from './keys.ts'
import { makePrivateFolder } from './private.ts'
import { absent } from './store.ts'

/** Folders of this machine in which a process works on files; what lies there is nobody's but its own, and is thrown away. */
export type Scratch = {
  /** Makes a folder for the work on a version; whoever asks removes it. */
  open(versionId: string): Promise<string>
  /** Removes what processes have left behind that are gone, and returns the versions that they worked on. */
  sweep(): Promise<string[]>
  close(): Promise<void>
}

const token = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const abandonedMs = 86_400_000

/**
 * A folder carries the token of its process in its name, whose lock the database holds as long as the process lives. So whoever finds it
 * knows whether its owner is gone, on whatever machine that was, and however often a number of a process is given out again.
 */
export function scratchIn(root: string, db: Pick<Database, 'directUrl' | 'single'>): Scratch {
  const heartbeat = startHeartbeat(db.directUrl, 'scratchOwner')
  const lives = (owner: string) =>
    hasRow(db.single, sql`select 1 where ${lockKey(sql`${owner}`)} in (${livingKeys('scratchOwner')})`)

  /** Releases before this one named the process by its number: those folders go when they are old. */
  const isAbandoned = async (folder: string, owner: string) =>
    token.test(owner)
      ? !(await lives(owner))
      : Date.now() - ((await stat(folder).catch(absent(undefined)))?.mtimeMs ?? 0) > abandonedMs

  return {
    async open(versionId) {
      await makePrivateFolder(root)
      return mkdtemp(path.join(root, `${await heartbeat.token()}.${safeId(versionId)}.`))
    },
    async sweep() {
      const abandoned: string[] = []
      for (const name of await readdir(root).catch(absent([]))) {
        const [owner = '', versionId = ''] = name.split('.')
        const folder = path.join(root, name)
        if (!(await isAbandoned(folder, owner))) continue
        await rm(folder, { recursive: true, force: true })
        abandoned.push(versionId)
      }
      return abandoned
    },
    close: () => heartbeat.leave(),
  }
}
