import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confine, kill } from './boundary.ts'

/** What the server could reach, and the program in the child's place must not. */
let data: string
let folder: string
const doors: Server[] = []
let port = 0

const isRoot = process.getuid?.() === 0
const ordinary = isRoot ? 65_534 : undefined

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sendreel-boundary-test-')))
  data = path.join(folder, 'data')
  await mkdir(path.join(data, 'other'), { recursive: true })
  await writeFile(path.join(data, 'secret-key'), 'the secret', { mode: 0o600 })
  await writeFile(path.join(data, 'other', 'source'), 'what others uploaded', { mode: 0o600 })
  await writeFile(path.join(folder, 'mine'), 'what was uploaded', { mode: 0o600 })
  for (const name of ['empty', 'out']) await mkdir(path.join(folder, name))
  for (const at of [path.join(data, '.s.PGSQL.5432'), `\0${folder}`, 0]) {
    const door = createServer((socket) => socket.on('error', () => undefined).end('the database'))
    await new Promise<void>((resolve) => door.listen(at, () => resolve()))
    doors.push(door)
  }
  const address = doors.at(-1)?.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(async () => {
  for (const door of doors) door.close()
  await rm(folder, { recursive: true, force: true })
})

/** Tries everything, and says what it got. */
const attack = `
const fs = require('node:fs'), net = require('node:net')
const [data, folder, port, input, output, parent] = process.argv.slice(1)
const attempt = (action) => { try { return String(action()) } catch (error) { return 'no: ' + error.code } }
const call = (at) => new Promise((resolve) => {
  const socket = net.connect(at, () => resolve('connected'))
  socket.once('error', (error) => resolve('no: ' + error.code))
})
Promise.all([call({ path: data + '/.s.PGSQL.5432' }), call({ path: '\\0' + folder }), call({ port: Number(port), host: '127.0.0.1' })]).then(
  ([socket, abstract, network]) => {
    const got = {
      secret: attempt(() => fs.readFileSync(data + '/secret-key')),
      other: attempt(() => fs.readFileSync(data + '/other/source')),
      throughRoot: attempt(() => fs.readFileSync('/proc/1/root' + data + '/secret-key')),
      list: attempt(() => fs.readdirSync(data)),
      environment: attempt(() => fs.readFileSync('/proc/' + parent + '/environ')),
      parent: attempt(() => process.kill(Number(parent), 0)),
      program: attempt(() => fs.writeFileSync(process.execPath + '.new', '')),
      become: attempt(() => process.setuid(1)),
      socket, abstract, network,
      own: attempt(() => fs.readFileSync(input)),
      write: attempt(() => fs.writeFileSync(output + '/result', 'x')),
      variables: Object.keys(process.env).join(),
    }
    console.log(JSON.stringify(got))
    process.exit(0)
  },
)`

/** Puts the program in the place of the child, started by a server that runs as the user. */
async function attackAs(user: number | undefined): Promise<Record<string, string>> {
  const server = `
    const { confine, giveTo, placesOf, boundary } = await import(${JSON.stringify(new URL('boundary.ts', import.meta.url).href)})
    const places = { input: ${JSON.stringify(path.join(folder, 'mine'))}, output: ${JSON.stringify(path.join(folder, 'out'))} }
    await giveTo(places.input, places.output)
    const inside = await placesOf(places)
    const child = await confine({
      ...places,
      empty: ${JSON.stringify(path.join(folder, 'empty'))},
      command: [process.execPath, '-e', ${JSON.stringify(attack)}, ${JSON.stringify(data)}, ${JSON.stringify(folder)}, '${port}', inside.input, inside.output, String(process.pid)],
      libraries: [process.execPath],
      limits: { cpuSeconds: 10, memoryBytes: 2 ** 30, fileBytes: 2 ** 20 },
    })
    child.stderr.pipe(process.stderr)
    let said = ''
    for await (const piece of child.stdout) said += piece
    console.log(JSON.stringify({ boundary: (await boundary()).kind, ...JSON.parse(said) }))`
  const node = [process.execPath, '--no-warnings', '--input-type=module', '-e', server]
  const [program = '', ...rest] =
    user === undefined ? node : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...node]
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: data,
    SECRET_KEY: 'the secret of the installation, in full',
  }
  await rm(path.join(folder, 'out', 'result'), { force: true })
  if (user !== undefined) for (const place of everything()) await chown(place, user, user)
  const { stdout } = await promisify(execFile)(program, rest, { env, cwd: folder })
  return JSON.parse(stdout) as Record<string, string>
}

