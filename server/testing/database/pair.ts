import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { existsSync } from 'node:fs'
import pg from 'pg'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { openFolder } from '../processes/process.ts'
import { freePorts, untilListening } from '../ports.ts'
import { startEngine, type Engine, type Major } from './engines.ts'

const haproxy = '/usr/sbin/haproxy'
export const hasHaproxy = existsSync(haproxy)
const example = (name: string) => path.join(import.meta.dirname, '../../../deploy/several', name)

export type Pair = {
  primary: Engine
  /** Of a database, by the address that leads to whoever is the primary. */
  url: Engine['url']
  port: number
  /** The primary ends without a word, and the standby takes its place. Resolves with the milliseconds until the address leads to it. */
  failOver(): Promise<number>
  stop(): Promise<void>
}

/** A primary with a standby that confirms every commit, and one address for both: `deploy/several/postgres-haproxy.cfg`. */
export async function startPair(major: Major): Promise<Pair> {
  // A standby that takes no connections is how the balancer knows which one is the primary.
  const primary = await startEngine({ major, settings: ['hot_standby=off', 'wal_keep_size=256MB'] })
  await primary.run('postgres', 'create role haproxy login')
  const standby = await copyOf(primary)
  await streaming(primary)
  await primary.run('postgres', `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()')
  const [port = 0] = await freePorts(1)
  const balancer = await startHaproxy('postgres-haproxy.cfg', port, (text) =>
    text
      .replace('127.0.0.1:5432', `127.0.0.1:${port}`)
      .replace('10.0.0.21:5432', `127.0.0.1:${primary.port}`)
      .replace('10.0.0.22:5432', `127.0.0.1:${standby.port}`),
  )
  const url: Engine['url'] = (database, role) =>
    primary.url(database, role).replace(`:${primary.port}/`, `:${port}/`)
  const answers = async () => {
    const client = new pg.Client({ connectionString: url('postgres'), connectionTimeoutMillis: 1_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  while (!(await answers())) await pause(100)
  return {
    primary,
    url,
    port,
    async failOver() {
      await primary.kill()
      const began = performance.now()
      await standby.promote()
      while (!(await answers())) await pause(50)
      return performance.now() - began
    },
    async stop() {
      await balancer.stop()
      await standby.stop()
      await primary.stop()
    },
  }
}

/** A copy of a running server, as it is documented for whoever has no program that does it (between `pg_backup_start` and `pg_backup_stop`). */
async function copyOf(primary: Engine): Promise<Engine> {
  const home = await openFolder()
  const data = path.join(home, 'data')
  const client = new pg.Client({ connectionString: primary.url('postgres') })
  await client.connect()
  try {
    await client.query(`select pg_backup_start('standby', true)`)
    const left = new Set(['postmaster.pid', 'postmaster.opts'])
    const filter = (from: string) =>
      !left.has(path.basename(from)) && !from.startsWith(path.join(primary.data, 'pg_wal', ''))
    await cp(primary.data, data, { recursive: true, filter, preserveTimestamps: true })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(path.join(data, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  await mkdir(path.join(data, 'pg_wal', 'archive_status'), { recursive: true })
  await mkdir(path.join(data, 'pg_wal', 'summaries'), { recursive: true })
  const [port = 0] = await freePorts(1)
  const file = path.join(data, 'postgresql.conf')
  const { password, username } = new URL(primary.url('postgres'))
  const conninfo = `host=127.0.0.1 port=${primary.port} user=${username} password=${password} application_name=standby`
  await writeFile(
    file,
    `${(await readFile(file, 'utf8')).replaceAll(`port=${primary.port}`, `port=${port}`)}\nprimary_conninfo='${conninfo}'\n`,
  )
  await writeFile(path.join(data, 'standby.signal'), '')
  return primary.beside({ home, data, port })
}

async function streaming(primary: Engine): Promise<void> {
  for (let left = 300; left > 0; left -= 1) {
    const { rowCount } = await primary.run(
      'postgres',
      `select from pg_stat_replication where application_name = 'standby' and state = 'streaming'`,
    )
    if (rowCount) return
    await pause(100)
  }
  throw new Error('the standby does not follow')
}

/** Starts HAProxy with an example of ours, after `adapted` has written the addresses of a test into it; it listens at `port` then. */
export async function startHaproxy(
  name: string,
  port: number,
  adapted: (text: string) => string,
): Promise<{ stop(): Promise<void> }> {
  const home = await openFolder()
  const file = path.join(home, 'haproxy.cfg')
  await writeFile(file, adapted(await readFile(example(name), 'utf8')))
  const child = spawn(haproxy, ['-db', '-f', file], { stdio: 'ignore', detached: true })
  guard(child, { detached: true, group: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await untilListening(port)
  return {
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(home, { recursive: true, force: true })
    },
  }
}
