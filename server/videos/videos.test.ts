import { describe, expect, test } from 'vitest'
import { listOrganizations } from '#contract/directory/organizations.ts'
import {
  createProject,
  createVideo,
  deleteProject,
  deleteVideo,
  listProjects,
  listVideos,
  readVideo,
  retryVideo,
  searchVideos,
  updateProject,
  updateVideo,
} from '#contract/videos/videos.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()
const { orgId: organizationId, admin } = await anOrganization(server)
const groupadmin = await server.person('groupadmin', organizationId)
const stranger = await server.person('admin', await server.organization('Other'))
const superadmin = await server.person('superadmin')

const nobody = '00000000-0000-7000-8000-000000000000'
const announce = async (title: string, by = admin, more: object = {}) =>
  (await by.call(createVideo, { body: { title, fileName: 'clip.mp4', size: 1000, ...more } })).body.video

describe('who may', () => {
  test('requires sign-in', async () => {
    for (const endpoint of [listVideos, listProjects, createVideo])
      expect((await server.call(endpoint)).status).toBe(401)
  })

  test('requires the role', async () => {
    expect((await groupadmin.call(listVideos)).status).toBe(403)
    expect((await groupadmin.call(createVideo)).status).toBe(403)
  })

  test('another organization sees nothing of it', async () => {
    const { id } = await announce('Ours')
    const params = { videoId: id }
    const body = { title: 'Theirs' }
    expect((await stranger.call(readVideo, { params })).status).toBe(404)
    expect((await stranger.call(updateVideo, { params, body })).status).toBe(404)
    expect((await stranger.call(retryVideo, { params })).status).toBe(404)
    expect((await stranger.call(deleteVideo, { params })).status).toBe(404)
    expect((await stranger.call(listVideos)).body.items).toEqual([])
    expect((await stranger.call(listVideos, { query: { organizationId } })).body.items).toEqual([])
    expect((await stranger.call(searchVideos, { query: { keyword: 'ours' } })).body.total).toBe(0)
  })

  test('a superadmin names the organization in which something is created', async () => {
    const body = { title: 'From above', fileName: 'a.mp4', size: 5 }
    const refused = await superadmin.call(createVideo, { body })
    expect(refused.problem).toMatchObject({
      code: 'validation_failed',
      fields: { organizationId: ['required'] },
    })
    const unknown = await superadmin.call(createVideo, { body: { ...body, organizationId: nobody } })
    expect(unknown.problem?.fields).toEqual({ organizationId: ['not_found'] })
    const made = await superadmin.call(createVideo, { body: { ...body, organizationId } })
    expect(made.body.video.organizationId).toBe(organizationId)
    const foreign = await stranger.call(createVideo, { body: { ...body, organizationId } })
    expect(foreign.problem?.fields).toEqual({ organizationId: ['not_found'] })
  })
})

describe('videos', () => {
  test('an announced video waits for its bytes at an address of its own', async () => {
    const answer = await admin.call(createVideo, {
      body: { title: ' Fire drill ', fileName: 'drill.mp4', size: 12_345 },
    })
    expect(answer.status).toBe(201)
    const { video, uploadUrl } = answer.body
    expect(video).toMatchObject({
      title: 'Fire drill',
      state: 'uploading',
      progress: 0,
      size: 12_345,
      uploadedBytes: 0,
      fileName: 'drill.mp4',
      privacy: 'link',
      poster: null,
      uploadUrl,
    })
    expect(uploadUrl).toBe(`/api/uploads/${video.versionId}`)
    expect((await admin.call(readVideo, { params: { videoId: video.id } })).body.playback).toBeNull()
  })

  test('a repeated announcement with the same key makes one video', async () => {
    const input = {
      body: { title: 'Once', fileName: 'a.mp4', size: 5 },
      headers: { 'idempotency-key': 'announce-once' },
    }
    const [first, second] = [await admin.call(createVideo, input), await admin.call(createVideo, input)]
    expect(second.body.video.id).toBe(first.body.video.id)
  })

  test('newest first, page by page, passing `next` directly', async () => {
    const home = await server.person('admin', await server.organization('Pages'))
    const titles = ['one', 'two', 'three', 'four', 'five']
    for (const title of titles) await announce(title, home)
    const first = await home.call(listVideos, { query: { limit: 2 } })
    expect(first.body).toMatchObject({ total: 5, offset: 0, limit: 2 })
    const seen = first.body.items.map(({ title }) => title)
    for (let next = first.body.next; next !== null;) {
      const page = (await home.send('GET', next)).body as typeof first.body
      seen.push(...page.items.map(({ title }) => title))
      next = page.next
    }
    expect(seen).toEqual(titles.toReversed())
    const jumped = await home.call(listVideos, { query: { offset: 3, limit: 10 } })
    expect(jumped.body.items.map(({ title }) => title)).toEqual(['two', 'one'])
    expect(jumped.body.next).toBeNull()
  })

  test('finds by a part of title or description, literally', async () => {
    const { id } = await announce('Évacuation 100%_safe')
    await admin.call(updateVideo, {
      params: { videoId: id },
      body: { title: 'Évacuation 100%_safe', description: 'Assembly point' },
    })
    const titlesOf = async (keyword: string) =>
      (await admin.call(searchVideos, { query: { keyword } })).body.items.map(({ title }) => title)
    expect(await titlesOf('éVACU')).toEqual(['Évacuation 100%_safe'])
    expect(await titlesOf('assembly POINT')).toEqual(['Évacuation 100%_safe'])
    expect(await titlesOf('0%_s')).toEqual(['Évacuation 100%_safe'])
    expect(await titlesOf('0%s')).toEqual([])
  })

  test('changes what is given, keeps the rest, and protects against overwriting', async () => {
    const { id } = await announce('Draft')
    const params = { videoId: id }
    const seen = await admin.call(readVideo, { params })
    const changed = await admin.call(updateVideo, {
      params,
      body: { title: 'Final', description: 'Text', privacy: 'organization' },
      headers: { 'if-match': String(seen.headers['etag']) },
    })
    expect(changed.body).toMatchObject({ title: 'Final', description: 'Text', privacy: 'organization' })
    const late = await admin.call(updateVideo, {
      params,
      body: { title: 'Overwritten' },
      headers: { 'if-match': String(seen.headers['etag']) },
    })
    expect(late.status).toBe(412)
    const renamed = await admin.call(updateVideo, { params, body: { title: 'Renamed' } })
    expect(renamed.body).toMatchObject({ title: 'Renamed', description: 'Text', privacy: 'organization' })
    const foreign = (await stranger.call(createProject, { body: { name: 'Theirs' } })).body.id
    const misplaced = await admin.call(updateVideo, { params, body: { title: 'x', projectId: foreign } })
    expect(misplaced.problem?.fields).toEqual({ projectId: ['not_found'] })
  })

  test('a deleted video is gone from every list, and its organization counts one less', async () => {
    const { admin: person } = await anOrganization(server, 'Counting')
    const { id } = await announce('Short life', person)
    const count = async () => (await person.call(listOrganizations)).body.items[0]?.videoCount
    expect(await count()).toBe(1)
    expect((await person.call(deleteVideo, { params: { videoId: id } })).status).toBe(200)
    expect((await person.call(readVideo, { params: { videoId: id } })).status).toBe(404)
    expect((await person.call(listVideos)).body.total).toBe(0)
    expect(await count()).toBe(0)
    const entries = await server.query('select action from audit where entity_id = $1 order by id', [id])
    expect(entries.map(({ action }) => action)).toEqual(['video.create', 'video.delete'])
  })

  test('only a failed video can be tried again', async () => {
    const { id } = await announce('Not yet')
    expect((await admin.call(retryVideo, { params: { videoId: id } })).problem?.code).toBe('conflict')
  })
})

