import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { bytesOf, type Store, type StoredPart } from '../../platform/storage/store.ts'

const megabyte = 2 ** 20

const listed = async (store: Store, prefix: string) => {
  const found = []
  for await (const { key, size } of store.list(prefix)) found.push({ key, size })
  return found.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

const uploadsOf = async (store: Store) => {
  const found = []
  for await (const { key, id } of store.uploads.list()) found.push({ key, id })
  return found
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-suite-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What every store promises. `others` opens the same store once more, as another machine would. */
export function storeSuite(open: () => Store, others: () => Store): void {
  const aKey = () => `sources/${randomUUID()}/${randomUUID()}/${randomUUID()}`
  const isGone = { code: 'ENOENT' }

  test('an object is read as it was written, also by another machine', async () => {
    const [key, body] = [aKey(), randomBytes(300_000)]
    expect(await open().head(key)).toBeUndefined()
    await open().put(key, body)
    expect(await bytesOf(await others().read(key))).toEqual(body)
    const head = await others().head(key)
    expect(head).toMatchObject({ key, size: body.length })
    expect(Math.abs(Date.now() - (head?.modifiedAt.getTime() ?? 0))).toBeLessThan(120_000)
  })

  test('an object takes the place of another one whole', async () => {
    const key = aKey()
    await open().put(key, Buffer.from('a longer text than the one that follows'))
    await open().put(key, Buffer.from('short'))
    expect(String(await bytesOf(await open().read(key)))).toBe('short')
  })

  test('ranges hold both of their ends', async () => {
    const [key, body] = [aKey(), randomBytes(1_000)]
    await open().put(key, body)
    for (const [start, end] of [
      [0, 0],
      [10, 19],
      [999, 999],
      [0, 999],
    ] as const)
      expect(await bytesOf(await open().read(key, { start, end }))).toEqual(body.subarray(start, end + 1))
  })

  test('an empty object is one', async () => {
    const key = aKey()
    await open().put(key, Buffer.alloc(0))
    expect(await open().head(key)).toMatchObject({ size: 0 })
    expect(await bytesOf(await open().read(key))).toHaveLength(0)
  })

  test('what is not there is said to be so, and is harmless to remove', async () => {
    const key = aKey()
    await expect(open().read(key)).rejects.toMatchObject(isGone)
    await open().remove(key)
    await open().removeBelow(`${key}/`)
    expect(await listed(open(), `${key}/`)).toEqual([])
  })

  test.each([
    '../up',
    '/top',
    'a//b',
    'a/../b',
    '.hidden',
    'a/.new-1',
    'a b',
    'ä',
    '',
    'a/',
    'a'.repeat(701),
  ])('a key that could lead elsewhere is refused: %j', async (key) => {
    await expect(open().put(key, Buffer.from('x'))).rejects.toThrow('no key')
    await expect(open().read(key)).rejects.toThrow('no key')
    await expect(open().remove(key)).rejects.toThrow('no key')
  })

  test('objects are listed and removed by how their keys begin', async () => {
    const top = `media/${randomUUID()}`
    const names = [`${top}/a/1.m4s`, `${top}/a/2.m4s`, `${top}/b/deep/er/3.vtt`]
    for (const name of names) await open().put(name, Buffer.from(name))
    expect(await listed(others(), `${top}/`)).toEqual(names.map((key) => ({ key, size: key.length })))
    await open().removeBelow(`${top}/a/`)
    expect(await listed(others(), `${top}/`)).toEqual([{ key: names[2], size: names[2]?.length }])
    await open().remove(names[2] ?? '')
    expect(await listed(others(), `${top}/`)).toEqual([])
  })

  test('what lies below a prefix is told by its next segment', async () => {
    const top = `media/${randomUUID()}`
    for (const name of ['a/1.m4s', 'a/2.m4s', 'b/deep/er/3.vtt', 'index.m3u8'])
      await open().put(`${top}/${name}`, Buffer.from(name))
    const found = []
    for await (const name of others().folders(`${top}/`)) found.push(name)
    expect(found.toSorted()).toEqual(['a', 'b'])
    for await (const name of others().folders(`${top}/none/`)) expect(name).toBeUndefined()
  })

  test('a list of more than a thousand objects is whole', { timeout: 120_000 }, async () => {
    const top = `media/${randomUUID()}`
    await inFolder(async (folder) => {
      const made = path.join(folder, 'made')
      await mkdir(made)
      for (let index = 0; index < 1_100; index++)
        await writeFile(path.join(made, `${index}.m4s`), String(index))
      await open().putFolder(`${top}/`, made, () => false)
    })
    expect(await listed(others(), `${top}/`)).toHaveLength(1_100)
    await open().removeBelow(`${top}/`)
    expect(await listed(others(), `${top}/`)).toEqual([])
  })

  test('a file of this machine becomes an object and is gone', async () => {
    await inFolder(async (folder) => {
      const [key, body, file] = [aKey(), randomBytes(70 * megabyte), path.join(folder, 'made')]
      await writeFile(file, body)
      await open().putFile(key, file)
      await expect(stat(file)).rejects.toMatchObject(isGone)
      expect((await bytesOf(await others().read(key))).equals(body)).toBe(true)
    })
  })

  test('a folder takes the place of all that was below its prefix', async () => {
    const prefix = `media/${randomUUID()}/`
    await open().put(`${prefix}old/1.m4s`, Buffer.from('old'))
    await inFolder(async (folder) => {
      const made = path.join(folder, 'made')
      await mkdir(path.join(made, '360p'), { recursive: true })
      for (const name of ['index.m3u8', '360p/1.m4s', '360p/2.m4s'])
        await writeFile(path.join(made, name), name)
      await open().putFolder(prefix, made, (name) => name.endsWith('.m3u8'))
      await expect(readFile(path.join(made, 'index.m3u8'))).rejects.toMatchObject(isGone)
    })
    expect(await listed(others(), prefix)).toEqual([
      { key: `${prefix}360p/1.m4s`, size: 10 },
      { key: `${prefix}360p/2.m4s`, size: 10 },
      { key: `${prefix}index.m3u8`, size: 10 },
    ])
    expect(String(await bytesOf(await others().read(`${prefix}360p/2.m4s`)))).toBe('360p/2.m4s')
  })

  test('an upload goes on at another machine, and is nothing before its end', async () => {
    const key = aKey()
    const pieces = [randomBytes(5 * megabyte), randomBytes(6 * megabyte), randomBytes(123)]
    const { id } = await open().uploads.begin(key)
    const parts: StoredPart[] = []
    let offset = 0
    for (const [index, body] of pieces.entries()) {
      const store = index % 2 === 0 ? open() : others()
      // A number that was given to a part which got lost is used by no other.
      const number = 2 * index + 1
      parts.push({ number, etag: await store.uploads.write({ key, id }, { number, offset, body }) })
      offset += body.length
    }
    expect(await open().head(key)).toBeUndefined()
    expect(await uploadsOf(others())).toContainEqual({ key: open().kind === 'folder' ? id : key, id })
    await others().uploads.complete({ key, id }, { parts: parts.toReversed(), size: offset })
    await open().uploads.complete({ key, id }, { parts, size: offset })
    expect((await bytesOf(await others().read(key))).equals(Buffer.concat(pieces))).toBe(true)
    const seam = { start: 5 * megabyte - 10, end: 5 * megabyte + 9 }
    expect(await bytesOf(await others().read(key, seam))).toEqual(
      Buffer.concat(pieces).subarray(seam.start, seam.end + 1),
    )
    expect((await uploadsOf(others())).map((one) => one.id)).not.toContain(id)
  })

  test('a part that is written again counts as it was written last', async () => {
    const key = aKey()
    const { id } = await open().uploads.begin(key)
    const body = randomBytes(1_000)
    await open().uploads.write({ key, id }, { number: 1, offset: 0, body: randomBytes(1_000) })
    const etag = await others().uploads.write({ key, id }, { number: 1, offset: 0, body })
    await open().uploads.complete({ key, id }, { parts: [{ number: 1, etag }], size: body.length })
    expect(await bytesOf(await open().read(key))).toEqual(body)
  })

  test('an upload that was dropped is gone', async () => {
    const key = aKey()
    const { id } = await open().uploads.begin(key)
    await open().uploads.write({ key, id }, { number: 1, offset: 0, body: Buffer.from('1') })
    await others().uploads.drop({ key, id })
    await open().uploads.drop({ key, id })
    const part = { number: 2, offset: 1, body: Buffer.from('2') }
    await expect(open().uploads.write({ key, id }, part)).rejects.toMatchObject(isGone)
    const whole = { parts: [{ number: 1, etag: 'x' }], size: 1 }
    await expect(open().uploads.complete({ key, id }, whole)).rejects.toMatchObject(isGone)
    expect(await open().head(key)).toBeUndefined()
  })

  test('marks of an object are its own: one with the same bytes has others', async () => {
    const key = aKey()
    expect(await open().traceOf(key)).toBeUndefined()
    await open().put(key, randomBytes(16))
    const trace = await open().traceOf(key)
    expect(trace).toEqual(await others().traceOf(key))
    const bytes = await bytesOf(await open().read(key))
    const other = `${key}-copy`
    // The store's clock has full seconds.
    await new Promise((resolve) => setTimeout(resolve, open().kind === 'folder' ? 0 : 1_100))
    await open().put(other, bytes)
    expect(await open().traceOf(other)).not.toBe(trace)
  })
}
