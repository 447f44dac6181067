import { beforeEach, expect, test } from 'vitest'
import { listOperationRows, undoOperation } from '#contract/operations.ts'
import {
  changeOperations,
  changeVideos,
  exportVideos,
  previewOperations,
  previewVideos,
  type VideoAction,
  type VideoSelection,
} from '#contract/videos/record-bulk.ts'
import {
  createProject,
  deleteProject,
  deleteVideo,
  listVideos,
  readVideo,
  searchVideos,
  updateVideo,
} from '#contract/videos/videos.ts'
import { addVideo } from '../../testing/audience.ts'
import { endOf, takeOperationBack } from '../../testing/operations.ts'
import type { Person } from '../../testing/server.ts'
import { aWorkingServer, anOrganization } from '../../testing/worlds.ts'
import { videosToRemove } from '../uploads/queries.ts'

const server = await aWorkingServer()
const { query } = server

/** Those of the given videos whose files go at the next turn, in their order. */
const toRemove = async (ids: string[]) => {
  const found = new Set((await videosToRemove(server.services.db.single)).map(({ videoId }) => videoId))
  return ids.filter((id) => found.has(id))
}

let orgId: string
let admin: Person
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
})

const add = (title: string) => addVideo(server, orgId, title)
const project = async (name: string) => (await admin.call(createProject, { body: { name } })).body.id
const begin = (selection: VideoSelection, asked: VideoAction, by = admin) =>
  by.call(changeVideos, { params: { orgId }, body: { selection, do: asked } })
async function run(ids: string[], asked: VideoAction) {
  const begun = await begin({ ids }, asked)
  expect(begun.status).toBe(202)
  return endOf(admin, begun.body.id)
}
const rowsOf = async (operationId: string) =>
  (await admin.call(listOperationRows, { params: { operationId }, query: { limit: 100 } })).body.items.map(
    ({ label, outcome, reason, undo }) => [label, outcome, reason, undo],
  )
