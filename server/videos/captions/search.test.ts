import { beforeEach, describe, expect, test } from 'vitest'
import { search } from '#contract/search.ts'
import { captionTypes, deleteCaption } from '#contract/videos/captions.ts'
import { exportVideos } from '#contract/videos/record-bulk.ts'
import { deleteVideo, searchVideos, updateVideo } from '#contract/videos/videos.ts'
import { replaceVideo } from '#contract/videos/replacements.ts'
import type { Person } from '../../testing/server.ts'
import { addVideo } from '../../testing/viewing/viewing.ts'
import { anOrganization, aServer } from '../../testing/worlds.ts'
import { storeResult } from '../process-queries.ts'

const server = await aServer()
let orgId: string
let admin: Person

beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const film = async (title: string, organizationId = orgId) =>
  (await addVideo(server, { organizationId, title, durationMs: 600_000 })).videoId

type Said = { language?: string; kind?: string; by?: Person }

/** Captions that say these texts, one every ten seconds. */
async function say(
  videoId: string,
  texts: readonly string[],
  { language = 'en', kind, by = admin }: Said = {},
) {
  const two = (value: number) => String(value).padStart(2, '0')
  const clock = (at: number) => `${two(Math.floor(at / 360))}:${two(Math.floor(at / 6) % 60)}:${at % 6}0`
  const cues = texts.map((text, at) => `${clock(at)}.000 --> ${clock(at)}.900\n${text}\n`)
  const body = Buffer.from(`WEBVTT\n\n${cues.join('\n')}`)
  const query = kind === undefined ? '' : `?kind=${kind}`
  const headers = { 'content-type': captionTypes.vtt }
  const put = await by.send('PUT', `/api/videos/${videoId}/captions/${language}${query}`, { body, headers })
  expect(put.status).toBe(200)
}

async function find(keyword: string, by = admin) {
  const { body } = await by.call(searchVideos, { query: { keyword } })
  return body.items.map(
    ({ title, moments }) =>
      `${title}: ${moments.map(({ atMs, language, text }) => `${atMs} ${language} ${text}`).join(' | ')}`,
  )
}

