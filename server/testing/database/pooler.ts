import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import type { Pooling } from '../../platform/db/pooling.ts'
import { freePorts, untilListening } from '../ports.ts'

/** The pooler is PgBouncer from Debian's package. */
export const hasPooler = existsSync('/usr/sbin/pgbouncer')

type Wanted = {
  /** Where PostgreSQL listens on this machine. */
  port: number
  mode: Pooling
  /** Connections of the pooler to PostgreSQL, for each role and database. */
  size?: number
  /** Roles with their passwords that may log in through it. */
  roles: { name: string; password: string }[]
  /** Lines of its configuration. */
  settings?: string[]
}

export type Pooler = { port: number; stop(): Promise<void> }

/** Starts a pooler on a port of this machine, in front of every database of one server. */
export async function startPooler({ port, mode, size = 20, roles, settings = [] }: Wanted): Promise<Pooler> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'sendreel-pooler-'))
  await chmod(home, 0o755)
  const [listen = 0] = await freePorts(1)
  const users = path.join(home, 'users.txt')
  await writeFile(users, roles.map(({ name, password }) => `"${name}" "${password}"\n`).join(''), {
    mode: 0o644,
  })
  const file = path.join(home, 'pgbouncer.ini')
  const lines = `[databases]
* = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 1000
${settings.join('\n')}
`
  await writeFile(file, lines)
  const child = spawn(
    '/usr/sbin/pgbouncer',
    ['-q', ...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file],
    {
      stdio: 'ignore',
      detached: true,
    },
  )
  guard(child, { detached: true })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await untilListening(listen)
  return {
    port: listen,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(home, { recursive: true, force: true })
    },
  }
}
