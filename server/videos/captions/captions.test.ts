import { beforeEach, describe, expect, test } from 'vitest'
import {
  captionTypes,
  chooseCaptions,
  deleteCaption,
  readCaption,
  readCaptions,
  type Caption,
  type CaptionFormat,
} from '#contract/videos/captions.ts'
import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { deleteVideo, readVideo } from '#contract/videos/videos.ts'
import { bare, oddFile, saidIn } from '../../testing/media/odd-captions.ts'
import type { Person } from '../../testing/server.ts'
import { addMedia } from '../../testing/viewing/served.ts'
import { chance } from '../../testing/viewing/viewers.ts'
import { openPage } from '../../testing/viewing/viewing.ts'
import { anOrganization, aServer } from '../../testing/worlds.ts'
import { storeResult } from '../process-queries.ts'
import { noteRemoved } from '../uploads/queries.ts'

const server = await aServer()
let orgId: string
let admin: Person
let videoId: string

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  ;({ videoId } = await addMedia(server, orgId))
})

type Put = {
  kind?: string
  format?: CaptionFormat
  fileName?: string
  headers?: Record<string, string>
  by?: Person
}
const put = (language: string, file: string | Buffer, more: Put = {}) => {
  const { kind = 'captions', format = 'vtt', fileName, headers, by = admin } = more
  const query = new URLSearchParams({ kind, ...(fileName !== undefined && { fileName }) })
  const body = Buffer.from(file)
  return by.send('PUT', `/api/videos/${videoId}/captions/${language}?${query.toString()}`, {
    body,
    headers: { 'content-type': captionTypes[format], ...headers },
  })
}
const list = async () => (await admin.call(readCaptions, { params: { videoId } })).body
const download = async (language: string, query: Record<string, string> = {}) => {
  const asked = new URLSearchParams(query)
  const { body } = await admin.send('GET', `/api/videos/${videoId}/captions/${language}?${asked.toString()}`)
  return typeof body === 'string' ? body : ''
}
const detail = async () => (await admin.call(readVideo, { params: { videoId } })).body
const get = async (url: string) => {
  const { statusCode, body, headers } = await server.app.inject({ url })
  return { status: statusCode, body, headers }
}

/** What a player of the playlist is given, from the first address to the last. */
async function played(label = 'Deutsch') {
  const hls = (await detail()).playback?.hls ?? ''
  const master = (await get(hls)).body
  const line = master
    .split('\n')
    .find((one) => one.startsWith('#EXT-X-MEDIA') && one.includes(`NAME="${label}"`))
  const list = new URL(/URI="([^"]+)"/.exec(line ?? '')?.[1] ?? 'none', `http://x${hls}`).pathname
  const playlist = await get(list)
  const file = playlist.body.split('\n').find((one) => one.endsWith('.vtt')) ?? 'none'
  const vtt = await get(new URL(file, `http://x${list}`).pathname)
  return { master, line, playlist: playlist.body, vtt: vtt.body, headers: vtt.headers }
}

const two = 'WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n\n00:30.000 --> 00:31.000\nTwo\n'

describe('two hundred odd files', () => {
  test('are taken, and each cue has the same times to the millisecond in the playlist and in both downloads', async () => {
    const seeded = chance(43)
    for (let index = 0; index < 200; index += 1) {
      const { name, format, bytes, said } = oddFile(seeded, index)
      const kept = await put('de', bytes, { format, fileName: name })
      expect([name, kept.status, kept.body]).toEqual([
        name,
        200,
        expect.objectContaining({ cues: said.length }),
      ])
      const expected = said.map(({ startMs, endMs, words }) => `${startMs} ${endMs} ${words}`)
      const told = (text: string) =>
        saidIn(text).map(({ startMs, endMs, words }) => `${startMs} ${endMs} ${bare(words)}`)
      expect(told((await played()).vtt), name).toEqual(expected)
      const srt = await download('de', { format: 'srt' })
      expect(told(srt), name).toEqual(expected)
      expect((await put('fr', srt, { format: 'srt' })).status, name).toBe(200)
      expect(told(await download('fr')), name).toEqual(expected)
    }
  }, 240_000)
})