function everything(): string[] {
  const below = ['', 'secret-key', 'other', 'other/source', '.s.PGSQL.5432'].map((name) =>
    path.join(data, name),
  )
  return [folder, ...below, ...['mine', 'empty', 'out'].map((name) => path.join(folder, name))]
}

describe.skipIf(process.platform !== 'linux')('a program in the place of the child (needs Linux)', () => {
  test.each([
    [isRoot ? 'root' : 'oneself', undefined],
    ['an ordinary user', ordinary],
  ])('gets nothing but its own file, from a server that runs as %s', async (_, user) => {
    const got = await attackAs(user)
    expect(got).toMatchObject({
      boundary: 'namespaces',
      own: 'what was uploaded',
      write: 'undefined',
      variables: '',
    })
    for (const what of [
      'secret',
      'other',
      'throughRoot',
      'list',
      'environment',
      'socket',
      'abstract',
      'network',
    ])
      expect({ what, got: got[what] }).toEqual({
        what,
        got: expect.stringMatching(/^no: (ENOENT|ECONNREFUSED|ENETUNREACH|EACCES)$/),
      })
    for (const what of ['parent', 'program', 'become'])
      expect({ what, got: got[what] }).toEqual({
        what,
        got: expect.stringMatching(/^no: (ESRCH|EROFS|EPERM|EINVAL)$/),
      })
  })

  test('would get all of it without the boundary', async () => {
    const [input, output] = [path.join(folder, 'mine'), path.join(folder, 'out')]
    const words = [data, folder, String(port), input, output, String(process.pid)]
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', attack, ...words])
    expect(JSON.parse(stdout)).toMatchObject({
      secret: 'the secret',
      other: 'what others uploaded',
      socket: 'connected',
      abstract: 'connected',
      network: 'connected',
    })
  })
})

/** A program with a second of processor time, or more, and a gigabyte. */
function run(script: string, cpuSeconds: number): Promise<ChildProcess> {
  return confine({
    empty: path.join(folder, 'empty'),
    command: [process.execPath, '-e', script],
    libraries: [process.execPath],
    limits: { cpuSeconds, memoryBytes: 2 ** 30, fileBytes: 0 },
  })
}

describe.skipIf(process.platform !== 'linux')('limits that are set from outside (needs Linux)', () => {
  test('end a program whose event loop is dead', async () => {
    const child = await run('while (true);', 1)
    await once(child, 'exit')
    // Whatever stands around the program passes the signal on as a number.
    expect(child.signalCode ?? child.exitCode).toSatisfy((end) => end === 'SIGKILL' || end === 137)
  })

  test('give no more memory than they say', async () => {
    const child = await run('const all = []; for (;;) all.push(Buffer.alloc(2 ** 26, 1))', 20)
    let words = ''
    child.stderr?.on('data', (piece: Buffer) => {
      words += piece.toString()
    })
    await once(child, 'close')
    expect(child.exitCode).not.toBe(0)
    expect(words).toMatch(/allocate memory/)
  })

  test('the clock ends a program together with what it has started and set free', async () => {
    const asleep = 'sleep 98' + String(process.pid).padStart(7, '0')
    const child = await run(
      `require('node:child_process').spawn('/bin/sleep', ['${asleep.slice(6)}'], { detached: true, stdio: 'ignore' }); console.log('asleep'); while (true);`,
      60,
    )
    if (child.stdout) await once(child.stdout, 'data')
    expect(programs()).toContain(asleep)
    kill(child)
    await once(child, 'exit')
    await expect.poll(programs).not.toContain(asleep)
  })
})

/** Command lines of whatever runs on this machine, as far as it can be seen. */
function programs(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').replace('/bin/', '')
      } catch {
        return ''
      }
    })
    .join('\n')
}
