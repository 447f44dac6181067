import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readBackups } from '#contract/backup.ts'
import {
  backedUp,
  beginUpload,
  contentsOf,
  filesIn,
  putFile,
  runs,
  starts,
  type BackedUp,
} from '../testing/backup/backups.ts'
import { ask, nowhere } from '../testing/backup/forged.ts'
import { secret, type Person } from '../testing/server.ts'
import { settingsOf } from '../testing/store/machines.ts'
import { hasSwift, startSwift, type Swift } from '../testing/store/swift.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { until } from '../testing/until.ts'
import { sourceKey } from '../platform/storage/keys.ts'
import { s3Store } from '../platform/storage/s3.ts'
import { bytesOf, type Store } from '../platform/storage/store.ts'

// Each is a whole backup over the network, some of them two and a restore.
vi.setConfig({ testTimeout: 240_000 })

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Objects of videos, with their hashes. */
async function objectsIn(store: Store): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const prefix of ['sources/', 'media/'])
    for await (const { key } of store.list(prefix)) found[key] = sha256(await bytesOf(await store.read(key)))
  return found
}

async function keysBelow(store: Store, prefix: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list(prefix)) found.push(key)
  return found
}

describe.skipIf(!hasSwift)('with files in an S3-compatible store (needs the packages of Swift)', () => {
  let swift: Swift
  let made: BackedUp
  /** Of the installation, and the backups in it. */
  let bucket: Store
  let backups: Store
  let from: Record<string, string> & { DATA_DIR: string }
  /** What a backup has to hold. */
  let wanted: Record<string, string>
  let uploading = ''
  /** What has arrived of an upload where files were before. */
  let begun: Record<string, string>
  let tables: Record<string, string>
  let superadmin: Person

  const isThere = (key: string) => backups.head(key).then((found) => found !== undefined)
  async function namesIn(): Promise<string[]> {
    const names: string[] = []
    for await (const name of backups.folders('')) if (name.startsWith('20')) names.push(name)
    return names.toSorted()
  }

  /** An empty database, an empty folder and an empty bucket. */
  async function newPlace(name: string) {
    const at = { ...(await swift.bucket(name)), prefix: 'restored/' }
    return { environment: { ...(await made.newPlace()), ...settingsOf(at) }, store: s3Store(at) }
  }

  beforeAll(async () => {
    swift = await startSwift()
    const at = { ...(await swift.bucket('files')), prefix: 'of-one/' }
    made = await backedUp({ ...settingsOf(at), SECRET_KEY: secret })
    superadmin = await made.server.person('superadmin')
    bucket = s3Store(at)
    backups = s3Store({ ...at, prefix: 'of-one/backups/' })
    const { DATABASE_URL = '', DATA_DIR, SECRET_KEY = '' } = made.from
    from = { DATABASE_URL, DATA_DIR, SECRET_KEY, ...settingsOf(at) }
    for (let n = 0; n < 20; n++)
      await putFile(path.join(DATA_DIR, 'media', crypto.randomUUID(), `${n}.m4s`), randomBytes(300_000))
    wanted = await filesIn(DATA_DIR)
    // One lies where files were before, and one lies in both: there counts what the present store has.
    const [, inBoth = '', ...moved] = Object.keys(wanted)
    for (const key of [inBoth, ...moved]) await bucket.put(key, await readFile(path.join(DATA_DIR, key)))
    for (const key of moved) await rm(path.join(DATA_DIR, key))
    await putFile(path.join(DATA_DIR, inBoth), 'what is there no more')
    await made.server.query(`update file_stores set kind = 's3', former_kind = 'folder'`)
    const [open] = await made.server.query<{ id: string; organization_id: string; video_id: string }>(
      'select id, organization_id, video_id from video_versions where uploaded_at is null',
    )
    uploading = open?.id ?? ''
    // It has not become a source yet.
    const whose = {
      organizationId: open?.organization_id ?? '',
      videoId: open?.video_id ?? '',
      versionId: uploading,
    }
    await bucket.remove(sourceKey(whose))
    await rm(path.join(DATA_DIR, sourceKey(whose)), { force: true })
    delete wanted[sourceKey(whose)]
    await beginUpload(made.server, uploading, { store: 's3', arrived: 500 })
    const { versionId } = await addVideo(made.server, { organizationId: whose.organizationId })
    await beginUpload(made.server, versionId, { store: 'folder', arrived: 300 })
    begun = { [`uploads/${versionId}`]: sha256(Buffer.alloc(300)) }
    await putFile(path.join(DATA_DIR, 'uploads', versionId), Buffer.alloc(300))
  })

  afterAll(async () => {
    bucket?.close()
    backups?.close()
    await made?.close()
    await swift?.stop()
  })

  test('backups are made there, and the second one copies only what is new', async () => {
    tables = await contentsOf(made.server.ownerUrl)
    const first = await runs('backup', [], from)
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining(`Backup ${backups.place}/20`) })
    expect(first.output).toContain(`${Object.keys(wanted).length + 1} files`)
    expect((await runs('backup', [], from)).output).toContain('of which 0 bytes are new')
    const { folder, items, unreadable } = (await superadmin.call(readBackups)).body
    expect({ folder, unreadable }).toEqual({ folder: backups.place, unreadable: [] })
    expect(backups.place).toBe(`${bucket.place}/backups`)
    expect(items.map(({ name }) => name).toReversed()).toEqual(await namesIn())
    expect(items.map(({ origin }) => origin)).toEqual(['ours', 'ours'])
    expect(existsSync(`${from.DATA_DIR}-backups`)).toBe(false)
  })

  test('what was restored into another bucket is the same, and begins where that is', async () => {
    const { environment, store } = await newPlace('other')
    const { code, output } = await runs('restore', ['--from', backups.place], environment)
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(store.place) })
    expect(await objectsIn(store)).toEqual(wanted)
    expect(await filesIn(environment.DATA_DIR)).toEqual({})
    const restored = await contentsOf(environment.DATABASE_URL)
    const changed = Object.keys(tables).filter((table) => tables[table] !== restored[table])
    expect(changed).toEqual(['public.file_stores', 'public.uploads', 'public.video_versions'])
    const rowsIn = (text: string) => ask(environment.DATABASE_URL, text)
    expect(await rowsIn('select kind, place, former_kind, former_place from file_stores')).toEqual([
      { kind: 's3', place: null, former_kind: null, former_place: null },
    ])
    expect(await rowsIn('select 1 from uploads')).toEqual([])
    expect(
      await rowsIn(`select received_bytes::int as n from video_versions where id = '${uploading}'`),
    ).toEqual([{ n: 0 }])
    const elsewhere = { ...environment, ...(await made.newPlace()) }
    const again = await runs('restore', ['--from', backups.place], elsewhere)
    expect(again).toEqual({ code: 1, output: expect.stringContaining(`${store.place} is not empty`) })
    store.close()
  })

  test('without a bucket of its own it is restored into a folder, from one backup by its address', async () => {
    const { S3_BUCKET: _bucket, S3_PREFIX: _prefix, ...access } = from
    const place = { ...access, ...(await made.newPlace()) }
    const [name] = await namesIn()
    expect(await runs('restore', ['--from', `${backups.place}/${name}`], place)).toMatchObject({ code: 0 })
    expect(await filesIn(place.DATA_DIR)).toEqual({ ...wanted, ...begun })
    expect(await ask(place.DATABASE_URL, 'select kind, former_kind from file_stores')).toEqual([
      { kind: 'folder', former_kind: null },
    ])
    expect(await ask(place.DATABASE_URL, 'select store, arrived::int as arrived from uploads')).toEqual([
      { store: 'folder', arrived: 300 },
    ])
  })

  test('a backup that is killed leaves nothing that the next one does not remove', async () => {
    const before = await namesIn()
    const drafts = () => readdirSync(from.DATA_DIR).filter((name) => name.startsWith('.new-'))
    const unfinished = async () => {
      const left = (await namesIn()).filter((name) => !before.includes(name))
      for (const name of left)
        if ((await isThere(`${name}/unfinished`)) && !(await isThere(`${name}/manifest.json`))) return name
      return undefined
    }
    const killed = async (isTime: () => Promise<unknown>) => {
      const { child, ended } = starts('backup', [], from)
      await until(async () => Boolean(await isTime()))
      child.kill('SIGKILL')
      await ended
    }
    await killed(async () => drafts().length > 0)
    await killed(unfinished)
    const left = (await unfinished()) ?? ''
    expect((await keysBelow(backups, `${left}/`)).length).toBeGreaterThan(0)
    // Nobody takes it for a backup.
    const { items, unreadable } = (await superadmin.call(readBackups)).body
    expect(items.map(({ name }) => name).toReversed()).toEqual(before)
    expect(unreadable).toEqual([])
    expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
    expect(drafts()).toEqual([])
    expect(await keysBelow(backups, `${left}/`)).toEqual([])
    const after = await namesIn()
    expect(after).toHaveLength(before.length + 1)
    expect(await keysBelow(backups, `${after.at(-1)}/`)).not.toContain(`${after.at(-1)}/unfinished`)
  })

  test('what the rule no longer keeps is removed', async () => {
    expect(await runs('backup', ['--keep', '1,0,0'], from)).toMatchObject({ code: 0 })
    expect(await namesIn()).toHaveLength(1)
  })

  test('a byte that is another one is found, and mended by the next backup', async () => {
    expect(await runs('backup', ['--check'], from)).toMatchObject({ code: 0 })
    const [content = ''] = await keysBelow(backups, 'files/plain/')
    const bytes = await bytesOf(await backups.read(content))
    await backups.put(content, Buffer.concat([Buffer.from([(bytes[0] ?? 0) ^ 1]), bytes.subarray(1)]))
    // Also where there is no database to ask.
    const { DATABASE_URL: _url, ...apart } = from
    const checking = { ...apart, DATABASE_URL: '', DATA_DIR: path.join(made.folder, 'nothing') }
    expect(await runs('backup', ['--check'], checking)).toEqual({
      code: 2,
      output: expect.stringContaining(
        `is missing in the backup or damaged there: ${backups.place}/${content}`,
      ),
    })
    expect((await superadmin.call(readBackups)).body.items[0]?.checked?.fault).toContain(content)
    expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
    expect(sha256(await bytesOf(await backups.read(content)))).toBe(path.basename(content))
    expect(await runs('backup', ['--check'], from)).toMatchObject({ code: 0 })
  })

  test('a store that does not answer is told, and says nothing about a backup', async () => {
    const away = { ...from, S3_ENDPOINT: 'http://127.0.0.1:1' }
    for (const args of [['--check'], []])
      expect(await runs('backup', args, away)).toEqual({
        code: 1,
        output: expect.stringContaining('does not answer as it should'),
      })
    expect(
      (await runs('restore', ['--from', 'http://127.0.0.1:1/files'], { ...away, ...nowhere })).output,
    ).toContain('does not answer as it should')
  })

  test('a restore into a bucket that is killed begins anew', async () => {
    const { environment, store } = await newPlace('anew')
    const place = { ...environment, DATABASE_URL: '' }
    const { child, ended } = starts('restore', ['--from', backups.place], place)
    await until(async () => (await keysBelow(store, 'media/')).length > 0)
    child.kill('SIGKILL')
    await ended
    await store.put('media/left', Buffer.from('of the first try'))
    expect(await runs('restore', ['--from', backups.place], place)).toMatchObject({ code: 0 })
    expect(await objectsIn(store)).toEqual(wanted)
    store.close()
  })
})
