import { beforeEach, expect, test } from 'vitest'
import { readReceipt } from '#contract/evidence/certificates.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { readQuizResults, readWatchedBeforeAnswer } from '#contract/quizzes/quiz-results.ts'
import { captionTypes } from '#contract/videos/captions.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { minutePasses } from '../testing/planning.ts'
import { draft, publish, question } from '../testing/quizzes/quizzes.ts'
import { unique } from '../testing/unique.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { aSendingServer, anAssignment, mailsTo, watches } from '../testing/worlds.ts'

/** What somebody has not seen, in the words of the video itself. */
const sending = await aSendingServer()
const { admin, org: orgId, server } = sending

let videoId: string
let userId: string

beforeEach(async () => {
  await server.query(`update assignments set state = 'ended'`)
  videoId = await addVideo(server, orgId)
  ;[userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
})

/** Said every ten seconds, for eight of them. */
async function say(language: string, texts: readonly string[]): Promise<void> {
  const cues = texts.map((text, at) => `00:${at}1.000 --> 00:${at}9.000\n${text}\n`)
  const put = await admin.send('PUT', `/api/videos/${videoId}/captions/${language}`, {
    body: Buffer.from(`WEBVTT\n\n${cues.join('\n')}`),
    headers: { 'content-type': captionTypes.vtt },
  })
  expect(put.status).toBe(200)
}
const english = ['Welcome', 'Walk to the press', 'Lock it out', 'Test <b>that</b> it is dead', 'Begin', 'End']
const german = ['Willkommen', 'Zur Presse gehen', 'Sperren', 'Prüfen & testen', 'Beginnen', 'Ende']

const see = (part: [number, number], inMs = 1_000) =>
  watches(server, { videoId, userId, part, at: Date.now() + inMs })

async function reminded(): Promise<{ mail: string; link: string }> {
  const id = await anAssignment(admin, { videoId, audience: { userIds: [userId] } })
  await minutePasses(server)
  await see([0, 20_000])
  await see([30_000, 50_000], 60_000)
  await server.query(
    `update obligations set next_message_on = current_date - 1 where assignment_id = $1 and state = 'open'`,
    [id],
  )
  await minutePasses(server)
  const text = (await mailsTo(server, userId)).at(-1)?.text ?? ''
  return { mail: text.replaceAll(/\s+/g, ' '), link: /(\/w\/video\/\S+)/.exec(text)?.[1] ?? '' }
}

test('a reminder says what was not heard, in the language of its reader', async () => {
  await say('en', english)
  await say('de', german)
  expect((await reminded()).mail).toContain(
    'Missing: 0:20 to 0:30 and 0:50 to 1:00 (20 seconds). You have not heard: “Lock it out … End”',
  )
  ;[userId = ''] = await addPeople(server, orgId, { count: 1, prefix: unique() })
  await server.query(`update users set language = 'de' where id = $1`, [userId])
  expect((await reminded()).mail).toContain('Sie haben nicht gehört: „Sperren … Ende“')
})

test('where there are no captions in that language, those that are shown from the start say it; without any, the times alone', async () => {
  expect((await reminded()).mail).not.toContain('heard')
  videoId = await addVideo(server, orgId)
  await say('fr', ['a', 'b', 'Verrouillez', 'd', 'e', 'f'])
  await say('de-AT', german)
  await server.query(`update captions set is_default = true where video_id = $1 and language = 'fr'`, [
    videoId,
  ])
  expect((await reminded()).mail).toContain('You have not heard: “Verrouillez … f”')
})

test('the page of the video says it of each part, the evidence of all of them', async () => {
  await say('en', english)
  await say('de', german)
  const { link } = await reminded()
  const { data } = await openPage(server, link)
  const receipt = async (language?: 'de') =>
    (
      await server.call(readReceipt, {
        body: { playToken: data?.playToken ?? '', ...(language && { language }) },
      })
    ).body
  expect((await receipt()).unheard).toEqual(['Lock it out', 'End'])
  expect((await receipt('de')).unheard).toEqual(['Sperren', 'Ende'])
  const params = { orgId, userId, videoId }
  const { body } = await admin.call(readEvidence, { params, query: { language: 'de-DE' } })
  const [version] = body.versions
  expect(version?.lanes.missing).toHaveLength(2)
  expect(version?.unheard).toEqual({
    language: 'de',
    text: 'Sperren … Ende',
    isAll: true,
    parts: ['Sperren', 'Ende'],
  })
  await see([20_000, 60_000], 120_000)
  expect((await admin.call(readEvidence, { params })).body.versions[0]?.unheard).toBeNull()
})

test('nobody is told the whole video who has seen nothing of it', async () => {
  await say('en', english)
  const id = await anAssignment(admin, { videoId, audience: { userIds: [userId] } })
  await minutePasses(server)
  const [mail] = await mailsTo(server, userId)
  expect([id.length, mail?.text.includes('heard')]).toEqual([36, false])
  const { data } = await openPage(server, /(\/w\/video\/\S+)/.exec(mail?.text ?? '')?.[1] ?? '')
  const { body } = await server.call(readReceipt, { body: { playToken: data?.playToken ?? '' } })
  expect(body.unheard).toEqual([])
})

test('the results of a question say what is said in the part that teaches it', async () => {
  await say('en', english)
  await publish(admin, videoId, draft([question({ teaches: [18_000, 42_000] }), question({})]))
  const { questions } = (await admin.call(readQuizResults, { params: { videoId } })).body
  const taught = async (at: number) => {
    const params = { videoId, itemId: questions[at]?.id ?? '' }
    return (await admin.call(readWatchedBeforeAnswer, { params, query: {} })).body.taught
  }
  expect(await taught(0)).toEqual({ language: 'en', text: 'Lock it out Test that it is dead', isAll: true })
  expect(await taught(1)).toBeNull()
})