describe('what is said in a video', () => {
  test('finds it, with the first places, whatever case and accents, by the beginnings of words', async () => {
    const first = await film('Machines')
    await say(first, [
      'Good morning',
      'Première: <i>Lock</i> out &amp; tag',
      'the locks',
      'unlock nothing',
      'Lock it',
      'Locked?',
    ])
    await film('Locks in a title')
    const said = '10000 en Première: Lock out & tag | 20000 en the locks | 40000 en Lock it'
    expect(await find('LÖCK')).toEqual(['Locks in a title: ', `Machines: ${said}`])
    expect(await find('premiere')).toEqual(['Machines: 10000 en Première: Lock out & tag'])
    // The rest of a word is none, and neither is what stands in the text for its look.
    expect(await find('nlock')).toEqual([])
    expect(await find('amp')).toEqual([])
  })

  test('needs every word, and shows the places that have most of them', async () => {
    const videoId = await film('Press')
    await say(videoId, ['Switch it off', 'You lock the press', 'Lock the door', 'nobody'])
    expect(await find('press off')).toEqual(['Press: 0 en Switch it off | 10000 en You lock the press'])
    expect(await find('lock, the door')).toEqual([
      'Press: 10000 en You lock the press | 20000 en Lock the door',
    ])
    expect(await find('press absent')).toEqual([])
    expect(await find('%_-')).toEqual([])
  })

  test('is of every language, and signs that stand without spaces are found one by one', async () => {
    const videoId = await film('Many')
    await say(videoId, ['Zuerst abschalten', 'Größe'], { language: 'de' })
    await say(videoId, ['安全第一です'], { language: 'ja' })
    await say(videoId, ['abschalten'], { language: 'fr', kind: 'descriptions' })
    expect(await find('abschalten')).toEqual(['Many: 0 de Zuerst abschalten'])
    expect(await find('groesse')).toEqual([])
    expect(await find('grosse')).toEqual(['Many: 10000 de Größe'])
    expect(await find('第一')).toEqual(['Many: 0 ja 安全第一です'])
  })

  test('follows the captions: replaced, removed, and of the version that plays alone', async () => {
    const videoId = await film('Drill')
    await say(videoId, ['Sound the siren', 'between', 'Meet outside'])
    expect(await find('siren')).toHaveLength(1)
    await say(videoId, ['Ring the bell', 'between', 'Meet outside'])
    expect(await find('siren')).toEqual([])
    const change = { matters: 'parts' as const, parts: [[0, 5_000]] as [number, number][], alsoDone: false }
    const body = { fileName: 'new.mp4', size: 10, change }
    const answer = await admin.call(replaceVideo, { params: { videoId }, body })
    const key = { organizationId: orgId, videoId, versionId: answer.body.uploadUrl.split('/').at(-1) ?? '' }
    const picture = { width: 1, height: 1, renditions: [], poster: 'p.jpg', posterSmall: 'p.jpg', blur: '' }
    const made = { ...picture, durationMs: 600_000, storyboard: null, bytes: 1, files: [], warnings: [] }
    await server.services.db.as({ organizationId: orgId }, (tx) => storeResult(tx, key, made as never))
    expect(await find('bell')).toEqual([])
    expect(await find('outside')).toEqual(['Drill: 20000 en Meet outside'])
    await admin.call(deleteCaption, { params: { videoId, language: 'en' }, query: {} })
    expect(await find('outside')).toEqual([])
  })

  test('is found by nobody else, and not of what is removed', async () => {
    const other = await anOrganization(server)
    const videoId = await film('Ours')
    await say(videoId, ['Xylophone'])
    expect(await find('xylophone', other.admin)).toEqual([])
    const named = await other.admin.call(searchVideos, {
      query: { keyword: 'xylophone', organizationId: orgId },
    })
    expect(named.body.items).toEqual([])
    expect(await find('xylophone', await server.person('superadmin'))).toEqual(['Ours: 0 en Xylophone'])
    await admin.call(deleteVideo, { params: { videoId } })
    expect(await find('xylophone')).toEqual([])
  })

  test('counts in the file of a list as it does in the list', async () => {
    await say(await film('Quay'), ['Mind the bollard'])
    const { body } = await admin.call(exportVideos, {
      body: { filter: { keyword: 'bollard' }, format: 'csv' },
    })
    expect(JSON.stringify(body)).toContain('Quay')
  })

  test('more different words than an index takes are taken, and the first of them found', async () => {
    const videoId = await film('Babel')
    const words = Array.from({ length: 150_000 }, (_nothing, n) => `w${n.toString(36)}x${n}`)
    const lineOf = (at: number) => words.slice(at * 100, at * 100 + 100).join(' ')
    await say(
      videoId,
      Array.from({ length: 1_500 }, (_nothing, at) => lineOf(at)),
    )
    expect(await find('w0x0')).toHaveLength(1)
  })
})

describe('the search of everything', () => {
  const hits = async (q: string, by = admin) => {
    const { body } = await by.call(search, { query: { q } })
    return body.groups.flatMap(({ hits: found, closeness }) =>
      found.map(({ title, detail, moment, path }) => ({ title, detail, moment, path, closeness })),
    )
  }

  test('leads to the second at which something is said', async () => {
    const videoId = await film('Press')
    await say(videoId, ['Good morning', 'Then lock out the turbine'])
    expect(await hits('turbin')).toEqual([
      {
        title: 'Press',
        detail: 'Then lock out the turbine',
        moment: { atMs: 10_000, text: 'Then lock out the turbine', language: 'en' },
        path: `/content/${videoId}`,
        closeness: 'elsewhere',
      },
    ])
    await admin.call(updateVideo, { params: { videoId }, body: { title: 'Turbine' } })
    expect(await hits('turbin')).toMatchObject([{ title: 'Turbine', moment: null, closeness: 'title' }])
  })

  test('shows each reader their own, in whatever order they ask', async () => {
    const other = await anOrganization(server)
    await say(await film('Ours'), ['The quokka'])
    await say(await film('Theirs', other.orgId), ['A quokka'], { by: other.admin })
    const groupadmin = await server.person('groupadmin', orgId)
    const superadmin = await server.person('superadmin')
    for (let turn = 0; turn < 3; turn += 1) {
      expect((await hits('quokka')).map(({ title }) => title)).toEqual(['Ours'])
      expect((await hits('quokka', other.admin)).map(({ title }) => title)).toEqual(['Theirs'])
      expect(await hits('quokka', groupadmin)).toEqual([])
      expect((await hits('quokka', superadmin)).map(({ title }) => title)).toEqual(['Theirs', 'Ours'])
    }
  })
})
