import { beforeEach, describe, expect, test } from 'vitest'
import { lockSession, logout } from '#contract/identity/auth.ts'
import { viewAs } from '#contract/identity/view-as.ts'
import { readEvidence } from '#contract/evidence/evidence.ts'
import { endUserSessions } from '#contract/identity/sessions.ts'
import {
  readOrganization,
  readWatchers,
  updateOrganizationSettings,
  type WatcherRule,
} from '#contract/directory/organizations.ts'
import { updateUser } from '#contract/directory/users.ts'
import { startAttempt } from '#contract/quizzes/quizzes.ts'
import { enterAsWatcher, nameReader } from '#contract/tracking/tracks.ts'
import { draft, publish, question } from '#server/testing/quizzes/quizzes.ts'
import { addMedia, fetchSegment } from '#server/testing/viewing/served.ts'
import type { Person } from '#server/testing/server.ts'
import { addDelivery, batchOf, openedAgo, openPage, report } from '#server/testing/viewing/viewing.ts'
import { aServer } from '#server/testing/worlds.ts'
import { readPlay } from '../../tracking/ingest/token.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'

const server = await aServer()

let orgId: string
let admin: Person
beforeEach(async () => {
  orgId = await server.organization('Acme')
  admin = await server.person('admin', orgId)
})

async function choose(whoMayWatch: WatcherRule): Promise<void> {
  const params = { orgId }
  const { headers, body } = await admin.call(readOrganization, { params })
  const changed = await admin.call(updateOrganizationSettings, {
    params,
    body: { name: body.name, policies: { whoMayWatch } },
    headers: { 'if-match': String(headers['etag']) },
  })
  expect([changed.status, changed.problem]).toEqual([200, undefined])
}

/** A message to an administrator of a group, who can sign in, and what a browser asks of its page. */
async function sentTo(recipient?: Person) {
  const person = recipient ?? (await server.person('groupadmin', orgId))
  const video = await addMedia(server, orgId)
  const { secret } = await addDelivery(server, { organizationId: orgId, userId: person.id, ...video })
  const path = `/w/video/${video.videoId}?d=${secret}`
  /** Asks as the script of the page does; gives the answer and the cookie. */
  const enter = async (who: Pick<Person, 'call'>) => {
    const answer = await who.call(enterAsWatcher, { body: { link: secret } })
    const given = answer.headers['set-cookie']
    const cookie = typeof given === 'string' ? given.replace(/;.*/, '') : ''
    return { ...answer, cookie }
  }
  const open = (cookie = '') => openPage(server, path, cookie === '' ? {} : { cookie })
  return { person, ...video, secret, path, enter, open }
}

const sendReport = (playToken: string) => server.send('POST', '/api/tracks', { body: batchOf({ playToken }) })
const ended = { status: 410, body: { code: 'link_ended' } }

