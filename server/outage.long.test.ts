import { spawnSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from './platform/db/embedded/embedded-cluster.ts'
import { sendSignal, sendSignalToGroup } from './testing/processes/signal.ts'
import { familyOf, openFolder, postmasterOf, start, type Program } from './testing/processes/process.ts'

const email = 'root@example.test'
const password = 'a passphrase for the outage'
let folder: string
let program: Program
let ownDisk = false

/** One installation for all: each test starts it in place, whatever was done to it before. */
beforeAll(async () => {
  folder = await openFolder()
  // A disk of its own that can be filled up, where that is allowed.
  ownDisk =
    spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=0755', 'tmpfs', folder]).status === 0
  const file = path.join(folder, 'passphrase')
  await writeFile(file, password)
  program = await start({ DATA_DIR: folder }, ['--superadmin', email, '--password-file', file])
})
beforeEach(async () => {
  if (program.child.exitCode !== null || program.child.signalCode !== null)
    program = await start({ DATA_DIR: folder })
})
afterAll(async () => {
  killGroup('SIGKILL')
  const postmaster = postmasterOf(folder)
  if (postmaster && isAlive(postmaster)) for (const pid of familyOf(postmaster)) sendSignal(pid, 'SIGKILL')
  if (ownDisk) spawnSync('/bin/umount', ['-l', folder])
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function killGroup(signal: NodeJS.Signals): void {
  try {
    sendSignalToGroup(program.child.pid, signal)
  } catch {
    // It has ended.
  }
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: email, password }),
  })
  return ((await answer.json()) as { token: string }).token
}

async function addOrganization(url: string, token: string, name: string): Promise<string> {
  const answer = await fetch(`${url}/api/organizations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ name }),
  })
  const { code = '' } = (await answer.json()) as { code?: string }
  return `${answer.status} ${code}`
}

type Seen = { status: number; ms: number; retryAfter: string | null }

/** Asks for a list again and again, as several people do, until `stop` is called. */
function load(url: string, token: string) {
  const seen: Seen[] = []
  const life = { stopped: false }
  const ask = async () => {
    const began = performance.now()
    const answer = await fetch(`${url}/api/organizations`, { headers: { authorization: `Bearer ${token}` } })
    await answer.arrayBuffer()
    const { status, headers } = answer
    seen.push({ status, ms: performance.now() - began, retryAfter: headers.get('retry-after') })
  }
  const person = async () => {
    while (!life.stopped) {
      await ask()
      await pause(10)
    }
  }
  const people = Promise.all(Array.from({ length: 8 }, person))
  const stop = async () => {
    life.stopped = true
    await people
  }
  onTestFinished(stop)
  return { seen, stop }
}

async function healthOf(url: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/health`)
  const { status, checks } = (await answer.json()) as { status: string; checks: object }
  return { code: answer.status, status, checks }
}
const ready = { code: 200, status: 'ready', checks: { database: 'ok' } }
const failing = { code: 503, status: 'live', checks: { database: 'failing' } }

function onlyToldToComeBack(seen: readonly Seen[]): void {
  const others = seen.filter(({ status }) => status !== 200)
  expect(others.length).toBeGreaterThan(0)
  expect(new Set(others.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(
    new Set(['503 2']),
  )
}

test('a database that is killed under load is back by itself, and nobody is told worse than to come back', async () => {
  const traffic = load(program.url, await signIn(program.url))
  for (const _time of [1, 2, 3]) {
    const pid = postmasterOf(folder)
    sendSignal(pid, 'SIGKILL')
    await vi.waitFor(() => expect(postmasterOf(folder) ?? pid).not.toBe(pid), 20_000)
    await vi.waitFor(() => expect(traffic.seen.at(-1)?.status).toBe(200), 20_000)
  }
  await vi.waitFor(async () => expect(await healthOf(program.url)).toEqual(ready), 20_000)
  await vi.waitFor(() => expect(traffic.seen.at(-1)?.status).toBe(200), 20_000)
  await traffic.stop()
  onlyToldToComeBack(traffic.seen)
  expect(program.child.exitCode).toBeNull()
})

test('a database that stands still keeps nobody waiting for ten seconds, and health says so', async () => {
  const traffic = load(program.url, await signIn(program.url))
  await vi.waitFor(() => expect(traffic.seen.length).toBeGreaterThan(50), 20_000)
  const frozen = familyOf(postmasterOf(folder))
  for (const pid of frozen) sendSignal(pid, 'SIGSTOP')
  await vi.waitFor(async () => expect(await healthOf(program.url)).toEqual(failing), 10_000)
  await pause(4_000)
  for (const pid of frozen) sendSignal(pid, 'SIGCONT')
  await vi.waitFor(async () => expect(await healthOf(program.url)).toEqual(ready), 20_000)
  await vi.waitFor(() => expect(traffic.seen.at(-1)?.status).toBe(200), 20_000)
  await traffic.stop()
  onlyToldToComeBack(traffic.seen)
  expect(Math.max(...traffic.seen.map(({ ms }) => ms))).toBeLessThan(10_000)
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  '%s to the whole group leaves no database behind',
  async (signal) => {
    const postmaster = postmasterOf(folder)
    if (postmaster === undefined) throw new Error('there is a database')
    // Twice, as a terminal and whoever hands it on do.
    for (const _time of [1, 2]) killGroup(signal)
    await program.ended
    await vi.waitFor(() => expect(isAlive(postmaster)).toBe(false), 20_000)
  },
)

test('a full disk is told in a sentence, and all goes on when there is room', async () => {
  if (!ownDisk) return
  const token = await signIn(program.url)
  const filler = path.join(folder, 'filler')
  await writeFile(filler, Buffer.alloc(500 * 1024 * 1024)).catch(() => undefined)
  const codes: string[] = []
  for (let n = 0; n < 2000 && !codes.includes('507 storage_full'); n++)
    codes.push(await addOrganization(program.url, token, `Full ${n}`))
  expect(codes.at(-1)).toBe('507 storage_full')
  expect(codes.slice(0, -1).filter((code) => code !== '201 ')).toEqual([])
  await rm(filler)
  expect(await addOrganization(program.url, token, 'Room again')).toBe('201 ')
})

test('a database that cannot be started again ends the program with a sentence', async () => {
  await writeFile(path.join(folder, 'postgres/data/postgresql.conf'), 'no_such_setting = 1')
  sendSignal(postmasterOf(folder), 'SIGKILL')
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain('The database has ended 5 times in a row; it is not started again.')
})