describe('a file that cannot be taken', () => {
  const times = '00:01.000 --> 00:02.000'
  test.each<[string, string | Buffer, CaptionFormat, string, number]>([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]), 'srt', 'not_text', 1],
    ['wide text without a mark', Buffer.from(two, 'utf16le'), 'srt', 'not_text', 1],
    ['no WEBVTT', `${times}\nx`, 'vtt', 'no_signature', 1],
    ['nothing', 'WEBVTT\n\n', 'vtt', 'no_cues', 1],
    ['an empty SRT', '\n', 'srt', 'no_cues', 1],
    ['text without times', `WEBVTT\n\n${times}\nx\n\nwords alone`, 'vtt', 'no_times', 6],
    ['times of another kind', `WEBVTT\r\n\r\n${times}\r\nx\r\n\r\n1.5 --> 2.5\r\ny`, 'vtt', 'bad_times', 6],
    ['times with two digits of milliseconds', '1\n00:00:01,50 --> 00:00:02,50\nx', 'srt', 'bad_times', 2],
    ['an end before its beginning', `1\n00:00:02,000 --> 00:00:01,000\nx`, 'srt', 'ends_before', 2],
    ['no length', 'WEBVTT\n\n00:01.000 --> 00:01.000\nx', 'vtt', 'ends_before', 3],
    ['a year', 'WEBVTT\n\n00:01.000 --> 9000:00:01.000\nx', 'vtt', 'too_late', 3],
    [
      'a style from elsewhere',
      `WEBVTT\n\nSTYLE\n::cue { background: URL(//a.test) }\n\n${times}\nx`,
      'vtt',
      'unsafe_style',
      4,
    ],
    ['a long caption', `WEBVTT\n\n${times}\n${'x'.repeat(2_001)}`, 'vtt', 'too_long', 3],
    ['too many', `WEBVTT\n\n${`${times}\nx\n\n`.repeat(20_001)}`, 'vtt', 'too_many', 60_003],
  ])('%s is refused with its line', async (...[, file, format, fault, line]) => {
    const refused = await put('de', file, { format })
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', fault, line } })
    expect(refused.body).toMatchObject({ detail: expect.stringMatching(new RegExp(`^Line ${line}: .{40}`)) })
    expect((await list()).items).toEqual([])
  })

  test('is also one of another type, of another language, or larger than 5 MB', async () => {
    expect((await put('de', '{}', { headers: { 'content-type': 'application/json' } })).status).toBe(415)
    for (const language of ['x', 'english please', 'de_DE', '1'])
      expect(await put(encodeURIComponent(language), two)).toMatchObject({
        status: 422,
        body: { fields: { language: ['invalid'] } },
      })
    expect((await put('de', Buffer.alloc(5 * 2 ** 20 + 1, 0x61))).status).toBe(413)
    expect((await put('de', two, { kind: 'songs' })).status).toBe(422)
  })

  test('has nothing of HTML beyond what VTT knows, and nests as deep as it likes', async () => {
    const hostile = `WEBVTT\n\n00:01.000 --> 00:02.000\n<script>alert(1)</script><img src=x onerror=y> <b onclick=z>bold</b> &#60;i&#62; &#0;\n\n00:03.000 --> 00:04.000\n${'<b>'.repeat(600)}deep`
    expect((await put('de', hostile)).status).toBe(200)
    const { vtt } = await played()
    expect(vtt).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=y&gt; <b>bold</b> &lt;i&gt;',
    )
    expect(vtt.replaceAll(/<\/?b>|-->/g, '')).not.toMatch(/[<>]/)
  })
})

