import { expect, test } from 'vitest'
import { createDraft, saveDraft } from '#contract/transmissions/drafts.ts'
import {
  changeTransmission,
  createTransmission,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../../testing/audience.ts'
import type { Person } from '../../testing/server.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'

const server = await aServer({ UNDO_SECONDS: '600' })
const { orgId, admin: author } = await anOrganization(server)
const other = await server.person('admin', orgId)
const videoId = await addVideo(server, orgId)
const userIds = await addPeople(server, orgId, { count: 3 })

const nothing = { videoId: null, body: '', audience: {} }
const begin = async (more: object = {}) =>
  author.call(createDraft, { body: { accountId: orgId, ...nothing, ...more } })
type Known = { id: string; version: number }
const save = (by: Person, { id, version }: Known, more: object = {}) =>
  by.call(saveDraft, { params: { transmissionId: id }, body: { version, ...nothing, ...more } })
const submit = ({ id, version }: Known) =>
  author.call(changeTransmission, { params: { transmissionId: id }, body: { action: 'submit', version } })

test('a draft is kept with nothing in it, filled bit by bit, and sent', async () => {
  const made = await begin({ subject: 'Half a subj' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ state: 'draft', subject: 'Half a subj', body: '', video: null })
  const params = { transmissionId: made.body.id }
  expect((await author.call(readTransmissionPlan, { params })).body).toMatchObject({ mail: null })
  expect((await submit(made.body)).problem?.fields).toEqual({ body: ['required'] })
  // What is half typed is no mistake yet.
  const half = await save(author, made.body, { body: 'Dear {{firstNa', subject: '' })
  expect(half.status).toBe(200)
  expect((await submit(half.body)).status).toBe(422)
  const bodied = await save(author, half.body, { body: 'Please watch' })
  expect((await submit(bodied.body)).problem?.fields).toEqual({ videoId: ['required'] })
  const whole = await save(author, bodied.body, { body: 'Please watch', videoId, audience: { userIds } })
  const sent = await submit(whole.body)
  expect(sent.body).toMatchObject({ state: 'scheduled', video: { id: videoId } })
  expect(sent.body.subject).not.toBe('')
  const list = await author.call(listTransmissions, { query: { state: 'scheduled' } })
  expect(list.body.items.map(({ id }) => id)).toContain(sent.body.id)
  expect((await save(author, sent.body)).status).toBe(409)
})

test('an incomplete draft stands in the list, and its file', async () => {
  const { id } = (await begin({ body: 'Only words' })).body
  const { body } = await author.call(listTransmissions, { query: { state: 'draft' } })
  expect(body.items.find((one) => one.id === id)).toMatchObject({ subject: '', video: null })
})

test('of two windows the second is told, and nothing is overwritten', async () => {
  const made = (await begin()).body
  const both = await Promise.all([
    save(author, made, { body: 'From one window' }),
    save(author, made, { body: 'From the other' }),
  ])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const saved = both.find(({ status }) => status === 200)
  const params = { transmissionId: made.id }
  expect((await author.call(readTransmission, { params })).body.body).toBe(saved?.body.body)
})

test('nobody else writes it, and it names nothing of another organization', async () => {
  const made = (await begin()).body
  expect((await save(other, made, { body: 'x' })).problem?.code).toBe('forbidden')
  const { orgId: foreign, admin: stranger } = await anOrganization(server)
  expect((await save(stranger, made, { body: 'x' })).status).toBe(404)
  const elsewhere = await addVideo(server, foreign)
  expect((await save(author, made, { videoId: elsewhere })).problem?.fields).toEqual({
    videoId: ['not_found'],
  })
  const [foreigner = ''] = await addPeople(server, foreign, { count: 1, prefix: 'foreign' })
  expect((await save(author, made, { audience: { userIds: [foreigner] } })).status).toBe(422)
  expect((await stranger.call(createDraft, { body: { accountId: orgId, ...nothing } })).status).toBe(404)
})

test('saving ends no request for approval', async () => {
  await setPolicies(server, orgId, { approvalThreshold: 1 })
  const body = { accountId: orgId, videoId, body: 'x', audience: { userIds } }
  const waiting = (await author.call(createTransmission, { body })).body
  expect(waiting.state).toBe('pending_approval')
  expect((await save(author, waiting, { body: 'y' })).status).toBe(409)
  const params = { transmissionId: waiting.id }
  expect((await author.call(readTransmission, { params })).body.state).toBe('pending_approval')
})
