import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newPlace } from '../testing/backup/backups.ts'
import { startEmbedded } from '../platform/db/embedded/embedded.ts'
import { until } from '../testing/until.ts'
import { familyOf, launch, openFolder, start, type Program } from '../testing/processes/process.ts'

let folder: string
let url: string
let place: Awaited<ReturnType<typeof newPlace>>
beforeAll(async () => {
  folder = await openFolder()
  place = await newPlace(folder)
  url = place.environment.DATABASE_URL
})
afterAll(async () => {
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

const right = 'the right secret of this database, long enough'
const later = 'the secret that followed it, which is long enough'
const wrong = 'the secret of another installation, long enough'

const environment = (more: Record<string, string>) => ({
  DATABASE_URL: url,
  DATA_DIR: path.join(folder, 'data'),
  RUN: 'api',
  ...more,
})

async function ask<Row extends object>(statement: string, at = url): Promise<Row[]> {
  const client = new pg.Client({ connectionString: at })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

const mark = async () => (await ask<{ mark: string }>('select mark from secret_mark'))[0]?.mark

async function stop({ child, ended }: Program): Promise<void> {
  child.kill('SIGTERM')
  expect(await ended).toBe('0')
}

/** What a start says that is refused. */
async function refused(more: Record<string, string>): Promise<string> {
  const { ended, output } = launch(environment(more))
  expect(await ended).toBe('1')
  return output()
}

function command(name: string, args: readonly string[], more: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.resolve(import.meta.dirname, '..', name), ...args],
    { env: { ...process.env, ...environment(more) }, encoding: 'utf8' },
  )
  return { status, said: stdout + stderr }
}

test('the first start writes down which secret it is; another one is refused by every process, and changes nothing', async () => {
  await stop(await start(environment({ SECRET_KEY: right })))
  const written = await mark()
  expect(written).toMatch(/^[\w-]{43}$/)
  expect(await refused({ SECRET_KEY: wrong })).toContain(
    'The secret in SECRET_KEY is not the one that this database has been used with. Put the right one there',
  )
  for (const run of ['worker', 'media'])
    expect(await refused({ SECRET_KEY: wrong, RUN: run })).toContain('rotate-secret -- --lost')
  expect(await mark()).toBe(written)
  expect(await ask('select 1 from signing_keys')).toHaveLength(1)
  const backup = command('backup/command.ts', [], {
    SECRET_KEY: wrong,
    BACKUP_DIR: path.join(folder, 'none'),
  })
  expect(backup).toEqual({ status: 1, said: expect.stringContaining('is not the one that this database') })
  expect(existsSync(path.join(folder, 'none'))).toBe(false)
  expect(command('doctor/command.ts', [], { SECRET_KEY: wrong }).said).toContain(
    'The secret in SECRET_KEY is not the one that this database has been used with',
  )
  expect(command('doctor/command.ts', [], { SECRET_KEY: right }).said).toContain(
    'The secret comes from SECRET_KEY.',
  )
})

test('a secret that is not there is not made anew for a database that has one', async () => {
  expect(await refused({})).toContain(`There is no secret in ${path.join(folder, 'data/secret-key')}`)
  expect(existsSync(path.join(folder, 'data/secret-key'))).toBe(false)
})

test('both generations of a change fit, then the present one alone', async () => {
  await stop(await start(environment({ SECRET_KEY: later, SECRET_KEY_PREVIOUS: right })))
  await stop(await start(environment({ SECRET_KEY: later })))
  expect(await refused({ SECRET_KEY: right })).toContain('SECRET_KEY_PREVIOUS')
  // Whoever goes back has both as well.
  await stop(await start(environment({ SECRET_KEY: right, SECRET_KEY_PREVIOUS: later })))
})

test('the first start of this release refuses what cannot be the secret', async () => {
  const written = await mark()
  await ask('delete from secret_mark')
  expect(await refused({ SECRET_KEY: wrong })).toContain('is not the one that this database')
  expect(await refused({})).toContain('There is no secret in')
  expect(existsSync(path.join(folder, 'data/secret-key'))).toBe(false)
  expect(await mark()).toBeUndefined()
  await stop(await start(environment({ SECRET_KEY: right })))
  expect(await mark()).toBe(written)
})

test('of two first starts at once with two secrets one is refused, and with one secret none', async () => {
  const other = await newPlace(folder)
  const at = (name: string, more: Record<string, string> = {}) => {
    const one = launch({
      ...environment(more),
      DATABASE_URL: other.environment.DATABASE_URL,
      DATA_DIR: path.join(folder, name),
    })
    const ready = new Promise<boolean>((resolve) => {
      const look = setInterval(() => {
        if (!one.output().includes(' is ready at ')) return
        clearInterval(look)
        resolve(true)
      }, 50)
      one.child.once('close', () => {
        clearInterval(look)
        resolve(false)
      })
    })
    return { ...one, ready }
  }
  try {
    const two = [at('one'), at('other')]
    const came = await Promise.all(two.map(({ ready }) => ready))
    expect(new Set(came)).toEqual(new Set([true, false]))
    const loser = two[came.indexOf(false)]
    expect(loser?.output()).toContain('is not the one that this database has been used with')
    two[came.indexOf(true)]?.child.kill('SIGTERM')
    await Promise.all(two.map(({ ended }) => ended))
    const secret = readFileSync(path.join(folder, came[0] ? 'one' : 'other', 'secret-key'), 'utf8')
    for (const name of ['third', 'fourth']) {
      await mkdir(path.join(folder, name))
      writeFileSync(path.join(folder, name, 'secret-key'), secret)
    }
    const same = [at('third'), at('fourth')]
    expect(await Promise.all(same.map(({ ready }) => ready))).toEqual([true, true])
    for (const { child, ended } of same) {
      child.kill('SIGTERM')
      await ended
    }
  } finally {
    await other.drop()
  }
})

/** As if somebody had restored the database of another installation under those that run. */
const layAnother = (at: string) => ask(`update secret_mark set mark = reverse(mark)`, at)
const isGone = (pid: number) => !existsSync(`/proc/${pid}`)

test('every process ends within a minute when another database is laid under it, and its next start says the same', async () => {
  const other = await newPlace(folder)
  const { DATABASE_URL } = other.environment
  const more = { SECRET_KEY: right, PUBLIC_URL: 'http://localhost:3000' }
  const within = (run: string) => ({
    ...environment(more),
    DATABASE_URL,
    DATA_DIR: path.join(folder, `of-${run}`),
    RUN: run,
  })
  // All of it in one process, with the database that it brings along.
  const alone = { ...more, DATA_DIR: path.join(folder, 'alone') }
  try {
    const settings = [within('api'), within('worker'), within('media'), alone]
    const programs: Program[] = []
    for (const one of settings) programs.push(await start(one))
    const family = programs.flatMap(({ child }) => familyOf(child.pid))
    expect(family.length).toBeGreaterThan(programs.length)
    await layAnother(DATABASE_URL)
    const embedded = await startEmbedded({ dataDir: alone.DATA_DIR })
    await layAnother(embedded.url)
    await embedded.stop()
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual(['1', '1', '1', '1'])
    const said = 'The secret in SECRET_KEY is not the one that this database has been used with'
    for (const program of programs) expect(program.output().split(said)).toHaveLength(2)
    // What the system has not buried yet is there for a moment.
    await until(() => Promise.resolve(family.every(isGone)), 10)
    for (const one of settings) {
      const again = launch(one)
      expect([await again.ended, again.output()]).toEqual(['1', expect.stringContaining(said)])
    }
  } finally {
    await other.drop()
  }
})
