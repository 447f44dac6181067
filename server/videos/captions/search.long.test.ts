import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { searchVideos } from '#contract/videos/videos.ts'
import type { Person } from '../../testing/server.ts'
import { chance } from '../../testing/viewing/viewers.ts'
import { anOrganization, aServer } from '../../testing/worlds.ts'

/** What is said in ten thousand videos is found about as quickly as its index alone answers, behind all walls. */

const server = await aServer()
const { next, between, pick } = chance(57)

const transcripts = 10_000
const cuesOfEach = 120
const wordsOfCue = 8
const consonants = ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'r', 's', 't', 'w']
const vowels = ['a', 'e', 'i', 'o', 'u', 'ä', 'ö', 'ü']
/** So many words has a language of everyday. Of the first few every sentence is made, of the last hardly any. */
const vocabulary = Array.from({ length: 20_000 }, (_nothing, at) => wordOf(at))

function wordOf(rank: number): string {
  const sounds = Array.from(
    { length: 1 + Math.floor(Math.log10(rank + 1)) },
    () => `${pick(consonants)}${pick(vowels)}`,
  )
  return `${sounds.join('')}${rank.toString(36)}`
}

const word = () => vocabulary[Math.floor(vocabulary.length ** next()) - 1] ?? ''
const sentence = () => Array.from({ length: wordsOfCue }, word).join(' ')

function cues() {
  return Array.from({ length: cuesOfEach }, (_nothing, at) => ({
    id: '',
    startMs: at * 4_000,
    endMs: at * 4_000 + 3_500,
    settings: '',
    text: sentence(),
  }))
}

async function addTranscripts(organizationId: string, count: number): Promise<void> {
  const each = 250
  for (let at = 0; at < count; at += each) {
    const batch = Array.from({ length: Math.min(each, count - at) }, (_nothing, n) => ({
      n: at + n,
      cues: cues(),
    }))
    await server.query(
      `with given as materialized (select gen_random_uuid() as video, gen_random_uuid() as version, n, cues from jsonb_to_recordset($2::jsonb) as r (n int, cues jsonb)),
        films as (insert into videos (id, organization_id, title, state, created_at)
          select video, $1, 'Film ' || n, 'ready', now() - n * interval '1 minute' from given returning id),
        versions as (insert into video_versions (id, organization_id, video_id, number, file_name, size, uploaded_at, ready_at, duration_ms)
          select version, $1, video, 1, 'a.mp4', 1, now(), now(), 480000 from given returning id)
        insert into captions (organization_id, video_id, version_id, language, kind, format, made_for, cues, cue_count, revision)
          select $1, video, version, 'de', 'captions', 'vtt', 1, cues, ${cuesOfEach}, '' from given`,
      [organizationId, JSON.stringify(batch)],
    )
  }
  await server.query(
    `update videos v set current_version_id = r.id from video_versions r where r.video_id = v.id and v.organization_id = $1`,
    [organizationId],
  )
}

let orgId: string
let admin: Person
beforeAll(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  await addTranscripts(orgId, transcripts)
  await addTranscripts((await anOrganization(server)).orgId, transcripts / 20)
  // As the database itself does within minutes.
  const owner = new pg.Client({ connectionString: server.ownerUrl })
  await owner.connect()
  await owner.query('vacuum analyze captions, videos')
  await owner.end()
})

async function search(keyword: string, limit: number) {
  const { status, body } = await admin.call(searchVideos, { query: { keyword, limit } })
  expect([keyword, status, body]).toEqual([keyword, 200, expect.anything()])
  return body
}

/** As people type: a word of any frequency, its beginning, two words, one that nobody says. */
function keyword(): string {
  const one = vocabulary[between(0, vocabulary.length - 1)] ?? ''
  return pick([word(), word(), one, one, `${word()} ${one}`, `${word()} ${word()}`, `${one}x`])
}

/** The barest program for the same question: the index of words and the newest 50 of what it finds, without walls, titles and moments. */
const floor = `select v.id, count(*) over () as n from captions c join videos v on v.id = c.video_id
  where c.organization_id = $1 and c.said_words @@ said_query($2) order by v.created_at desc limit 50`

const timed = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
const sorted = (all: readonly number[]) => all.toSorted((one, other) => one - other)
const at = (share: number, all: readonly number[]) => sorted(all)[Math.floor(share * (all.length - 1))] ?? 0
const shown = (all: readonly number[]) =>
  `p50 ${at(0.5, all).toFixed(1)} ms, p95 ${at(0.95, all).toFixed(1)} ms`

test('a search of ten thousand transcripts takes a few times what the index alone does', async () => {
  const asked = Array.from({ length: 400 }, keyword)
  const ours: number[] = []
  const floors: number[] = []
  let found = 0
  for (const text of asked) {
    floors.push(await timed(() => server.query(floor, [orgId, text])))
    ours.push(
      await timed(async () => {
        const { items } = await search(text, 50)
        found += items.filter(({ moments }) => moments.length > 0).length
      }),
    )
  }
  const ratio = at(0.95, ours) / at(0.95, floors)
  process.stdout.write(
    `search of what is said in ${transcripts} videos: ${shown(ours)}; floor: ${shown(floors)}; ratio at p95 ${ratio.toFixed(2)}\n`,
  )
  expect(found).toBeGreaterThan(asked.length)
  expect(ratio).toBeLessThan(12)
})

test('what is found is what is said, word by word', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const text = vocabulary[between(200, vocabulary.length - 1)] ?? ''
    const { total } = await search(text, 1)
    const [counted] = await server.query<{ n: number }>(
      `select count(*)::int as n from captions c where c.organization_id = $1
        and exists (select from jsonb_array_elements(c.cues) e where ' ' || fold_text(e->>'text') like '% ' || fold_text($2) || '%')`,
      [orgId, text],
    )
    expect([text, total]).toEqual([text, counted?.n])
  }
})
