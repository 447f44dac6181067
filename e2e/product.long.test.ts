import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sweepRuns } from '#server/testing/setup.ts'
import { sendSignal, sendSignalToGroup } from '#server/testing/processes/signal.ts'
import { until } from '#server/testing/until.ts'

/** Command lines of processes that know the folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const about = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
        return about.some((text) => text.includes(folder)) ? [about[0]?.replaceAll('\0', ' ') ?? ''] : []
      } catch {
        return []
      }
    })
}

test.runIf(process.platform === 'linux').each([
  ['a browser worker', sendSignal],
  ['the whole group of a browser worker', sendSignalToGroup],
] as const)('%s that is killed leaves no product behind (needs Linux)', async (_what, send) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-killed-'))
  await chmod(folder, 0o755)
  const product = JSON.stringify(path.join(import.meta.dirname, 'product.ts'))
  const worker = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { startProduct } = await import(${product}); console.log((await startProduct()).url)`,
    ],
    {
      cwd: import.meta.dirname,
      env: { PATH: process.env['PATH'], TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  )
  let said = ''
  worker.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await until(async () => said.includes('http://'))
  const lines = processesOf(folder).join('\n')
  expect(lines).toContain('server/main.ts')
  expect(lines).toContain('bin/postgres')
  send(worker.pid, 'SIGKILL')
  await until(async () => processesOf(folder).length === 0, 30)
  sweepRuns(folder)
  expect(readdirSync(folder).filter((name) => name.startsWith('sendreel-run-'))).toEqual([])
})
