import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest'
import { openFolder, postmasterOf, start } from './testing/processes/process.ts'

/** Machines that somebody had: whatever is met later gets a row. Each starts a copy of one installation that was prepared before. */

const root = path.resolve(import.meta.dirname, '..')
const main = path.join(import.meta.dirname, 'main.ts')
const isRoot = process.getuid?.() === 0

let folder: string
let prepared: string

beforeAll(async () => {
  folder = await openFolder()
  prepared = path.join(folder, 'prepared')
  const first = await start({ ...plain, DATA_DIR: prepared })
  first.child.kill('SIGTERM')
  await first.ended
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Nothing of the machine that runs the tests but where its programs are. */
const plain = {
  PATH: process.env['PATH'] ?? '',
  HOME: os.homedir(),
  PORT: '0',
  HOST: '127.0.0.1',
  RUN: 'api',
  LOG_LEVEL: 'warn',
}

type Machine = {
  name: string
  /** Undefined takes a variable away. */
  env?: Record<string, string | undefined>
  /** Words of a shell around the program, which is "$@". */
  shell?: string
  /** Without anything that was prepared. */
  isFresh?: true
  /** What it must print, served or not. */
  says?: RegExp
  /** Refuses to start; otherwise it has to serve. */
  ends?: true
  /** Why this cannot be tried here. */
  lacks?: () => string | undefined
  /** What else must hold of the machine that serves. */
  also?: (at: { url: string; dataDir: string }) => unknown
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
const needsRoot = () => (isRoot ? undefined : 'only root can make such a machine')
const needsMounts = () =>
  spawnSync('/usr/bin/unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? undefined
    : 'no file systems may be mounted here'
const needsIpv6 = () =>
  Object.values(os.networkInterfaces())
    .flat()
    .some((one) => one?.address === '::1')
    ? undefined
    : 'this machine has no IPv6'

/** Runs the program where a small file system is mounted at /mnt, which only it sees. */
const mounted = (options: string, before = ':') =>
  `exec unshare --mount sh -c 'mount -t tmpfs -o ${options} tmpfs /mnt && ${before} && exec "$@"' sh "$@"`

const machines: Machine[] = [
  {
    name: 'variables of PostgreSQL’s own programs',
    env: {
      PGSSLMODE: 'verify-full',
      PGOPTIONS: '-c no_such_setting=1',
      PGHOST: 'nowhere.invalid',
      PGPORT: '1',
      PGUSER: 'nobody',
      PGPASSWORD: 'none',
      PGDATABASE: 'none',
      PGAPPNAME: 'other',
      PGDATA: '/nowhere',
      PGSERVICE: 'none',
      PGTZ: 'nowhere',
      PGCLIENTENCODING: 'LATIN1',
      PGCONNECT_TIMEOUT: '1',
      PGREPLICATION: 'database',
    },
  },
  { name: 'HOST=::1', env: { HOST: '::1' }, says: /ready at http:\/\/\[::1\]:\d+\n/, lacks: needsIpv6 },
  { name: 'HOST=::', env: { HOST: '::' }, says: /ready at http:\/\/localhost:\d+\n/, lacks: needsIpv6 },
  { name: 'HOST=0.0.0.0', env: { HOST: '0.0.0.0' }, says: /ready at http:\/\/localhost:\d+\n/ },
  {
    name: 'HOST of another machine',
    env: { HOST: '192.0.2.1' },
    ends: true,
    says: /HOST: this machine has no address 192\.0\.2\.1/,
  },
  {
    name: 'HOST that nobody knows',
    env: { HOST: 'nowhere.invalid' },
    ends: true,
    says: /HOST: nobody knows the name nowhere\.invalid/,
  },
  { name: 'no HOME, no USER', env: { HOME: undefined, USER: undefined, LOGNAME: undefined } },
  {
    name: 'languages and a zone that nobody knows',
    env: { LANG: 'xx_YY.KOI8', LC_ALL: 'none', TZ: 'Nowhere/At_all' },
  },
  { name: 'an empty PATH', env: { PATH: '' } },
  {
    name: 'options for Node.js',
    env: { NODE_OPTIONS: '--max-old-space-size=512 --trace-warnings', NODE_ENV: 'development' },
  },
  {
    name: 'a name that is almost right',
    env: { SMTP_URI: 'x' },
    says: /SMTP_URI is set and not read\. Is SMTP_URL meant\?/,
  },
  {
    name: 'blanks around values',
    env: { PORT: ' 0 ', HOST: ' localhost\n' },
    says: /ready at http:\/\/localhost:\d+\n/,
  },
  {
    name: 'a PUBLIC_URL with a path',
    env: { PUBLIC_URL: 'https://here.test/a' },
    ends: true,
    says: /PUBLIC_URL: must begin with/,
  },
  {
    name: 'a secret of blanks',
    env: { SECRET_KEY: ' '.repeat(40) },
    ends: true,
    says: /SECRET_KEY: holds nothing but blanks/,
  },
  {
    name: 'a secret file that is not there',
    env: { SECRET_KEY_FILE: '/nowhere' },
    ends: true,
    says: /SECRET_KEY_FILE: must be a file/,
  },
  {
    name: 'a database with PGSSLMODE beside it',
    env: { DATABASE_URL: 'postgres://a:b@c/d', PGSSLMODE: 'require' },
    ends: true,
    says: /DATABASE_URL: .*sslmode=require/,
  },
  {
    name: 'a TMPDIR that is not there',
    env: { TMPDIR: '/nowhere' },
    says: /Nothing can be written to \/nowhere.* \/tmp is used/,
  },
  {
    name: 'temporary files that are full',
    env: { TMPDIR: '/mnt' },
    shell: mounted('size=4k', 'head -c 4096 /dev/zero >/mnt/full'),
    lacks: needsMounts,
    says: /Nothing can be written to \/mnt.* \/tmp is used/,
  },
  {
    name: 'temporary files that are read-only',
    env: { TMPDIR: '/mnt' },
    shell: mounted('ro'),
    lacks: needsMounts,
    says: /Nothing can be written to \/mnt/,
  },
  {
    name: 'temporary files that run nothing',
    env: { TMPDIR: '/mnt' },
    shell: mounted('noexec'),
    lacks: needsMounts,
  },
  {
    name: 'a DATA_DIR that is full',
    env: { DATA_DIR: '/mnt' },
    shell: mounted('size=4k', 'head -c 4096 /dev/zero >/mnt/full'),
    lacks: needsMounts,
    ends: true,
    says: /The disk is full: make room/,
  },
  {
    name: 'a DATA_DIR that is read-only',
    env: { DATA_DIR: '/mnt' },
    shell: mounted('ro'),
    lacks: needsMounts,
    ends: true,
    says: /DATA_DIR \/mnt cannot be used as a directory .*Name another one/,
  },
  {
    name: 'a DATA_DIR of an ordinary user that runs no programs',
    env: { DATA_DIR: '/mnt' },
    shell: `exec unshare --mount sh -c 'mount -t tmpfs -o noexec,mode=777 tmpfs /mnt && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' sh "$@"`,
    lacks: needsMounts,
    ends: true,
    says: /Programs may not be run from .*noexec/,
  },
  { name: 'umask 077', shell: 'umask 077; exec "$@"', isFresh: true, also: isClosed },
  { name: 'umask 000', shell: 'umask 000; exec "$@"', isFresh: true, also: isClosed },
  {
    name: 'a DATA_DIR that anybody may write to',
    shell: 'chmod 777 "$DATA_DIR"; exec "$@"',
    also: ({ dataDir }) => expect(modeOf(dataDir)).toBe('755'),
  },
  { name: 'no standard input', shell: 'exec "$@" <&-' },
  { name: 'no place for errors', shell: 'exec "$@" 2>&-' },
  {
    name: 'a full disk behind the log',
    shell: 'exec "$@" 2>/dev/full',
    lacks: () => (existsSync('/dev/full') ? undefined : 'no /dev/full'),
  },
  {
    name: 'root without capabilities',
    shell: 'exec setpriv --bounding-set=-all --inh-caps=-all "$@"',
    ends: true,
    lacks: needsRoot,
    says: /may not become user id \d+, although it is root: give it the capabilities SETUID/,
  },
  {
    name: 'no process left',
    shell: 'exec prlimit --nproc=0 setpriv --bounding-set=-sys_resource,-sys_admin --inh-caps=-all "$@"',
    ends: true,
    lacks: needsRoot,
    says: /no further process may be started here: raise the limit/,
  },
]

function isClosed({ dataDir }: { dataDir: string }): void {
  expect(modeOf(dataDir)).toBe(isRoot ? '711' : '700')
  for (const entry of readdirSync(dataDir, { withFileTypes: true }))
    if (entry.name !== 'database-location')
      expect([entry.name, modeOf(path.join(dataDir, entry.name)).slice(1)]).toEqual([entry.name, '00'])
}

/** The installation of a row: a copy of the prepared one, with its owners. */
async function installationOf({ isFresh }: Machine): Promise<string> {
  const own = await mkdtemp(path.join(folder, 'machine-'))
  await chmod(own, 0o755)
  const dataDir = path.join(own, 'data')
  if (!isFresh) execFileSync('cp', ['-a', prepared, dataDir])
  return dataDir
}

const environmentOf = ({ env }: Machine, dataDir: string) => {
  const all = Object.entries({ ...plain, DATA_DIR: dataDir, ...env })
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

type Run = { child: ChildProcess; output: () => string; ended: Promise<unknown> }

function run(machine: Machine, dataDir: string, file = main): Run {
  const shell = machine.shell ?? 'exec "$@"'
  const child = spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, file], {
    env: environmentOf(machine, dataDir),
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) }
}

async function addressOf({ output, child }: Run): Promise<string> {
  const found = () =>
    /Server listening at (\S+?)"/.exec(output())?.[1] ?? / is ready at (http\S+)\n/.exec(output())?.[1]
  await expect
    .poll(() => found() ?? (child.exitCode === null ? undefined : output()), { timeout: 60_000 })
    .toMatch(/^https?:/)
  return found() ?? ''
}

function requireHere({ skip }: TestContext, { lacks }: Machine): void {
  const reason = lacks?.()
  if (reason !== undefined) skip(reason)
}

type Trial = { machine: Machine; program: Run; dataDir: string }

async function requireServes({ machine, program, dataDir }: Trial): Promise<void> {
  const url = await addressOf(program)
  expect((await fetch(`${url}/api/health`)).status).toBe(200)
  await machine.also?.({ url, dataDir })
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  expect(postmasterOf(dataDir)).toBeUndefined()
}

async function requireRefuses({ program }: Trial): Promise<void> {
  expect(await program.ended).toBe(1)
}

test.for(machines)('$name', async (machine, context) => {
  requireHere(context, machine)
  const dataDir = await installationOf(machine)
  const program = run(machine, dataDir)
  await (machine.ends ? requireRefuses : requireServes)({ machine, program, dataDir })
  expect(program.output()).toMatch(machine.says ?? /^/)
})

test('a reader of the log that goes away ends nothing', async (context) => {
  const machine: Machine = { name: 'pipe', env: { LOG_LEVEL: 'info' } }
  requireHere(context, machine)
  const program = run(machine, await installationOf(machine))
  const url = await addressOf(program)
  program.child.stdout?.destroy()
  program.child.stderr?.destroy()
  for (let times = 0; times < 20; times++) expect((await fetch(`${url}/api/health`)).status).toBe(200)
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
})

const commands = { doctor: 'doctor/command.ts', backup: 'backup/command.ts' }

test.for(Object.entries(commands))(
  'variables of PostgreSQL’s own programs do not reach %s',
  async ([, file]) => {
    const machine = { ...machines[0], name: file }
    const dataDir = await installationOf(machine)
    const program = run(
      { ...machine, env: { ...machine.env, RUN: 'worker' } },
      dataDir,
      path.join(import.meta.dirname, file),
    )
    await program.ended
    expect(program.output()).toMatch(/PostgreSQL 18\.\S* answers|^Backup \S+/m)
    expect(postmasterOf(dataDir)).toBeUndefined()
  },
)

test('doctor before the first start says only that', async () => {
  const machine: Machine = { name: 'doctor', isFresh: true }
  const program = run(machine, await installationOf(machine), path.join(import.meta.dirname, commands.doctor))
  expect(await program.ended).toBe(0)
  expect(program.output()).toMatch(/there is no database yet[^]*npm start[^]*0 fine, 1 to look at, 0 wrong/)
})
