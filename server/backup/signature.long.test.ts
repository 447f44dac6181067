import { hash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keysOf } from '../platform/keys.ts'
import { backedUp, filesIn, runs, type BackedUp } from '../testing/backup/backups.ts'
import {
  copyOf,
  listedIn,
  nowhere,
  readDescription,
  restored,
  writeDescription,
} from '../testing/backup/forged.ts'
import { macOf } from './signature.ts'

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
  await runs('backup', [], made.from)
})
afterAll(() => made.close())

test('without a signature it takes --unsigned, with another --foreign', async () => {
  const { newest } = await copyOf(made)
  const file = path.join(newest, 'manifest.json')
  const { mac: _mac, ...manifest } = readDescription(file)
  writeDescription(file, manifest)
  const unsigned = await restored(newest)
  expect(unsigned).toEqual({ code: 1, output: expect.stringContaining('restore it with --unsigned') })
  expect((await restored(newest, ['--foreign'])).output).toContain('has no signature')
  expect(await restored(newest, ['--unsigned'], await made.newPlace())).toMatchObject({ code: 0 })

  writeDescription(file, {
    ...manifest,
    mac: macOf(keysOf('the secret of somebody else, long enough'), manifest),
  })
  const foreign = await restored(newest)
  expect(foreign).toEqual({ code: 1, output: expect.stringContaining('restore it with --foreign') })
  expect((await restored(newest, ['--unsigned'])).output).toContain('is not signed with this secret')
  expect(await restored(newest, ['--foreign'], await made.newPlace())).toMatchObject({ code: 0 })
})

test('without its secret, which is gone for good, it takes --foreign, and says what comes next', async () => {
  const place = { ...(await made.newPlace()), SECRET_KEY: 'the secret of somebody else, long enough' }
  expect((await restored(made.backups, [], place)).output).toContain('is not that of the installation')
  const { code, output } = await restored(made.backups, ['--foreign'], place)
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('rotate-secret -- --lost') })
})

test.each(['plain', 'encrypted'])(
  'on a new machine the secret that comes along tells that nothing was changed (%s)',
  async (kind) => {
    const key = path.join(made.folder, 'key')
    const options = kind === 'plain' ? [] : ['--identity', key]
    const reported = kind === 'plain' ? undefined : await runs('backup', ['--new-key', key], made.from)
    const [, recipient = ''] = /BACKUP_RECIPIENT=(age1\w+)/.exec(reported?.output ?? '') ?? []
    const from = {
      ...made.from,
      SECRET_KEY: '',
      BACKUP_DIR: path.join(made.folder, kind),
      BACKUP_RECIPIENT: recipient,
    }
    const file = path.join(from.DATA_DIR, 'secret-key')
    const noted = 'the secret in the folder of data, long enough'
    writeFileSync(file, `${noted}\n`)
    try {
      expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
    } finally {
      rmSync(file)
    }
    const place = { ...(await made.newPlace()), SECRET_KEY: '' }
    const { code, output } = await restored(from.BACKUP_DIR, options, place)
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining('Its signature fits the secret that it brought along'),
    })
    // Whoever has noted the secret elsewhere gives it, and so knows that it is theirs; with another one it is not.
    expect((await restored(from.BACKUP_DIR, options)).output).toContain(
      'brings its secret along: restore it without',
    )
    const known = { ...(await made.newPlace()), SECRET_KEY: noted }
    expect(await restored(from.BACKUP_DIR, options, known)).toMatchObject({ code: 0 })
    const name = readdirSync(from.BACKUP_DIR).find((one) => one.startsWith('20')) ?? ''
    const described = path.join(from.BACKUP_DIR, name, 'manifest.json')
    writeDescription(described, { ...readDescription(described), release: '0.0.1' })
    expect((await restored(from.BACKUP_DIR, options, { ...nowhere, SECRET_KEY: '' })).output).toContain(
      'does not fit the secret that it brings along',
    )
  },
)

test('what a backup without our signature names is not taken over into one with it', async () => {
  const folder = path.join(made.folder, 'before')
  await mkdir(folder)
  const from = { ...made.from, BACKUP_DIR: folder }
  expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
  const name = readdirSync(folder).find((one) => one.startsWith('20')) ?? ''
  const [list, described] = [
    path.join(folder, name, 'files.jsonl.zst'),
    path.join(folder, name, 'manifest.json'),
  ]
  const files = listedIn(list)
  const sources = files.filter(({ size }) => size === 200_000)
  expect(sources).toHaveLength(2)
  const [one, other] = sources
  const text = files
    .map((file) => `${JSON.stringify(file).replace(one?.sha256 ?? '', other?.sha256 ?? '')}\n`)
    .join('')
  writeFileSync(list, zstdCompressSync(text))
  const { mac: _mac, ...manifest } = readDescription(described)
  writeDescription(described, { ...manifest, files: { ...manifest.files, list: hash('sha256', text) } })
  expect(await runs('backup', [], from)).toMatchObject({ code: 0 })
  const place = await made.newPlace()
  expect(await restored(folder, [], place)).toMatchObject({ code: 0 })
  expect(Object.values(await filesIn(place.DATA_DIR)).toSorted()).toEqual(
    Object.values(await filesIn(made.from.DATA_DIR)).toSorted(),
  )
  expect(existsSync(path.join(place.DATA_DIR, 'sources'))).toBe(true)
})
