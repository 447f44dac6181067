import { beforeEach, describe, expect, test } from 'vitest'
import { changeAssignment, createAssignment } from '#contract/assignments/assignments.ts'
import { updateOrganization } from '#contract/directory/organizations.ts'
import type { CaptionPolicy } from '#contract/videos/readiness.ts'
import { readVideo } from '#contract/videos/videos.ts'
import {
  changeTransmission,
  createTransmission,
  editTransmission,
} from '#contract/transmissions/transmissions.ts'
import { createDraft } from '#contract/transmissions/drafts.ts'
import { addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()
const { query } = server
const superadmin = await server.person('superadmin')

let orgId: string
let admin: Person
let userId: string
let videoId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server))
  userId = (await server.person(null, orgId)).id
  videoId = await addVideo(server, orgId, 'Lock out')
})

async function ask(captionPolicy: CaptionPolicy): Promise<void> {
  const body = { name: 'Careful', policies: { captionPolicy } }
  expect((await superadmin.call(updateOrganization, { params: { orgId }, body })).status).toBe(200)
}

type Given = { language?: string; kind?: string; text?: string; proofRead?: boolean; model?: string | null }

const caption = ({
  language = 'de',
  kind = 'captions',
  text = 'Zuerst abschalten',
  proofRead = true,
  model = null,
}: Given = {}) =>
  query(
    `insert into captions (organization_id, video_id, version_id, language, kind, format, made_for, cues, cue_count, revision,
        proof_read_at, recognised_with)
      select organization_id, id, current_version_id, $2, $3, 'vtt', 1, $4::jsonb, 1, '0123456789abcdef', case when $5 then now() end, $6
      from videos where id = $1`,
    [
      videoId,
      language,
      kind,
      JSON.stringify([{ id: '', startMs: 0, endMs: 1_000, settings: '', text }]),
      proofRead,
      model,
    ],
  )
const readiness = async () => (await admin.call(readVideo, { params: { videoId } })).body.readiness
/** Each with its languages. */
const codes = async () =>
  (await readiness()).gaps.map(({ code, languages }) => [code, languages.join()].filter(Boolean).join(' '))

describe('what is missing of a video', () => {
  test('is told with the video, as the organization asks', async () => {
    expect(await codes()).toEqual(['no_captions'])
    await ask('off')
    expect(await readiness()).toEqual({ gaps: [], asksWhy: false })
    await ask('require')
    expect(await readiness()).toMatchObject({ asksWhy: true })
    await caption()
    expect(await readiness()).toEqual({ gaps: [], asksWhy: false })
  })

  test('names captions that nobody has proof-read, and what a program made', async () => {
    await caption({ proofRead: false })
    await caption({ language: 'en', proofRead: false, model: 'whisper' })
    await caption({ language: 'fr', kind: 'descriptions', proofRead: false })
    expect(await codes()).toEqual(['recognised en', 'not_proof_read de'])
  })

  test('counts what is gone before it can be read: more than 20 signs a second, marks left out', async () => {
    await caption({ text: `<b>${'x'.repeat(19)}</b>&amp;` })
    expect(await codes()).toEqual([])
    await caption({ language: 'en', text: 'x'.repeat(21) })
    expect((await readiness()).gaps).toEqual([{ code: 'too_fast', languages: ['en'], cues: 1 }])
  })

  test('is nothing where nothing is heard, and the state where it does not play', async () => {
    await query(`update video_versions set probe = '{"hasSound": false}' where video_id = $1`, [videoId])
    expect(await codes()).toEqual([])
    await query(`update videos set state = 'failed' where id = $1`, [videoId])
    expect(await codes()).toEqual(['failed'])
    await query(`update videos set state = 'processing' where id = $1`, [videoId])
    expect(await codes()).toEqual(['preparing'])
  })
})