describe('where only signed-in people may watch', () => {
  beforeEach(() => choose('signed_in'))

  test('a link alone says so, and gives nothing of the video', async () => {
    const { open, videoId, versionId } = await sentTo()
    const page = await open()
    expect(page.status).toBe(403)
    expect(page.html).toContain('Please sign in to watch')
    expect(page.html).toContain('/auth-1/sign-in?return=%2Fw%2Fvideo%2F')
    expect(page.html).not.toMatch(/playToken|master\.m3u8|\/m\/|<video/)
    expect(page.data).toBeUndefined()
    expect(page.headers['set-cookie']).toBeUndefined()
    const guessed = `/m/guessed.token/${videoId}/${versionId}/master.m3u8`
    expect((await server.send('GET', guessed)).status).toBe(404)
    expect((await server.send('GET', guessed.replace('master.m3u8', '360p/00000.m4s'))).status).toBe(404)
  })

  test('its recipient plays once they are signed in, and the evidence says by what', async () => {
    const { enter, open, person, videoId } = await sentTo()
    const { body, cookie } = await enter(person)
    expect(body).toEqual({ status: 'recipient' })
    const { status, data } = await open(cookie)
    expect(status).toBe(200)
    expect((await fetchSegment(server, { hls: data?.hls ?? '', index: 0 })).status).toBe(200)
    const playToken = openedAgo(server, data?.playToken ?? '', 20_000)
    await report(server, { playToken, elapsedMs: 10_000, spans: [[0, 0, 10_000, 10_000, 100, 0]] })
    await aggregateOnce(server.services.db)
    const { sessions } = (await admin.call(readEvidence, { params: { orgId, userId: person.id, videoId } }))
      .body
    expect(sessions.items).toContainEqual(
      expect.objectContaining({ watchedMs: 10_000, signedInBy: ['pwd'], saidBy: null }),
    )
  })

  test('the cookie is read by no script, and opens no link of somebody else', async () => {
    const [own, other] = [await sentTo(), await sentTo()]
    const { cookie, headers } = await own.enter(own.person)
    expect(String(headers['set-cookie'])).toMatch(/^watching=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect((await other.open(cookie)).data).toBeUndefined()
    const forged = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    expect((await own.open(forged)).data).toBeUndefined()
  })

  test.each([
    ['a colleague', () => server.person('admin', orgId)],
    ['somebody of another organization', async () => server.person('admin', await server.organization())],
    ['a superadmin', () => server.person('superadmin')],
  ])('%s is told that the link is not theirs', async (_who, somebody) => {
    const { enter, open } = await sentTo()
    const { body, cookie } = await enter(await somebody())
    expect(body).toEqual({ status: 'other', name: expect.stringMatching(/^Person/) })
    expect(cookie).toBe('')
    expect((await open(cookie)).data).toBeUndefined()
  })

  test('who looks through the eyes of the recipient does not watch for them', async () => {
    const { enter, person } = await sentTo()
    const superadmin = await server.person('superadmin')
    const looking = await superadmin.call(viewAs, { body: { userId: person.id, reason: 'Ticket 4711' } })
    expect(looking.status).toBe(200)
    expect(await enter(superadmin)).toMatchObject({ body: { status: 'other' }, cookie: '' })
  })

  test('nobody is asked in whose name a session was locked or has ended', async () => {
    const { enter, open, person } = await sentTo()
    expect((await enter(server)).body).toEqual({ status: 'nobody' })
    const { cookie } = await enter(person)
    await person.call(lockSession)
    expect((await enter(person)).body).toEqual({ status: 'nobody' })
    expect((await open(cookie)).status).toBe(403)
  })

  test('a link that nobody knows, and one that has ended, are refused', async () => {
    const { enter, open, person } = await sentTo()
    const unknown = await person.call(enterAsWatcher, { body: { link: 'A'.repeat(43) } })
    expect(unknown.problem?.code).toBe('not_found')
    const { cookie } = await enter(person)
    await server.query(`update users set state = 'disabled' where id = $1`, [person.id])
    expect((await enter(person)).problem?.code).toBe('link_ended')
    const page = await open(cookie)
    expect(page.html).toContain('is not active any more')
  })

  test.each([
    ['signs out', ({ person }) => person.call(logout)],
    ['locks the session', ({ person }) => person.call(lockSession)],
    [
      'is signed out by an administrator',
      ({ person }) => admin.call(endUserSessions, { params: { orgId, userId: person.id } }),
    ],
    [
      'is deactivated',
      ({ person: { id, email } }) =>
        admin.call(updateUser, {
          params: { orgId, userId: id },
          body: { name: 'Somebody', email, role: 'groupadmin', state: 'disabled' },
        }),
    ],
  ] satisfies [string, (sent: Awaited<ReturnType<typeof sentTo>>) => Promise<unknown>][])(
    'the viewing ends when its recipient %s',
    async (_what, end) => {
      const sent = await sentTo()
      const { cookie } = await sent.enter(sent.person)
      const { data } = await sent.open(cookie)
      const { playToken = '', hls = '' } = data ?? {}
      expect((await sendReport(playToken)).status).toBe(200)
      expect((await fetchSegment(server, { hls, index: 1 })).status).toBe(200)
      await end(sent)
      expect(await sendReport(playToken)).toMatchObject(ended)
      expect((await fetchSegment(server, { hls, index: 1 })).status).toBe(410)
      expect((await server.send('GET', hls)).status).toBe(410)
      expect((await sent.open(cookie)).data).toBeUndefined()
    },
  )

  test('a session that nobody was at the keyboard of lets whoever opened the page in time watch to the end', async () => {
    const { enter, open, person } = await sentTo()
    const { cookie } = await enter(person)
    const { data } = await open(cookie)
    await server.query(
      `update sessions set idle_expires_at = now() - interval '1 minute' where user_id = $1`,
      [person.id],
    )
    expect((await sendReport(data?.playToken ?? '')).status).toBe(200)
    expect((await open(cookie)).status).toBe(403)
  })

  test('nobody says on the page that they are somebody else, and no earlier look opens it', async () => {
    const { enter, open, path, person } = await sentTo()
    const { cookie } = await enter(person)
    const { data } = await open(cookie)
    const body = { playToken: data?.playToken ?? '', isRecipient: true }
    const said = await admin.call(nameReader, { body })
    expect(said.body.counts).toBe(false)
    expect(await sendReport(said.body.playToken)).toMatchObject(ended)
    const look = await openPage(server, `${path}&preview=${said.body.playToken}`, { cookie })
    expect(look.data).toBeUndefined()
    expect(look.html).toContain('Please sign in to watch')
  })

  test('a video for everybody with its address asks for a personal link, and a public one stays public', async () => {
    const { videoId } = await sentTo()
    const without = `/w/video/${videoId}`
    expect((await openPage(server, without)).html).toContain('This video needs your personal link')
    await server.query(`update videos set privacy = 'public' where id = $1`, [videoId])
    expect((await openPage(server, without)).data).toBeDefined()
  })

  test('“Your training” and unsubscribing stay open by the link, and say that one signs in', async () => {
    const { secret } = await sentTo()
    const training = await server.app.inject(`/w/me?d=${secret}`)
    expect([training.statusCode, training.body]).toEqual([
      200,
      expect.stringContaining('Before a video plays, Acme asks you to sign in.'),
    ])
    const leave = await server.app.inject(`/w/unsubscribe?d=${secret}`)
    expect(leave.statusCode).toBe(200)
  })

  test('a link alone confirms nothing', async () => {
    const { path, secret, videoId } = await sentTo()
    const answer = await server.app.inject({
      method: 'POST',
      url: '/w/me/confirm',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ d: secret, obligation: videoId }).toString(),
    })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, path])
  })
})

