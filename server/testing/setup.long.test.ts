import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sweepRuns } from './setup.ts'
import { sendSignal, sendSignalToGroup } from './processes/signal.ts'
import { until } from './until.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** A run of one test that has started the product and never ends, in a process group and a folder of its own; ready once both are at work. */
async function endlessRun(): Promise<{ child: ChildProcess; folder: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-stopped-'))
  await chmod(folder, 0o755)
  const began = path.join(folder, 'began')
  const setup = path.join(import.meta.dirname, 'setup.ts')
  writeFileSync(
    path.join(folder, 'vitest.config.mjs'),
    `export default { test: { globals: true, pool: 'forks', globalSetup: [${JSON.stringify(setup)}], testTimeout: 600_000 } }`,
  )
  writeFileSync(
    path.join(folder, 'endless.test.mjs'),
    `import { start } from ${JSON.stringify(path.join(import.meta.dirname, 'processes/process.ts'))}
    test('never ends', async () => {
      await start({ DATA_DIR: ${JSON.stringify(path.join(folder, 'data'))} })
      process.getBuiltinModule('fs').writeFileSync(${JSON.stringify(began)}, '')
      return new Promise(() => {})
    })`,
  )
  const child = spawn(
    process.execPath,
    [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], TMPDIR: folder },
      stdio: 'ignore',
      detached: true,
    },
  )
  await until(async () => existsSync(began), 60)
  return { child, folder }
}

/** Processes that know the folder by their command line or their environment: the run itself, its workers, PostgreSQL, the product. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const known = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'))
        return [known.join(' ').replaceAll('\0', ' ')]
      } catch {
        return []
      }
    })
    .filter((line) => line.includes(folder))
}

const runsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('sendreel-run-'))

test.runIf(process.platform === 'linux').each([
  ['Ctrl-C', sendSignalToGroup, 'SIGINT'],
  ['the end of the machine', sendSignal, 'SIGTERM'],
  ['a kill of the run', sendSignal, 'SIGKILL'],
  ['a kill of its whole group', sendSignalToGroup, 'SIGKILL'],
] as const)(
  '%s leaves neither a database nor a product behind (needs Linux)',
  async (_what, send, signal) => {
    const { child, folder } = await endlessRun()
    for (const program of ['postgres', 'server/main.ts'])
      expect(processesOf(folder).some((line) => line.includes(program))).toBe(true)
    const ended = once(child, 'exit')
    send(child.pid, signal)
    await ended
    await until(async () => processesOf(folder).length === 0, 20)
    sweepRuns(folder)
    expect(runsIn(folder)).toEqual([])
  },
)
