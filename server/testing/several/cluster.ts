import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasHaproxy, startHaproxy } from '../database/pair.ts'
import { hasEngines } from '../database/engines.ts'
import { hasPooler } from '../database/pooler.ts'
import { startPooled, startWithStandby, type Installed } from '../database/installed.ts'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { requirePlace } from '../../platform/storage/place.ts'
import { openFolder, start, type Program } from '../processes/process.ts'
import { sendSignalToGroup } from '../processes/signal.ts'
import { openTestServer, secret, startTestServer, type TestServer } from '../server.ts'
import { startFaultyStore, type FaultyStore } from '../store/faulty.ts'
import { machinesOf } from '../store/machines.ts'
import { freePorts, untilListening } from '../ports.ts'
import { hasSwift, startSwift } from '../store/swift.ts'

const nginx = '/usr/sbin/nginx'
const roles = ['api', 'worker', 'media'] as const

/** It needs nginx and OpenStack Swift from Debian's packages. */
export const canBeSeveral = hasSwift && existsSync(nginx)
export const canBePooled = canBeSeveral && hasEngines && hasPooler && hasHaproxy

/** One machine of the installation: a process with a folder of its own, that nothing but the database and the bucket joins to others. */
export type Machine = {
  name: string
  role: (typeof roles)[number]
  /** Where the balancer finds it. */
  address: string
  /** Names the process that runs now; another one after each start. */
  run(): string
  isUp(): boolean
  /** As the power fails: everything that runs on it ends at once. */
  kill(): Promise<void>
  /** Tells it to end, as an update does, and waits for it; says how long that took and with what it ended. */
  end(): Promise<{ ms: number; code: string }>
  freeze(): void
  thaw(): void
  /** Resolves with the milliseconds until it was ready. */
  start(): Promise<number>
  /** What each of its runs has printed. */
  outputs(): string[]
}

export type Cluster = {
  /** On the same database and bucket, for what a test writes and reads past the balancer; nobody is sent to it. */
  server: TestServer
  /** Of the balancer. */
  url: string
  machines: Machine[]
  /** The store as the machines see it. */
  store: FaultyStore
  /** The primary ends without a word, where there is a standby. Resolves with the milliseconds until that one has taken its place. */
  failOver: (() => Promise<number>) | undefined
  /** Machines that ended without being told to, with their last words. */
  faults: string[]
  /** What the machines have logged as errors in all their runs, and how often. */
  errors(): Map<string, number>
  close(): Promise<void>
}

/**
 * What is before and below the machines: nginx and PostgreSQL itself; HAProxy, and PostgreSQL 17 behind a pooler; or nginx, and a primary
 * with a standby.
 */
export type Surroundings = 'plain' | 'pooled' | 'standby'

/** Two of each role behind a balancer, with one database and one bucket. */
export const startCluster = (
  environment: Record<string, string>,
  surroundings: Surroundings = 'plain',
): Promise<Cluster> =>
  closable(async (closing) => {
    const { store, beside, shared, failOver } = await startBeneath(environment, closing, surroundings)
    const server = await beside.open()
    await requirePlace(server.services)
    const folder = await openFolder()
    closing.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))
    const ports = await freePorts(1 + 2 * roles.length)
    const [front = 0, ...own] = ports
    const url = `http://127.0.0.1:${front}`
    const faults: string[] = []
    const machines = own.map((port, at) => {
      const role = roles[Math.floor(at / 2)] ?? 'api'
      const name = `${role} ${1 + (at % 2)}`
      const machine = { PUBLIC_URL: url, RUN: role, PORT: String(port), DATA_DIR: path.join(folder, name) }
      const settings = { ...shared, ...machine }
      return machineOf({ name, role, address: `127.0.0.1:${port}`, settings, faults })
    })
    closing.push(() => killAll(machines))
    for (const machine of machines) await machine.start()
    const behind = machines.filter(({ role }) => role === 'api').map(({ address }) => address)
    const balancer = await balancers[surroundings]({ front, behind })
    closing.push(() => balancer.stop())
    return { server, url, machines, store, failOver, faults, errors: () => errorsOf(machines) }
  })

/** One machine that does everything; its files lie in a folder, and its settings name a bucket. `environment` is what it was given. */
export const startAlone = (
  environment: Record<string, string>,
): Promise<Cluster & { environment: Record<string, string> }> =>
  closable(async (closing) => {
    const { store, owner, beside, shared, failOver } = await startBeneath(environment, closing)
    const { dataDir } = owner.services.env
    const server = await openTestServer({ ownerUrl: owner.ownerUrl, dataDir }, beside.settings)
    closing.push(() => server.close())
    await requirePlace(owner.services)
    const [port = 0] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const own = { PUBLIC_URL: url, PORT: String(port), DATA_DIR: dataDir }
    const settings = { ...shared, ...own }
    const faults: string[] = []
    const machine = machineOf({ name: 'all 1', role: 'api', address: `127.0.0.1:${port}`, settings, faults })
    closing.push(() => killAll([machine]))
    await machine.start()
    const machines = [machine]
    return {
      server,
      url,
      machines,
      store,
      failOver,
      faults,
      errors: () => errorsOf(machines),
      environment: settings,
    }
  })

type Closing = (() => Promise<unknown>)[]