describe('the captions of a video', () => {
  test('stand beside each other by language and kind, one of them shown from the start', async () => {
    await put('DE', two, { fileName: 'film.de.vtt' })
    await put('de', two, { kind: 'subtitles' })
    await put('pt-br', two, { kind: 'subtitles' })
    await put('en', two, { kind: 'descriptions' })
    const { items, version } = await list()
    expect(version).toBe(1)
    expect(items.map(({ language, kind, isDefault }) => `${language} ${kind} ${isDefault}`)).toEqual([
      'de captions false',
      'de subtitles false',
      'en descriptions false',
      'pt-BR subtitles false',
    ])
    expect(items[0]).toMatchObject({
      cues: 2,
      format: 'vtt',
      fileName: 'film.de.vtt',
      madeFor: 1,
      former: null,
    })
    const body = { shown: { language: 'pt-BR', kind: 'subtitles' as const } }
    const chosen = await admin.call(chooseCaptions, { params: { videoId }, body })
    expect(chosen.body.items.filter(({ isDefault }) => isDefault)).toMatchObject([{ language: 'pt-BR' }])
    const { tracks } = await detail()
    expect(tracks.map(({ kind, label, isDefault }) => `${kind} ${label} ${isDefault}`)).toEqual([
      'subtitles português (Brasil) true',
      'captions Deutsch (CC) false',
      'subtitles Deutsch false',
      'descriptions English false',
    ])
    // What a GET gave is taken back by a PUT.
    const given = await list()
    expect(given.shown).toEqual(body.shown)
    const path = `/api/videos/${videoId}/captions`
    expect(await admin.send('PUT', path, { body: given })).toMatchObject({
      status: 200,
      body: { shown: body.shown },
    })
    const none = await admin.call(chooseCaptions, { params: { videoId }, body: { shown: null } })
    expect(none.body.items.some(({ isDefault }) => isDefault)).toBe(false)
    expect(
      (
        await admin.call(chooseCaptions, {
          params: { videoId },
          body: { shown: { language: 'fr', kind: 'captions' } },
        })
      ).status,
    ).toBe(404)
    await admin.call(deleteCaption, { params: { videoId, language: 'de' }, query: { kind: 'subtitles' } })
    expect((await list()).items).toHaveLength(3)
    expect(
      (await admin.call(deleteCaption, { params: { videoId, language: 'de' }, query: { kind: 'subtitles' } }))
        .status,
    ).toBe(404)
  })

  test('are in the playlist of players that know nothing of the page', async () => {
    expect((await get((await detail()).playback?.hls ?? '')).body).not.toContain('SUBTITLES')
    await put('de', two)
    const { master, line, playlist, vtt, headers } = await played()
    expect(line).toContain(
      'TYPE=SUBTITLES,GROUP-ID="captions",NAME="Deutsch",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES',
    )
    expect(master.match(/^#EXT-X-STREAM-INF:.*$/m)?.[0]).toMatch(/,SUBTITLES="captions"$/)
    expect(playlist).toContain('#EXT-X-TARGETDURATION:60')
    expect(vtt).toMatch(/^WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n00:00:01.000/)
    expect(headers).toMatchObject({
      'content-type': 'text/vtt; charset=utf-8',
      'cache-control': expect.stringContaining('immutable'),
    })
    expect(headers['cross-origin-resource-policy']).not.toBe('cross-origin')
  })

  test('change by another file alone, and by nobody who has seen an older one', async () => {
    const first = await put('de', two)
    expect((await put('de', two)).body).toEqual(first.body)
    const etag = String(first.headers['etag'])
    expect((await put('de', two.replace('One', 'Eins'), { headers: { 'if-match': etag } })).status).toBe(200)
    expect((await put('de', two, { headers: { 'if-match': etag } })).status).toBe(412)
    const found = await server.query(`select action from audit where entity_id = $1 order by at`, [videoId])
    expect(found).toEqual([{ action: 'video.captioned' }, { action: 'video.captioned' }])
  })

  test('are on the page of the video for the browser itself, and nothing is where there are none', async () => {
    const before = await openPage(server, `/w/video/${videoId}`)
    expect(before.html).not.toContain('<track')
    expect(before.data).not.toHaveProperty('captions')
    await put('de', two)
    const { html, data } = await openPage(server, `/w/video/${videoId}`)
    expect(data).toHaveProperty('captions')
    const [, src = ''] = /<track kind="captions" srclang="de" label="Deutsch" src="([^"]+)">/.exec(html) ?? []
    expect(saidIn((await get(src)).body)).toEqual(saidIn(await download('de')))
    // The right to look at pictures is none to read along.
    expect((await get(src.replace(/^\/m\/[^/]+/, '/m/forged.token'))).status).toBe(404)
  })

  test('go with the video', async () => {
    await put('de', two)
    const { src = '' } = (await detail()).tracks[0] ?? {}
    await admin.call(deleteVideo, { params: { videoId } })
    expect((await get(src)).status).toBe(404)
    expect((await put('de', two)).status).toBe(404)
    await server.services.db.as('system', (tx) => noteRemoved(tx, { organizationId: orgId, videoId }))
    expect(await server.query('select 1 from captions where video_id = $1', [videoId])).toEqual([])
  })
})

