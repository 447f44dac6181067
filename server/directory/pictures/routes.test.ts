import { describe, expect, test } from 'vitest'
import { readAccount } from '#contract/identity/account.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { picturePath } from '#contract/directory/picture-limits.ts'
import * as pictures from '#contract/directory/pictures.ts'
import { readUser } from '#contract/directory/users.ts'
import { chunk, png } from '../../testing/media/png.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import { headOf } from '../../media/pictures/picture-head.ts'
import { sweepPictures } from './store.ts'

const server = await aServer()
const { orgId, admin } = await anOrganization(server, 'Pictured')
const learner = await server.person(null, orgId)

const bodyOf = (file: Buffer) => ({ data: file.toString('base64') })
const user = (person: Person) => ({ orgId, userId: person.id })

async function seen(key: string | null) {
  return server.app.inject({ method: 'GET', url: picturePath(key ?? '') })
}

describe('a logo', () => {
  test('is drawn anew within its box, shown to everybody who knows its key, and gone once replaced', async () => {
    const secret = chunk('tEXt', Buffer.from('Comment\0taken at 48.2082 N, 16.3738 E'))
    const params = { orgId }
    const put = await admin.call(pictures.putLogo, { params, body: bodyOf(png(900, 300, secret)) })
    expect(put.status).toBe(200)
    expect((await admin.call(readOrganization, { params })).body.logo).toBe(put.body.key)
    const shown = await seen(put.body.key)
    expect(shown.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    expect(shown.headers['content-security-policy']).toContain('sandbox')
    expect(headOf(shown.rawPayload)).toMatchObject({ format: 'webp_pipe', width: 320, height: 107 })
    expect(shown.rawPayload.toString('latin1')).not.toContain('48.2082')

    const small = await admin.call(pictures.putLogo, { params, body: bodyOf(png(40, 20)) })
    expect(headOf((await seen(small.body.key)).rawPayload)).toMatchObject({ width: 40, height: 20 })
    expect((await seen(put.body.key)).statusCode).toBe(404)

    expect((await admin.call(pictures.deleteLogo, { params })).body).toEqual({ key: null })
    expect((await seen(small.body.key)).statusCode).toBe(404)
    expect((await admin.call(readOrganization, { params })).body.logo).toBeNull()
    const log = await server.query(
      `select before, after from audit where action = 'organization.logo_changed' and actor_id = $1 order by id`,
      [admin.id],
    )
    expect(log).toEqual([
      { before: { picture: false }, after: { picture: true } },
      { before: { picture: true }, after: { picture: true } },
      { before: { picture: true }, after: { picture: false } },
    ])
  })

  test('leaves the version of the organization alone, so that an open form stays valid', async () => {
    const params = { orgId }
    const before = await admin.call(readOrganization, { params })
    await admin.call(pictures.putLogo, { params, body: bodyOf(png(40, 20)) })
    expect((await admin.call(readOrganization, { params })).headers['etag']).toBe(before.headers['etag'])
  })
})

describe('a face', () => {
  test('is cut to a square', async () => {
    const put = await admin.call(pictures.putAvatar, { params: user(learner), body: bodyOf(png(300, 200)) })
    expect(headOf((await seen(put.body.key)).rawPayload)).toMatchObject({ width: 128, height: 128 })
    expect((await admin.call(readUser, { params: user(learner) })).body.avatar).toBe(put.body.key)
  })

  test('is everybody’s own to change, a superadmin’s too, who has no organization', async () => {
    const groupadmin = await server.person('groupadmin', orgId)
    for (const person of [groupadmin, await server.person('superadmin')]) {
      const put = await person.call(pictures.putOwnAvatar, { body: bodyOf(png(30, 30)) })
      expect((await seen(put.body.key)).statusCode).toBe(200)
      expect((await person.call(readAccount)).body.avatar).toBe(put.body.key)
      expect((await person.call(pictures.deleteOwnAvatar)).body.key).toBeNull()
    }
  })

  test('is not a groupadmin’s to change for others, nor that of a foreign organization', async () => {
    const groupadmin = await server.person('groupadmin', orgId)
    const body = bodyOf(png(30, 30))
    expect((await groupadmin.call(pictures.putAvatar, { params: user(learner), body })).status).toBe(403)
    expect((await groupadmin.call(pictures.putLogo, { params: { orgId }, body })).status).toBe(403)
    const foreign = await server.person('admin', await server.organization('Elsewhere'))
    expect((await foreign.call(pictures.putAvatar, { params: user(learner), body })).status).toBe(404)
    const mixed = { orgId: foreign.organizationId ?? '', userId: learner.id }
    expect((await foreign.call(pictures.putAvatar, { params: mixed, body })).status).toBe(404)
    expect((await foreign.call(pictures.deleteAvatar, { params: mixed })).status).toBe(404)
  })

  test('goes with the person whose details were taken away', async () => {
    const gone = await server.person(null, orgId)
    const put = await admin.call(pictures.putAvatar, { params: user(gone), body: bodyOf(png(30, 30)) })
    await sweepPictures(server.services.db)
    expect((await seen(put.body.key)).statusCode).toBe(200)
    await server.query('update users set erased_at = now() where id = $1', [gone.id])
    await sweepPictures(server.services.db)
    expect((await seen(put.body.key)).statusCode).toBe(404)
  })
})

const svg = Buffer.from(
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
)
const animated = Buffer.concat([
  Buffer.from('RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x0f\0\0\x0f\0\0', 'latin1'),
  Buffer.alloc(64),
])
/** Says that it is huge; a decoder that believed it would take gigabytes. */
const bomb = (() => {
  const file = png(10, 10)
  file.writeUInt32BE(60_000, 16)
  file.writeUInt32BE(60_000, 20)
  return file
})()
const playlist = Buffer.from('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')

test.each([
  { what: 'an SVG', file: svg, status: 415, sentence: 'can hold programs' },
  {
    what: 'a page',
    file: Buffer.from('<!doctype html><script>alert(1)</script>'),
    status: 415,
    sentence: 'PNG, JPEG and WebP',
  },
  {
    what: 'a playlist that names a file of the server',
    file: playlist,
    status: 415,
    sentence: 'PNG, JPEG and WebP',
  },
  { what: 'a moving picture', file: animated, status: 415, sentence: 'moves' },
  { what: 'a bomb', file: bomb, status: 413, sentence: '25 million pixels' },
  { what: 'half a picture', file: png(200, 200).subarray(0, 60), status: 415, sentence: 'damaged' },
  {
    what: 'a beginning of nothing',
    file: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1'),
    status: 415,
    sentence: 'PNG, JPEG and WebP',
  },
])('$what is refused with a sentence', async ({ file, status, sentence }) => {
  const answer = await admin.call(pictures.putLogo, { params: { orgId }, body: bodyOf(file) })
  expect(answer.status).toBe(status)
  expect(answer.problem?.detail).toContain(sentence)
})

test('what is no base64, nothing, or too long never gets as far as a decoder', async () => {
  const put = (data: string) => admin.call(pictures.putLogo, { params: { orgId }, body: { data } })
  expect((await put('')).problem?.fields).toEqual({ data: ['required', 'invalid'] })
  expect((await put('not base64!')).problem?.fields).toEqual({ data: ['invalid'] })
  expect((await put('A'.repeat(2_000_001))).status).toBe(422)
  expect((await put('A'.repeat(2_100_000))).status).toBe(413)
  expect((await seen('../../etc/passwd')).statusCode).toBe(404)
  expect((await seen('A'.repeat(22))).statusCode).toBe(404)
})

test('a photograph that was taken with the camera on its side lies as it should', () => {
  const exif = Buffer.from(
    'Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0',
    'latin1',
  )
  const segment = (marker: number, data: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0])
    head.writeUInt16BE(data.length + 2, 2)
    return Buffer.concat([head, data])
  }
  const frame = Buffer.from([8, 0, 100, 0, 200, 3])
  const file = Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xe1, exif), segment(0xc0, frame)])
  expect(headOf(file)).toEqual({ format: 'jpeg_pipe', width: 200, height: 100, orientation: 6 })
})
