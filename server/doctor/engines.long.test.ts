import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wordsOf } from '#contract/doctor/doctor-words.ts'
import type { Finding } from '#contract/doctor/doctor.ts'
import { findProgram, librariesOf } from '../platform/programs.ts'
import { startTestServer, type TestServer } from '../testing/server.ts'
import { sendSignal } from '../testing/processes/signal.ts'
import { until } from '../testing/until.ts'

const found = await findProgram('ffmpeg')
const ffmpeg = 'path' in found ? found.path : undefined
let server: TestServer
let folder: string
let data: string
beforeAll(async () => {
  server = await startTestServer()
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'sendreel-engines-')))
  await chmod(folder, 0o755)
  data = await mkdtemp(path.join(os.tmpdir(), 'sendreel-data-'))
})
afterAll(async () => {
  await server.close()
  for (const each of [folder, data]) await rm(each, { recursive: true, force: true })
})

/** Root without the right to make namespaces has no boundary. */
const around = {
  'behind the boundary': [],
  'without a boundary': ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'],
}
const places = Object.entries(around).filter(([, words]) => words.length === 0 || process.getuid?.() === 0)

function doctor(environment: Record<string, string>, words: readonly string[] = []) {
  const command = path.join(import.meta.dirname, 'command.ts')
  const [program, ...rest] = [...words, process.execPath, command, '--json']
  const env = { ...process.env, DATABASE_URL: server.ownerUrl, DATA_DIR: data, PORT: '0', ...environment }
  const child = spawn(program, rest, { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  const ended = once(child, 'close').then(() =>
    (JSON.parse(output) as { findings: Finding[] }).findings
      .filter(({ check }) => check === 'converter')
      .map((one) => wordsOf(one).says),
  )
  return { child, ended }
}

/** Processes with these words in their command. */
async function running(words: string): Promise<number> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(
    all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return commands.filter((command) => command.replaceAll('\0', ' ').includes(words)).length
}

const bundled = 'Videos are converted by node-av: a second of one was, just now.'

describe.skipIf(process.platform !== 'linux').each(places)('%s (needs Linux)', (_, words) => {
  test('a program that hangs is ended, and dies with whoever asked it', async () => {
    const seconds = String(process.pid + 10_000 * (words.length + 1))
    const program = path.join(folder, `hangs-${seconds}`)
    await writeFile(program, `#!/bin/sh\nsleep ${seconds}\n`, { mode: 0o755 })
    const whole = doctor({ FFMPEG_PATH: program }, words)
    expect((await whole.ended).slice(0, 2)).toEqual([
      bundled,
      `FFMPEG_PATH names ${program}, which converts nothing here (it did not end within 15 seconds).`,
    ])
    expect(await running(`sleep ${seconds}`)).toBe(0)
    const killed = doctor({ FFMPEG_PATH: program }, words)
    killed.ended.catch(() => undefined)
    await until(async () => (await running(`sleep ${seconds}`)) > 0, 20)
    sendSignal(killed.child.pid ?? 0, 'SIGKILL')
    await until(async () => (await running(`sleep ${seconds}`)) === 0, 10)
  })

  test.skipIf(ffmpeg === undefined)(
    'a program elsewhere is used, with a library beside it (needs an ffmpeg)',
    async () => {
      const home = path.join(folder, `other place ${words.length}`)
      const library = (await librariesOf(ffmpeg ?? '')).find((file) => file.includes('libavdevice'))
      for (const name of ['bin', 'lib']) await mkdir(path.join(home, name), { recursive: true })
      await cp(ffmpeg ?? '', path.join(home, 'bin/ffmpeg-7'))
      await symlink('ffmpeg-7', path.join(home, 'bin/ffmpeg'))
      if (library) await cp(library, path.join(home, 'lib', path.basename(library)), { dereference: true })
      const settings = { LD_LIBRARY_PATH: path.join(home, 'lib') }
      const whole = path.join(home, 'bin/ffmpeg')
      for (const named of [whole, path.relative(folder, whole)])
        expect((await doctor({ ...settings, FFMPEG_PATH: ` ${named} ` }, words).ended)[0]).toBe(
          `Videos are converted by ${named}: a second of one was, just now.`,
        )
      const paths = ['', path.relative(folder, path.dirname(whole)), path.dirname(whole), process.env['PATH']]
      const [finding] = await doctor({ ...settings, FFMPEG_PATH: '', PATH: paths.join(':') }, words).ended
      expect(finding).toBe(`Videos are converted by ${home}/bin/ffmpeg-7: a second of one was, just now.`)
    },
  )
})