describe('a replaced video', () => {
  async function replace(change: VideoChange, durationMs = 60_000): Promise<void> {
    const body = { fileName: 'new.mp4', size: 10, change }
    const answer = await admin.call(replaceVideo, { params: { videoId }, body })
    const key = { organizationId: orgId, videoId, versionId: answer.body.uploadUrl.split('/').at(-1) ?? '' }
    const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
    const made = { ...picture, durationMs, storyboard: null, bytes: 1, files: [], warnings: [] }
    await server.services.db.as({ organizationId: orgId }, (tx) => storeResult(tx, key, made as never))
  }
  const shown = async (query = {}) =>
    saidIn(await download('de', query)).map(({ startMs, words }) => `${startMs} ${words}`)
  const [one, between, last] = [
    [1, 'One'],
    [20, 'Between'],
    [40, 'Last'],
  ] as const
  const three = `WEBVTT\n\n${[one, between, last].map(([at, words]) => `00:${String(at).padStart(2, '0')}.250 --> 00:${String(at + 2).padStart(2, '0')}.250\n${words}\n`).join('\n')}`
  const only = async (): Promise<Caption | undefined> => (await list()).items[0]

  test('keeps the captions that did not change, and says of the rest that they belong to the former version', async () => {
    await put('de', three, { fileName: 'film.vtt' })
    await admin.call(chooseCaptions, {
      params: { videoId },
      body: { shown: { language: 'de', kind: 'captions' } },
    })
    await replace({ matters: 'parts', parts: [[18_000, 24_000]], alsoDone: false })
    expect(await shown()).toEqual(['1250 One', '40250 Last'])
    expect(await shown({ former: 'true' })).toEqual(['20250 Between'])
    expect(await only()).toMatchObject({
      cues: 2,
      madeFor: 1,
      isDefault: true,
      fileName: 'film.vtt',
      former: { cues: 1, part: [20_250, 22_250] },
    })
    expect((await list()).version).toBe(2)
    await put('de', three)
    expect(await only()).toMatchObject({ cues: 3, madeFor: 2, isDefault: true, former: null })
  })

  test('moves what comes after a part that became longer, to the millisecond', async () => {
    await put('de', three)
    await replace({ matters: 'parts', parts: [[18_000, 28_000]], alsoDone: false }, 64_321)
    expect(await shown()).toEqual(['1250 One', '44571 Last'])
  })

  test('that is another one altogether shows none of them, until somebody says that they fit', async () => {
    await put('de', three)
    await replace({ matters: 'whole', alsoDone: false })
    expect(await shown()).toEqual([])
    expect((await detail()).tracks).toEqual([])
    expect(await only()).toMatchObject({ cues: 0, former: { cues: 3 } })
    expect((await put('de', await download('de', { former: 'true' }))).status).toBe(200)
    expect(await only()).toMatchObject({ cues: 3, former: null })
  })

  test('in which nothing matters keeps them all', async () => {
    await put('de', three)
    await replace({ matters: 'nothing' })
    expect(await shown()).toEqual(['1250 One', '20250 Between', '40250 Last'])
    expect(await only()).toMatchObject({ former: null })
  })
})

test('requires sign-in', async () => {
  expect((await server.call(readCaptions, { params: { videoId } })).status).toBe(401)
  expect(
    (
      await server.send('PUT', `/api/videos/${videoId}/captions/de`, {
        body: Buffer.from(two),
        headers: { 'content-type': 'text/vtt' },
      })
    ).status,
  ).toBe(401)
})

test('requires role', async () => {
  await put('de', two)
  const group = await server.person('groupadmin', orgId)
  const foreign = await server.person('admin', await server.organization('Other'))
  for (const [by, status] of [
    [group, 403],
    [foreign, 404],
  ] as const) {
    expect((await put('de', two, { by })).status).toBe(status)
    expect((await by.call(readCaptions, { params: { videoId } })).status).toBe(status)
    expect((await by.call(readCaption, { params: { videoId, language: 'de' } })).status).toBe(status)
    expect((await by.call(deleteCaption, { params: { videoId, language: 'de' } })).status).toBe(status)
  }
})
