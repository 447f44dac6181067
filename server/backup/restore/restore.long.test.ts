import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backedUp, beginUpload, putFile, runs, type BackedUp } from '../../testing/backup/backups.ts'
import { ask } from '../../testing/backup/forged.ts'
import { launch } from '../../testing/processes/process.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'

let made: BackedUp
beforeAll(async () => {
  made = await backedUp()
})
afterAll(() => made.close())

const newest = () => made.names().at(-1) ?? ''

test('an encrypted one opens with its key alone', async () => {
  const key = path.join(made.folder, 'key')
  const reported = await runs('backup', ['--new-key', key], made.from)
  const recipient = /BACKUP_RECIPIENT=(age1\w+)/.exec(reported.output)?.[1] ?? ''
  expect(statSync(key).mode & 0o077).toBe(0)
  expect((await runs('backup', ['--new-key', key], made.from)).output).toContain('never overwritten')
  const done = await runs('backup', [], { ...made.from, BACKUP_RECIPIENT: recipient })
  expect(done.output).toContain(`Encrypted for ${recipient}`)
  expect(existsSync(path.join(made.backups, newest(), 'tables/public.users.zst.age'))).toBe(true)
  const restored = async (args: string[]) =>
    runs('restore', ['--from', made.backups, ...args], await made.newPlace())
  expect((await restored([])).output).toContain('This backup is encrypted for age1')
  await runs('backup', ['--new-key', `${key}.other`], made.from)
  expect((await restored(['--identity', `${key}.other`])).output).toContain('does not open this backup')
  expect(await restored(['--identity', key])).toMatchObject({ code: 0 })
})

test('nothing starts where a restore was not finished', async () => {
  const place = await made.newPlace()
  await putFile(path.join(place.DATA_DIR, 'restore-unfinished'), 'whole\n')
  const program = launch({ ...place, RUN: 'worker' })
  expect(await program.ended).toBe('1')
  expect(program.output()).toContain('was not finished. Run it once more')
  const plain = path.join(made.folder, 'plain')
  expect(await runs('backup', ['--to', plain], made.from)).toMatchObject({ code: 0 })
  expect(await runs('restore', ['--from', plain], place)).toMatchObject({ code: 0 })
})

test('an upload goes on where its file is as long as its table says, and begins anew where it is not', async () => {
  const { server } = made
  const organizationId = await server.organization('Uploading')
  const begun = async (arrived: number, bytes: number | null) => {
    const { versionId } = await addVideo(server, { organizationId })
    await beginUpload(server, versionId, { store: 'folder', arrived })
    if (bytes !== null) await putFile(path.join(made.from.DATA_DIR, 'uploads', versionId), randomBytes(bytes))
    return versionId
  }
  const [longer, whole] = [await begun(400, 500), await begun(500, 500)]
  const [shorter, missing] = [await begun(500, 400), await begun(500, null)]
  await server.query(
    `insert into upload_parts (version_id, organization_id, number, etag) values ($1, $2, 1, '0')`,
    [shorter, organizationId],
  )
  const folder = path.join(made.folder, 'uploading')
  expect(await runs('backup', ['--to', folder], made.from)).toMatchObject({ code: 0 })
  const place = await made.newPlace()
  expect(await runs('restore', ['--from', folder], place)).toMatchObject({ code: 0 })
  const found = await ask<{ id: string; received: number; arrived: number | null }>(
    place.DATABASE_URL,
    `select x.id, x.received_bytes::int as received, u.arrived::int as arrived from video_versions x
      left join uploads u on u.version_id = x.id where x.organization_id = '${organizationId}'`,
  )
  const far = Object.fromEntries(found.map(({ id, received, arrived }) => [id, { received, arrived }]))
  expect(far).toEqual({
    [longer]: { received: 400, arrived: 400 },
    [whole]: { received: 500, arrived: 500 },
    [shorter]: { received: 0, arrived: null },
    [missing]: { received: 0, arrived: null },
  })
  expect(await ask(place.DATABASE_URL, 'select 1 from upload_parts')).toEqual([])
})
