import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Database } from '../platform/db/client.ts'
import { readEnv, type Env } from '../platform/env.ts'
import { keysOf, secretMarks } from '../platform/keys.ts'
import type { Loop } from '../platform/loop.ts'
import { aServer } from '../testing/worlds.ts'
import { until } from '../testing/until.ts'
import { watchFit } from './fit.ts'

const server = await aServer()
const { dataDir } = server.services.env

const present = 'the secret that this process holds, long enough'
const before = 'the secret before that one, which is long enough'
const later = 'the secret that came after it, which is long enough'
const keys = keysOf(present, before)

const setMark = (secret: string) =>
  server.query(
    'insert into secret_mark (mark) values ($1) on conflict (id) do update set mark = excluded.mark',
    [secretMarks(keysOf(secret))[0]],
  )
beforeEach(() => server.query('delete from secret_mark'))

let watching: Loop | undefined
afterEach(() => watching?.stop())

/** What it says as it ends, what it logs, and a way to wait until it has looked some more times. */
function watch(more: Record<string, string> = {}, db: Pick<Database, 'single'> = server.services.db) {
  const env: Env = readEnv({ DATA_DIR: dataDir, ...more })
  const [ends, logged]: [string[], unknown[]] = [[], []]
  let asked = 0
  const single: Database['single'] = {
    execute(statement) {
      asked += 1
      return db.single.execute(statement)
    },
  }
  const log = { ...server.services.log, error: (entry: unknown) => logged.push(entry) }
  watching = watchFit(
    { db: { ...server.services.db, single }, env, keys, log },
    { everyMs: 5, end: (why) => ends.push(why.message) },
  )
  const someLooks = async () => {
    const enough = asked + 6
    await until(() => Promise.resolve(asked >= enough), 30)
  }
  return { ends, logged, someLooks }
}

test('a process goes on while the database knows no secret, its own, or the one before', async () => {
  const { ends, someLooks } = watch({ SECRET_KEY: present })
  await someLooks()
  for (const secret of [present, before]) {
    await setMark(secret)
    await someLooks()
  }
  expect(ends).toEqual([])
})

test('it ends where the database is one of another secret, and says what to do', async () => {
  await setMark(present)
  const { ends, someLooks } = watch({ SECRET_KEY: present, SECRET_KEY_PREVIOUS: before })
  await someLooks()
  expect(ends).toEqual([])
  await setMark(later)
  await someLooks()
  expect(ends[0]).toMatch(
    /^The secret in SECRET_KEY is not the one that this database has been used with\. Put the right one there/,
  )
})

test('it ends where the secret was changed and others have started with it, and says that a start is enough', async () => {
  const file = path.join(dataDir, 'changed-secret')
  await writeFile(file, later)
  await setMark(later)
  const { ends, someLooks } = watch({ SECRET_KEY_FILE: file })
  await someLooks()
  expect(ends[0]).toBe(
    `The secret was changed since this process began: the one in ${file} fits, and this process has another. Start it anew.`,
  )
})

test('a database that is away says nothing of the secret', async () => {
  const away = connect('postgres://nobody:none@127.0.0.1:1/nothing')
  try {
    const { ends, logged, someLooks } = watch({ SECRET_KEY: present }, away)
    await someLooks()
    expect([ends, logged]).toEqual([[], []])
  } finally {
    await watching?.stop()
    await away.close()
  }
})