const send = (videoId: string, state: string) =>
  query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
      select organization_id, $2, 'S', 'b', id, current_version_id, id, 'S', '{}' from videos where id = $1`,
    [videoId, state],
  )
const titles = async (sort: 'title' | '-title' | 'duration' | '-duration' | 'createdAt', limit = 25) => {
  const { body } = await admin.call(listVideos, { query: { sort, limit } })
  const all = [...body.items]
  for (let next = body.next; next !== null;) {
    const after = new URLSearchParams(next.split('?')[1]).get('after') ?? ''
    const more = await admin.call(listVideos, { query: { sort, limit, after } })
    all.push(...more.body.items)
    next = more.body.next
  }
  return all.map(({ title }) => title)
}

test('removes what a filter finds, leaves out what is being sent, keeps the files, and brings them back', async () => {
  const shelf = await project('Shelf')
  const [one, two, three] = [await add('One'), await add('Two'), await add('Three')]
  await query('update videos set project_id = $1 where id = any($2)', [shelf, [one, two, three]])
  await add('Elsewhere')
  await send(three, 'scheduled')
  const selection = {
    filter: { projectId: shelf, keyword: '' },
    exceptIds: [],
    expected: 3,
  }
  const asked = { selection, do: { action: 'remove' as const } }
  const preview = await admin.call(previewVideos, { params: { orgId }, body: asked })
  expect(preview.body).toEqual({
    total: 3,
    changing: 2,
    names: ['One', 'Two'],
    staying: [{ reason: 'being_sent', count: 1 }],
  })
  const late = await begin({ ...selection, expected: 2 }, { action: 'remove' })
  expect(late.status).toBe(409)
  const begun = await begin(selection, { action: 'remove' })
  const done = await endOf(admin, begun.body.id)
  expect(done).toMatchObject({ state: 'done', counts: { removed: 2, skipped: 1 } })
  expect(await rowsOf(done.id)).toEqual([
    ['One', 'removed', null, null],
    ['Three', 'skipped', 'being_sent', null],
    ['Two', 'removed', null, null],
  ])
  expect((await admin.call(readVideo, { params: { videoId: one } })).status).toBe(404)
  expect(await toRemove([one, two])).toEqual([])
  await admin.call(deleteProject, { params: { projectId: shelf } })
  expect((await takeOperationBack(admin, done.id)).undoCounts).toEqual({ undone: 2 })
  expect((await rowsOf(done.id))[0]).toEqual(['One', 'removed', 'project_gone', 'undone'])
  expect((await admin.call(readVideo, { params: { videoId: one } })).body).toMatchObject({ projectId: null })
  const actions = await query<{ action: string }>(
    'select action from audit where entity_id = $1 order by id',
    [one],
  )
  expect(actions.map(({ action }) => action)).toEqual(['video.delete', 'video.restored'])
})

test('a single removal comes back too, until somebody deletes it for good', async () => {
  const [remaining, gone, unsent] = [await add('Kept'), await add('Gone'), await add('Never there')]
  await query(`update videos set state = 'uploading', current_version_id = null where id = $1`, [unsent])
  const remove = async (videoId: string) => (await admin.call(deleteVideo, { params: { videoId } })).body
  expect(await remove(unsent)).toEqual({ operationId: null })
  const ids = [(await remove(remaining)).operationId ?? '', (await remove(gone)).operationId ?? '']
  expect((await takeOperationBack(admin, ids[0] ?? '')).undoCounts).toEqual({ undone: 1 })
  const other = await run([remaining], { action: 'change', privacy: 'private' })
  const body = { selection: { ids: [...ids, other.id] }, action: 'delete' as const }
  const preview = await admin.call(previewOperations, { body })
  expect(preview.body).toMatchObject({ total: 3, changing: 1 })
  expect(preview.body.staying.map(({ reason }) => reason).toSorted()).toEqual([
    'keeps_nothing',
    'not_undoable',
  ])
  expect((await admin.call(changeOperations, { body })).body.changing).toBe(1)
  expect((await admin.call(changeOperations, { body })).body.changing).toBe(0)
  expect((await admin.call(undoOperation, { params: { operationId: ids[1] ?? '' } })).status).toBe(409)
  expect(await toRemove([remaining, gone, unsent])).toEqual([gone, unsent])
})

test('many operations are taken back at once, only those of the caller, and a second click finds nothing', async () => {
  const videos = [await add('A'), await add('B')]
  const done = [
    await run(videos, { action: 'change', privacy: 'private' }),
    await run(videos, { action: 'remove' }),
  ]
  const selection = { filter: { show: 'undoable' as const }, exceptIds: [], expected: 2 }
  const stranger = await server.person('admin', await server.organization())
  const ids = done.map(({ id }) => id)
  for (const endpoint of [previewOperations, changeOperations])
    expect((await stranger.call(endpoint, { body: { selection: { ids }, action: 'undo' } })).status).toBe(404)
  const groupadmin = await server.person('groupadmin', orgId)
  expect(
    (await groupadmin.call(changeOperations, { body: { selection: { ids }, action: 'undo' } })).status,
  ).toBe(404)
  const body = { selection, action: 'undo' as const }
  const asked = await Promise.all([1, 2].map(() => admin.call(changeOperations, { body })))
  expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).not.toContain(500)
  expect(asked.reduce((sum, { body: answer }) => sum + (answer.changing ?? 0), 0)).toBe(2)
  for (const { id } of done) expect((await endOf(admin, id)).state).toBe('undone')
  expect((await admin.call(listVideos)).body.items.map(({ privacy }) => privacy)).toEqual(['link', 'link'])
})

test('moves into a project and changes who may watch; what somebody changed since stays', async () => {
  const shelf = await project('Shelf')
  const [one, two] = [await add('One'), await add('Two')]
  await query('update videos set project_id = $1 where id = $2', [shelf, two])
  const moved = await run([one, two], { action: 'move', projectId: shelf })
  expect(moved).toMatchObject({ subject: 'Shelf', counts: { changed: 1, unchanged: 1 } })
  const closed = await run([one, two], { action: 'change', privacy: 'private' })
  expect(closed).toMatchObject({ becomes: 'private', counts: { changed: 2 } })
  const body = { title: 'One', privacy: 'public' as const }
  await admin.call(updateVideo, { params: { videoId: one }, body })
  expect((await takeOperationBack(admin, closed.id)).undoCounts).toEqual({ undone: 1, changed_since: 1 })
  expect((await takeOperationBack(admin, moved.id)).undoCounts).toEqual({ undone: 1 })
  const read = async (videoId: string) => (await admin.call(readVideo, { params: { videoId } })).body
  expect(await read(one)).toMatchObject({ projectId: null, privacy: 'public' })
  expect(await read(two)).toMatchObject({ projectId: shelf, privacy: 'link' })
})

test('needs an administrator of the organization, and takes no id and no project of another one', async () => {
  const own = await add('Own')
  const elsewhere = await server.organization()
  const foreign = await addVideo(server, elsewhere, 'Foreign')
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await begin({ ids: [own] }, { action: 'remove' }, groupadmin)).status).toBe(403)
  const stranger = await server.person('admin', elsewhere)
  expect((await begin({ ids: [own] }, { action: 'remove' }, stranger)).status).toBe(404)
  expect((await begin({ ids: [own, foreign] }, { action: 'remove' })).status).toBe(404)
  const superadmin = await server.person('superadmin')
  expect((await begin({ ids: [own, foreign] }, { action: 'remove' }, superadmin)).status).toBe(404)
  const theirs = (await stranger.call(createProject, { body: { name: 'Theirs' } })).body.id
  expect((await begin({ ids: [own] }, { action: 'move', projectId: theirs })).status).toBe(404)
  const both = { ids: [own, foreign], filter: { keyword: '' } }
  expect((await admin.call(exportVideos, { body: both })).status).toBe(404)
})

test('the list is sorted by title, length and time, without a gap between pages', async () => {
  for (const [n, title] of ['beta', 'Alpha', 'gamma', 'Delta', 'alpha'].entries())
    await query(`update video_versions set duration_ms = $2 where video_id = $1`, [
      await add(title),
      n * 1_000,
    ])
  await query(`update videos set current_version_id = current_version_id where organization_id = $1`, [orgId])
  expect(await titles('duration', 2)).toEqual(['beta', 'Alpha', 'gamma', 'Delta', 'alpha'])
  expect(await titles('-duration', 2)).toEqual(['alpha', 'Delta', 'gamma', 'Alpha', 'beta'])
  expect((await titles('title', 2)).map((title) => title.toLowerCase())).toEqual([
    'alpha',
    'alpha',
    'beta',
    'delta',
    'gamma',
  ])
  expect((await titles('-title', 2)).at(0)).toBe('gamma')
  expect(await titles('createdAt', 2)).toEqual(['beta', 'Alpha', 'gamma', 'Delta', 'alpha'])
  const found = await admin.call(searchVideos, { query: { keyword: 'alpha', sort: '-duration' } })
  expect(found.body.items.map(({ title }) => title)).toEqual(['alpha', 'Alpha'])
  expect((await admin.call(listVideos, { query: { sort: 'title', after: 'x' } })).status).toBe(400)
})

test('exports the list or a selection of it, neutralises formulas, and writes it down', async () => {
  const [one, two] = [await add('=1+1'), await add('Two, and more')]
  await addVideo(server, await server.organization(), 'Foreign')
  const file = async (body: object) =>
    (await admin.call(exportVideos, { body: { filter: { keyword: '' }, ...body } })).body as unknown as string
  const all = await file({ sort: 'title' })
  expect(all.split('\r\n').slice(1, 3)).toEqual([
    expect.stringMatching(/^'=1\+1,,.*,ready,link,60,clip\.mp4,1,20/),
    expect.stringMatching(/^"Two, and more",/),
  ])
  expect(all).not.toContain('Foreign')
  expect(await file({ ids: [two] })).not.toContain('=1+1')
  expect(await file({ exceptIds: [two] })).not.toContain('Two')
  const noted = await query(
    `select after from audit where action = 'videos.exported' and organization_id = $1 order by id`,
    [orgId],
  )
  expect(noted).toHaveLength(3)
  expect(noted[1]).toMatchObject({ after: { ids: [two] } })
  expect(one).not.toBe(two)
  await query(
    `insert into videos (organization_id, title, state) select $1, 'Many ' || n, 'ready' from generate_series(1, 2500) n`,
    [orgId],
  )
  expect(new Set((await file({})).trim().split('\r\n')).size).toBe(1 + 2_502)
})