describe('projects', () => {
  test('hold videos, and hand them up when they are removed', async () => {
    const above = (await admin.call(createProject, { body: { name: 'Safety' } })).body
    const below = (await admin.call(createProject, { body: { name: 'Fire', parentId: above.id } })).body
    const video = await announce('In the fire project', admin, { projectId: below.id })
    const counts = async () =>
      Object.fromEntries(
        (await admin.call(listProjects)).body.items.map(({ name, videoCount }) => [name, videoCount]),
      )
    expect(await counts()).toEqual({ Fire: 1, Safety: 0 })
    const filtered = await admin.call(listVideos, { query: { projectId: below.id, state: 'uploading' } })
    expect(filtered.body.items.map(({ id }) => id)).toEqual([video.id])
    expect(
      (await admin.call(listVideos, { query: { projectId: below.id, state: 'ready' } })).body.total,
    ).toBe(0)
    expect((await admin.call(deleteProject, { params: { projectId: below.id } })).status).toBe(200)
    expect(await counts()).toEqual({ Safety: 1 })
    expect((await admin.call(deleteProject, { params: { projectId: above.id } })).status).toBe(200)
    expect((await admin.call(readVideo, { params: { videoId: video.id } })).body.projectId).toBeNull()
  })

  test('names are unique beside one another; inside a removed one they make way', async () => {
    const make = async (name: string, parentId: string | null = null) =>
      admin.call(createProject, { body: { name, parentId } })
    const year = (await make('2026')).body
    await make('Onboarding')
    expect((await make('ONBOARDING')).problem).toMatchObject({
      code: 'already_exists',
      fields: { name: ['taken'] },
    })
    expect((await make('Onboarding', year.id)).status).toBe(201)
    await admin.call(deleteProject, { params: { projectId: year.id } })
    const names = (await admin.call(listProjects)).body.items.map(({ name }) => name)
    expect(names).toEqual(['Onboarding', 'Onboarding (2026)'])
  })

  test('are one level deep and stay in their organization', async () => {
    const top = (await admin.call(createProject, { body: { name: 'Top' } })).body
    const inner = (await admin.call(createProject, { body: { name: 'Inner', parentId: top.id } })).body
    const deeper = await admin.call(createProject, { body: { name: 'Deeper', parentId: inner.id } })
    expect(deeper.problem?.fields).toEqual({ parentId: ['invalid'] })
    const circle = await admin.call(updateProject, {
      params: { projectId: top.id },
      body: { name: 'Top', parentId: inner.id },
    })
    expect(circle.problem?.fields).toEqual({ parentId: ['invalid'] })
    const renamed = await admin.call(updateProject, {
      params: { projectId: inner.id },
      body: { name: 'Renamed' },
    })
    expect(renamed.body).toMatchObject({ name: 'Renamed', parentId: top.id })
    const params = { projectId: top.id }
    expect((await stranger.call(updateProject, { params, body: { name: 'Mine' } })).status).toBe(404)
    expect((await stranger.call(deleteProject, { params })).status).toBe(404)
    expect((await stranger.call(createProject, { body: { name: 'x', parentId: top.id } })).status).toBe(422)
  })
})