const reason = 'The machine was recalled today'
const message = () => ({ accountId: orgId, videoId, body: 'Please watch', userId })
const plan = (id = videoId) => ({
  name: 'Lock out',
  videoId: id,
  audience: { userIds: [userId] },
  requirement: 'watched' as const,
  due: { kind: 'none' as const },
  validity: null,
  countsSince: null,
  reminders: { daysBefore: [], onTheDay: false, daysAfter: [3], weekly: false, most: 3 },
  subject: 'Please watch',
  message: 'It is due',
})
/** What the audit has of why it was urgent, oldest first. */
const urgency = async () =>
  (
    await query<{ action: string; why: string }>(
      `select action, after->>'urgentReason' as why from audit where organization_id = $1 and after ? 'urgentReason' order by id`,
      [orgId],
    )
  ).map(({ action, why }) => [action, why])

describe('an organization that requires captions', () => {
  beforeEach(() => ask('require'))

  test('sends no video without them, unless somebody says why it is urgent', async () => {
    const refused = await admin.call(createTransmission, { body: message() })
    expect(refused.problem).toMatchObject({
      code: 'conflict',
      reason: { code: 'captions_required', params: { title: 'Lock out' } },
    })
    const short = await admin.call(createTransmission, { body: { ...message(), urgentReason: ' Now  ' } })
    expect(short.problem?.fields).toEqual({ urgentReason: ['too_short'] })
    const sent = await admin.call(createTransmission, { body: { ...message(), urgentReason: reason } })
    expect(sent.status).toBe(201)
    expect(await urgency()).toEqual([['transmission.create', reason]])
  })

  test('keeps no reason where there are captions', async () => {
    await caption()
    const sent = await admin.call(createTransmission, { body: { ...message(), urgentReason: reason } })
    expect(sent.status).toBe(201)
    expect(await urgency()).toEqual([])
  })

  test('keeps and edits drafts of it, and asks when one is sent', async () => {
    const draft = await admin.call(createDraft, {
      body: { accountId: orgId, videoId, body: 'Please watch', audience: { userIds: [userId] } },
    })
    const params = { transmissionId: draft.body.id }
    const content = { videoId, body: 'Please watch it', audience: { userIds: [userId] } }
    const { version } = (
      await admin.call(editTransmission, { params, body: { ...content, version: draft.body.version } })
    ).body
    const submit = (more: object) =>
      admin.call(changeTransmission, { params, body: { action: 'submit', version, ...more } })
    expect((await submit({})).problem?.reason?.code).toBe('captions_required')
    expect((await submit({ urgentReason: reason })).status).toBe(200)
    expect(await urgency()).toEqual([['transmission.scheduled', reason]])
  })

  test('assigns no video without them, at once or later, alone or on a path', async () => {
    const params = { orgId }
    const create = (body: object) => admin.call(createAssignment, { params, body: { ...plan(), ...body } })
    expect((await create({ start: true })).problem?.reason?.code).toBe('captions_required')
    expect((await create({ start: true, urgentReason: reason })).status).toBe(201)
    const bare = await addVideo(server, orgId, 'Bare')
    await caption()
    const path = await create({ start: false, further: [{ name: 'Next', videoId: bare }] })
    expect(path.status).toBe(201)
    const act = (action: 'start' | 'start_path', more = {}) =>
      admin.call(changeAssignment, {
        params: { orgId, assignmentId: path.body.id },
        body: { action, version: path.body.version, ...more },
      })
    expect((await act('start_path')).problem?.reason).toMatchObject({ params: { title: 'Bare' } })
    expect((await act('start_path', { urgentReason: reason })).status).toBe(200)
    expect(await urgency()).toEqual([
      ['assignment.started', reason],
      ['assignment.started', reason],
    ])
  })

  test('lets go on what was let go before', async () => {
    await ask('warn')
    const { id, version } = (await admin.call(createTransmission, { body: message() })).body
    await ask('require')
    const params = { transmissionId: id }
    expect(
      (await admin.call(changeTransmission, { params, body: { action: 'send_now', version } })).status,
    ).toBe(200)
  })
})
