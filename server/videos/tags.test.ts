import { beforeEach, expect, test } from 'vitest'
import { listOperationRows } from '#contract/operations.ts'
import { search } from '#contract/search.ts'
import { changeVideos, exportVideos, previewVideos, type VideoAction } from '#contract/videos/record-bulk.ts'
import { listVideoTags } from '#contract/videos/tags.ts'
import { deleteVideo, listVideos, readVideo, searchVideos, updateVideo } from '#contract/videos/videos.ts'
import { addVideo } from '../testing/audience.ts'
import { endOf, takeOperationBack } from '../testing/operations.ts'
import type { Person } from '../testing/server.ts'
import { aWorkingServer, anOrganization } from '../testing/worlds.ts'

const server = await aWorkingServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

async function add(title: string, ...tags: string[]): Promise<string> {
  const videoId = await addVideo(server, orgId, title)
  await admin.call(updateVideo, { params: { videoId }, body: { title, tags } })
  return videoId
}
const tagsOf = async (videoId: string) => (await admin.call(readVideo, { params: { videoId } })).body.tags
const used = async (by = admin) => (await by.call(listVideoTags)).body.items
const run = async (ids: string[], asked: VideoAction) =>
  endOf(
    admin,
    (await admin.call(changeVideos, { params: { orgId }, body: { selection: { ids }, do: asked } })).body.id,
  )
const rowsOf = async (operationId: string) =>
  (await admin.call(listOperationRows, { params: { operationId }, query: { limit: 100 } })).body.items.map(
    ({ label, outcome, reason, undo }) => [label, outcome, reason, undo],
  )

test('requires sign-in', async () => {
  expect((await server.call(listVideoTags)).status).toBe(401)
})

test('requires the role', async () => {
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(listVideoTags)).status).toBe(403)
})

test('tags of a video are kept once, in the spelling that the organization has', async () => {
  const first = await add('First', 'Fire safety', ' Crew ', 'crew')
  expect(await tagsOf(first)).toEqual(['Fire safety', 'Crew'])
  const second = await add('Second', 'FIRE  safety')
  expect(await tagsOf(second)).toEqual(['Fire safety'])
  expect(await used()).toEqual([
    { tag: 'Fire safety', videos: 2 },
    { tag: 'Crew', videos: 1 },
  ])
  await admin.call(deleteVideo, { params: { videoId: first } })
  expect(await used()).toEqual([{ tag: 'Fire safety', videos: 1 }])
})

test('what is left out stays, and too many or odd ones are refused', async () => {
  const videoId = await add('Kept', 'Crew')
  const change = (tags: string[]) =>
    admin.call(updateVideo, { params: { videoId }, body: { title: 'Kept', tags } })
  await admin.call(updateVideo, { params: { videoId }, body: { title: 'Renamed' } })
  expect(await tagsOf(videoId)).toEqual(['Crew'])
  const many = await change(Array.from({ length: 21 }, (_, n) => `Tag ${n}`))
  expect(many.problem?.fields).toEqual({ tags: ['too_long'] })
  expect((await change(['a,b'])).problem?.fields).toEqual({ 'tags.0': ['invalid'] })
  expect((await change([])).status).toBe(200)
  expect(await tagsOf(videoId)).toEqual([])
})

test('another organization sees and takes over nothing of them', async () => {
  await add('Ours', 'Secret project')
  const { admin: stranger, orgId: theirs } = await anOrganization(server)
  expect(await used(stranger)).toEqual([])
  expect((await stranger.call(listVideoTags, { query: { organizationId: orgId } })).body.items).toEqual([])
  const videoId = await addVideo(server, theirs, 'Theirs')
  const body = { title: 'Theirs', tags: ['SECRET project'] }
  await stranger.call(updateVideo, { params: { videoId }, body })
  expect(await used(stranger)).toEqual([{ tag: 'SECRET project', videos: 1 }])
})

test('the list narrows to a tag, and the search and the palette find it', async () => {
  await add('Evacuation', 'Brandschutz')
  await add('Brandschutz in words')
  await add('Nothing of it')
  const listed = await admin.call(listVideos, { query: { tag: 'BRANDSCHUTZ' } })
  expect(listed.body.items.map(({ title }) => title)).toEqual(['Evacuation'])
  const found = await admin.call(searchVideos, { query: { keyword: 'brandschu' } })
  expect(found.body.items.map(({ title }) => title)).toEqual(['Brandschutz in words', 'Evacuation'])
  const palette = await admin.call(search, { query: { q: 'brandschutz' } })
  expect(JSON.stringify(palette.body)).toContain('"title":"Evacuation"')
})

test('many get a tag at once, each row says what became of it, and an undo takes it back', async () => {
  const full = await add('Full', ...Array.from({ length: 20 }, (_, n) => `Tag ${n}`))
  const [one, two, three] = [await add('One', 'Crew'), await add('Two', 'Night shift'), await add('Three')]
  const asked = { action: 'tag', tag: 'night SHIFT' } as const
  const body = { selection: { ids: [full, one, two, three] }, do: asked }
  expect((await admin.call(previewVideos, { params: { orgId }, body })).body).toMatchObject({ changing: 2 })
  const done = await run([full, one, two, three], asked)
  expect(done).toMatchObject({ subject: 'Night shift', counts: { changed: 2, unchanged: 1, skipped: 1 } })
  expect(await rowsOf(done.id)).toEqual([
    ['Full', 'skipped', 'too_many_tags', null],
    ['One', 'changed', null, null],
    ['Three', 'changed', null, null],
    ['Two', 'unchanged', 'tagged_already', null],
  ])
  expect(await tagsOf(one)).toEqual(['Crew', 'Night shift'])
  await admin.call(updateVideo, { params: { videoId: three }, body: { title: 'Three', tags: ['Else'] } })
  expect((await takeOperationBack(admin, done.id)).undoCounts).toEqual({ undone: 1, changed_since: 1 })
  expect(await Promise.all([one, two, three].map(tagsOf))).toEqual([['Crew'], ['Night shift'], ['Else']])
})

test('many lose a tag at once, and have it again after an undo', async () => {
  const [one, two] = [await add('One', 'Crew', 'Old'), await add('Two', 'Crew')]
  const done = await run([one, two], { action: 'untag', tag: 'OLD' })
  expect(await rowsOf(done.id)).toEqual([
    ['One', 'changed', null, null],
    ['Two', 'unchanged', 'not_tagged', null],
  ])
  expect(await tagsOf(one)).toEqual(['Crew'])
  expect((await takeOperationBack(admin, done.id)).undoCounts).toEqual({ undone: 1 })
  expect(await tagsOf(one)).toEqual(['Crew', 'Old'])
  const changes = await server.query<{ action: string }>(
    `select action from audit where entity_id = $1 and action = 'video.update' and before->'tags' is not null`,
    [one],
  )
  expect(changes).toHaveLength(3)
})

test('the file of the list has them', async () => {
  await add('Exported', 'Crew', 'Night shift')
  const { body } = await admin.call(exportVideos, {
    body: { filter: { keyword: '', tag: 'crew' }, format: 'csv' },
  })
  expect(body as unknown as string).toContain('"Crew, Night shift"')
})
