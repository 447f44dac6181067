import { beforeEach, describe, expect, test } from 'vitest'
import { lockSession, logout } from '#contract/identity/auth.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import type { Role } from '#contract/roles.ts'
import { nameReader } from '#contract/tracking/tracks.ts'
import { viewAs } from '#contract/identity/view-as.ts'
import { draft, publish, question } from '#server/testing/quizzes/quizzes.ts'
import type { Person } from '#server/testing/server.ts'
import { addDelivery, addVideo, openedAgo, openPage, report } from '#server/testing/viewing/viewing.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer } from '#server/testing/worlds.ts'

const server = await aServer()

let admin: Person
const orgId = await server.organization('Acme')
beforeEach(async () => {
  admin = await server.person('admin', orgId)
})

/** A message to somebody, and its page as a browser opens it. */
async function sentTo(role: Role | null = null) {
  const recipient = await server.person(role, orgId)
  const video = await addVideo(server, { organizationId: orgId, privacy: 'private' })
  const delivery = await addDelivery(server, { organizationId: orgId, userId: recipient.id, ...video })
  const path = `/w/video/${video.videoId}?d=${delivery.secret}`
  const playToken = (await openPage(server, path)).data?.playToken ?? ''
  return { recipient, ...video, ...delivery, path, playToken }
}
type Sent = Awaited<ReturnType<typeof sentTo>>

const ask = async (person: Pick<Person, 'call'>, playToken: string, isRecipient = false) =>
  (await person.call(nameReader, { body: { playToken, isRecipient } })).body

async function watch(playToken: string): Promise<void> {
  const spans = [[0, 0, 10_000, 10_000, 100, 0]] satisfies Parameters<typeof report>[1]['spans']
  await report(server, { playToken: openedAgo(server, playToken, 20_000), elapsedMs: 10_000, spans })
  await aggregateOnce(server.services.db)
}

const evidenceOf = async ({ recipient, videoId }: Sent) =>
  (await admin.call(readEvidence, { params: { orgId, userId: recipient.id, videoId } })).body

describe('where somebody else is signed in to the console', () => {
  test('a link counts nothing before they say that they are its recipient, and then keeps who said so', async () => {
    const sent = await sentTo()
    const preview = await ask(admin, sent.playToken)
    expect(preview.counts).toBe(false)
    const page = await openPage(server, `${sent.path}&preview=${preview.playToken}`)
    expect(page.html).toMatch(/This is the personal link of Person[^<]*\./)
    expect(page.html).toContain('nothing that you do here is kept')
    expect(page.data?.playToken).toBe(preview.playToken)
    await watch(preview.playToken)
    expect((await evidenceOf(sent)).sessions.total).toBe(0)

    const said = await ask(admin, sent.playToken, true)
    expect(said.counts).toBe(true)
    await watch(said.playToken)
    const { sessions, state } = await evidenceOf(sent)
    expect(state).toBe('likely')
    expect(sessions.items).toMatchObject([{ watchedMs: 10_000, saidBy: expect.stringMatching(/^Person/) }])
  })

  test('it makes no difference that their session is locked, or that they look through the eyes of the recipient', async () => {
    const { playToken, recipient } = await sentTo('admin')
    const superadmin = await server.person('superadmin')
    await superadmin.call(viewAs, { body: { userId: recipient.id, reason: 'Ticket 4711' } })
    expect((await ask(superadmin, playToken)).counts).toBe(false)
    await admin.call(lockSession)
    expect((await ask(admin, playToken)).counts).toBe(false)
  })

  test('they are asked the questions of the recipient, and leave nothing behind', async () => {
    const { videoId, playToken } = await sentTo()
    const { id: quizId } = await publish(admin, videoId, draft([question({ prompt: 'Published' })]))
    const preview = await ask(admin, playToken)
    const begun = await server.call(startAttempt, {
      params: { quizId: quizId ?? '' },
      body: { playToken: preview.playToken },
    })
    expect(begun.body.questions.map(({ prompt }) => prompt)).toEqual(['Published'])
    const stored = await server.services.db.system.query('select 1 from quiz_attempts where video_id = $1', [
      videoId,
    ])
    expect(stored.rowCount).toBe(0)
  })

  test('a preview opens no other link, and not one that was taken back', async () => {
    const [sent, other] = [await sentTo(), await sentTo()]
    const { playToken } = await ask(admin, sent.playToken)
    const elsewhere = await openPage(server, `${other.path}&preview=${playToken}`)
    expect(elsewhere.html).not.toContain('This is the personal link of')
    const { transmissionId, deliveryId } = sent
    await admin.call(revokeLink, {
      params: { transmissionId, deliveryId },
      body: { reason: 'It was passed on.' },
    })
    expect((await openPage(server, `${sent.path}&preview=${playToken}`)).html).toContain('was taken back')
  })
})

test('the recipient is not asked, signed in to the console or not, nor is anybody whose session has ended', async () => {
  const { recipient, playToken } = await sentTo('groupadmin')
  expect(await ask(recipient, playToken)).toEqual({ playToken, counts: true })
  expect(await ask(server, playToken)).toEqual({ playToken, counts: true })
  await admin.call(logout)
  expect(await ask(admin, playToken)).toEqual({ playToken, counts: true })
})

test('a link that is nobody’s asks nobody', async () => {
  const { videoId } = await addVideo(server, { organizationId: orgId })
  const playToken = (await openPage(server, `/w/video/${videoId}`)).data?.playToken ?? ''
  expect(await ask(admin, playToken)).toEqual({ playToken, counts: true })
})