test('who watches by a link alone is stopped when the organization begins to ask, questions and media alike', async () => {
  const { enter, open, person, videoId } = await sentTo()
  const { id: quizId } = await publish(admin, videoId, draft([question({ prompt: 'Where?' })]))
  const { data } = await open()
  const { playToken = '', hls = '' } = data ?? {}
  const begin = () => server.call(startAttempt, { params: { quizId: quizId ?? '' }, body: { playToken } })
  expect((await sendReport(playToken)).status).toBe(200)
  expect((await begin()).status).toBe(200)
  expect((await fetchSegment(server, { hls, index: 0 })).status).toBe(200)
  await choose('signed_in')
  expect(await sendReport(playToken)).toMatchObject(ended)
  expect((await begin()).problem?.code).toBe('link_ended')
  expect((await fetchSegment(server, { hls, index: 0 })).status).toBe(410)
  expect((await server.send('GET', hls)).status).toBe(410)
  const { cookie } = await enter(person)
  expect((await open(cookie)).data).toBeDefined()
  await choose('link')
  expect(await sendReport(playToken)).toMatchObject({ status: 200 })
})

test('where the link is enough, nobody signs in, and the token knows of no session', async () => {
  const { open } = await sentTo()
  const claims = readPlay(server.services.keys, (await open()).data?.playToken ?? '')
  expect(claims).not.toHaveProperty('signedIn')
  expect(claims).not.toHaveProperty('amr')
})

test('the settings count and name who has no way to sign in', async () => {
  const [alice, bob] = [await server.person(null, orgId), await server.person('groupadmin', orgId)]
  await server.query(`update users set password_hash = 'set' where id = any($1)`, [[admin.id, alice.id]])
  const ask = async () => (await admin.call(readWatchers, { params: { orgId } })).body
  const names = (await ask()).some.map(({ id }) => id)
  expect(await ask()).toMatchObject({ people: 3, without: 2 })
  expect(names.toSorted()).toEqual([alice.id, bob.id].toSorted())
})