/** What was opened last is closed first, also where the rest cannot be opened. */
async function closable<Opened>(
  open: (closing: Closing) => Promise<Opened>,
): Promise<Opened & { close(): Promise<void> }> {
  const closing: Closing = []
  const close = async () => {
    for (const one of closing.toReversed()) await one()
  }
  try {
    return { ...(await open(closing)), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A database, a bucket, and what every machine is told of them. */
async function startBeneath(
  environment: Record<string, string>,
  closing: Closing,
  surroundings: Surroundings = 'plain',
) {
  const swift = await startSwift()
  closing.push(() => swift.stop())
  const store = await startFaultyStore(swift.endpoint)
  closing.push(() => store.stop())
  const { owner, settings, failOver } = await databases[surroundings]()
  closing.push(() => owner.close())
  const beside = await machinesOf(owner, swift, { bucket: 'several', endpoint: store.endpoint })
  closing.push(() => beside.close())
  const shared = { ...environment, ...settings, ...beside.settings, SECRET_KEY: secret, UNDO_SECONDS: '0' }
  return { store, owner, beside, shared, failOver }
}

const databases: Record<Surroundings, () => Promise<Installed>> = {
  async plain() {
    const owner = await startTestServer()
    return { owner, settings: { DATABASE_URL: owner.ownerUrl } }
  },
  pooled: startPooled,
  standby: startWithStandby,
}

const killAll = (machines: Machine[]) =>
  Promise.all(machines.filter((one) => one.isUp()).map((one) => one.kill()))

/** Ends at its start because the store does not answer; whoever looks after it starts it anew, as systemd does. */
async function keptStarting(settings: Record<string, string>): Promise<Program> {
  for (let left = 60; ; left -= 1) {
    try {
      return await start(settings)
    } catch (error) {
      if (left === 0 || !String(error).includes('does not answer as it should')) throw error
      await pause(1_000)
    }
  }
}

type Planned = Pick<Machine, 'name' | 'role' | 'address'> & {
  settings: Record<string, string>
  faults: string[]
}

function machineOf({ name, role, address, settings, faults }: Planned): Machine {
  let program: Program | undefined
  let runs = 0
  let isExpected = false
  const printed: Program[] = []
  const running = () => {
    if (!program) throw new Error(`${name} does not run`)
    return program
  }
  const signal = (which: NodeJS.Signals) => sendSignalToGroup(running().child.pid, which)
  const watch = async (started: Program, run: number) => {
    const code = await started.ended
    if (!isExpected && run === runs)
      faults.push(`${name} ended by itself with ${code}: ${started.output().slice(-2_000)}`)
  }
  return {
    name,
    role,
    address,
    run: () => `${name}, run ${runs}`,
    isUp: () => program !== undefined,
    async kill() {
      isExpected = true
      signal('SIGKILL')
      await running().ended
      program = undefined
    },
    async end() {
      const began = performance.now()
      isExpected = true
      running().child.kill('SIGTERM')
      const code = await running().ended
      program = undefined
      return { ms: performance.now() - began, code }
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async start() {
      const began = performance.now()
      isExpected = false
      runs += 1
      const started = await keptStarting(settings)
      program = started
      printed.push(started)
      void watch(started, runs)
      return performance.now() - began
    },
    outputs: () => printed.map((one) => one.output()),
  }
}

type Balancing = { front: number; behind: string[] }

const balancers: Record<Surroundings, (at: Balancing) => Promise<{ stop(): Promise<void> }>> = {
  plain: startBalancer,
  standby: startBalancer,
  pooled: ({ front, behind }) =>
    startHaproxy('haproxy.cfg', front, (text) =>
      behind
        .reduce((done, one, n) => done.replace(`10.0.0.1${n + 1}:3000`, one), text)
        .replace('bind :80', `bind 127.0.0.1:${front}`)
        .replace(/^ {2}bind :443 .*\n/m, '')
        .replace(/^ {2}http-request redirect .*\n/m, '')
        .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http')
        .replace('default_backend', 'http-response set-header X-Served-By %si:%sp\n  default_backend'),
    ),
}

/** As `deploy/nginx.conf` sets it up, without encryption, with two behind it, and saying who has answered. */
async function startBalancer({ front, behind }: Balancing) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-balancer-'))
  const file = path.join(folder, 'nginx.conf')
  const servers = behind.map((one) => `server ${one} max_fails=1 fail_timeout=2s;`).join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  await writeFile(
    file,
    `${user} daemon off; pid ${folder}/nginx.pid; events {}
http {
  access_log off;
  upstream sendreel { ${servers} keepalive 32; }
  server {
    listen 127.0.0.1:${front};
    client_max_body_size 0;
    proxy_request_buffering off;
    proxy_buffering off;
    location / {
      proxy_pass http://sendreel;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_connect_timeout 2s;
      proxy_read_timeout 10s;
      add_header X-Served-By $upstream_addr always;
    }
  }
}
`,
  )
  const child: ChildProcess = spawn(nginx, ['-c', file, '-e', 'stderr'], { stdio: 'ignore', detached: true })
  guard(child, { detached: true, group: true })
  await untilListening(front)
  return {
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const errorLevel = 50
function errorsOf(machines: Machine[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const machine of machines)
    for (const line of machine.outputs().join('\n').split('\n')) {
      const said = lineOf(line)
      if (!said || said.level < errorLevel) continue
      const what = `${machine.name}: ${said.msg}${said.err ? `: ${said.err.message}` : ''}`
      counts.set(what, (counts.get(what) ?? 0) + 1)
    }
  return counts
}

type Line = { level: number; msg: string; err?: { message: string } }
function lineOf(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    // Words for people, and whatever was being written when its process was killed.
    return undefined
  }
}
