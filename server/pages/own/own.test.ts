import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { revokeLink } from '#contract/transmissions/links.ts'
import { askOwnDataCode } from '#contract/evidence/privacy.ts'
import { startTestServer, type Person, type TestServer } from '../../testing/server.ts'
import { addDelivery, addVideo, openPage } from '../../testing/viewing/viewing.ts'
import { durationMs, watchMore } from '../../testing/viewing/watched.ts'
import { anOrganization, setPolicies } from '../../testing/worlds.ts'

let server: TestServer
let orgId: string
let admin: Person
let userId: string

server = await startTestServer()
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Acme'))
  userId = (await server.person(null, orgId)).id
})
afterAll(() => server.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  await server.query<Row>(text, values)

type Sent = Awaited<ReturnType<typeof send>>

/** A message with a video; `due`: by when it is to be watched, as an interval from now. */
async function send(title: string, { due, to = userId }: { due?: string; to?: string } = {}) {
  const video = await addVideo(server, { organizationId: orgId, title, privacy: 'private', durationMs })
  const delivery = await addDelivery(server, { organizationId: orgId, userId: to, ...video })
  if (due !== undefined)
    await query('update transmissions set due_at = now() + $2::interval where id = $1', [
      delivery.transmissionId,
      due,
    ])
  return { ...video, ...delivery, path: `/w/video/${video.videoId}?d=${delivery.secret}` }
}

async function oblige(title: string, more: { state?: string; due?: string; to?: string } = {}) {
  const { state = 'open', due = '3 days', to = userId } = more
  const video = await addVideo(server, { organizationId: orgId, title, privacy: 'private', durationMs })
  await query(
    `with a as (insert into assignments (organization_id, name, state, video_id, audience, requirement, due, reminders, subject, message,
        created_by, created_by_name) values ($1, 'Safety ' || $3, 'active', $2, '{}', 'watched', '{"kind":"none"}', '{}', 's', 'm', $4, 'Ada') returning id)
      insert into obligations (organization_id, assignment_id, user_id, video_id, state, counts_from, due_at, done_at, counted)
      select $1, id, $4, $2, $5, now(), now() + $6::interval, case when $5 = 'done' then now() end, true from a`,
    [orgId, video.videoId, title, to, state, due],
  )
  return video
}

/** A browser: it keeps what it is told to keep. */
function browser(own: Record<string, string> = {}) {
  const jar = new Map<string, string>()
  const headers = () => ({
    ...own,
    ...(jar.size === 0 ? {} : { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
  })
  const keep = (answer: { cookies: { name: string; value: string; maxAge?: number }[] }) => {
    for (const { name, value, maxAge } of answer.cookies)
      if (maxAge === 0) jar.delete(name)
      else jar.set(name, value)
  }
  return {
    jar,
    async get(url: string) {
      const answer = await server.app.inject({ url, headers: headers() })
      keep(answer)
      return answer
    },
    async post(url: string, fields: Record<string, string>, more: Record<string, string> = {}) {
      const answer = await server.app.inject({
        method: 'POST',
        url,
        payload: new URLSearchParams(fields).toString(),
        headers: { ...headers(), 'content-type': 'application/x-www-form-urlencoded', ...more },
      })
      keep(answer)
      return answer
    },
  }
}
type Browser = ReturnType<typeof browser>

async function newestCode(): Promise<string> {
  const [mail] = await query<{ text: string }>('select text from mails order by id desc limit 1')
  return /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Asks for a code by this link; the flow of the page, and the code of the mail. */
async function ask(at: Browser, { secret }: Pick<Sent, 'secret'>) {
  const { body, statusCode } = await at.post('/w/me/code', { d: secret })
  const flow = /name="flow" value="([^"]+)"/.exec(body)?.[1] ?? ''
  return { d: secret, flow, code: await newestCode(), body, statusCode }
}

async function open(at: Browser, sent: Pick<Sent, 'secret'>) {
  const { d, flow, code } = await ask(at, sent)
  const opened = await at.post('/w/me/open', { d, flow, code })
  expect([opened.statusCode, opened.headers.location]).toEqual([303, '/w/me'])
  return at
}

const linkOf = ({ secret }: Pick<Sent, 'secret'>) => `/w/me?d=${secret}`

describe('a link that was passed on', () => {
  test('shows its own video and no hint of anything else', async () => {
    const sent = await send('Fire drill', { due: '2 days' })
    const at = browser()
    const before = await at.get(linkOf(sent))
    expect(before.statusCode).toBe(200)
    expect(before.body).toContain('Fire drill')
    await oblige('Ladders')
    await send('Forklift', { due: '1 day' })
    expect((await at.get(linkOf(sent))).body).toBe(before.body)
    expect(before.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("script-src 'none'"),
    })
    expect((await at.get(sent.path)).body).toContain(`href="/w/me?d=${sent.secret}"`)
  })

  test('stays as it is elsewhere when its person has opened their page', async () => {
    const sent = await send('Fire drill')
    await oblige('Ladders')
    const own = await open(browser(), sent)
    expect((await own.get('/w/me')).body).toContain('Ladders')
    const stranger = browser()
    expect((await stranger.get(linkOf(sent))).body).not.toContain('Ladders')
    for (const path of ['data', 'certificate', 'forget'])
      expect(
        (await stranger.post(`/w/me/${path}`, { d: sent.secret, video: sent.videoId })).statusCode,
        path,
      ).toBe(403)
    expect((await stranger.get('/w/me')).statusCode).toBe(403)
  })

  test('takes no guessed code: five tries, and the right one does not help after them', async () => {
    const sent = await send('Fire drill')
    const at = browser()
    const { d, flow, code, body } = await ask(at, sent)
    // This installation has no mail server, so that its codes rest.
    expect(body).toContain('Please ask Acme for it')
    const wrong = code === '000000' ? '000001' : '000000'
    for (const n of [1, 2, 3, 4, 5]) {
      const tried = await at.post('/w/me/open', { d, flow, code: wrong })
      expect(tried.statusCode).toBe(422)
      expect(tried.body).toContain(n < 5 ? 'This code is not right' : 'That was the last try')
    }
    expect((await at.post('/w/me/open', { d, flow, code })).body).toContain('The code is too old')
    expect(at.jar.size).toBe(0)
    // Another one at once is not mailed either.
    expect((await ask(at, sent)).body).toContain('You have just tried this a few times.')
  })

  test('takes no code that was mailed to somebody else, or for something else', async () => {
    const sent = await send('Fire drill')
    const other = (await server.person(null, orgId)).id
    const theirs = await send('Ladders', { to: other })
    const at = browser()
    const { flow, code: foreign } = await ask(at, theirs)
    expect((await at.post('/w/me/open', { d: sent.secret, flow, code: foreign })).statusCode).toBe(422)
    const { data } = await openPage(server, sent.path)
    const asked = await server.call(askOwnDataCode, { body: { playToken: data?.playToken ?? '' } })
    const code = await newestCode()
    const tried = await at.post('/w/me/open', { d: sent.secret, flow: asked.body.flowToken, code })
    expect([tried.statusCode, at.jar.size]).toEqual([422, 0])
  })
})

describe('once a code was typed', () => {
  test('says what comes next of a path, and nothing of what does not concern this person', async () => {
    const sent = await send('Fire drill')
    const { videoId } = await oblige('Ladders')
    const nobody = { groupIds: [], everyone: false, exceptUserIds: [], exceptGroupIds: [] }
    const follow = (title: string, userIds: string[]) =>
      query(
        `with v as (insert into videos (organization_id, title, state) values ($1, $2, 'ready') returning id)
          insert into assignments (organization_id, name, state, video_id, audience, requirement, due, reminders, subject, message, created_by,
            created_by_name, waits_for)
          select $1, 'Next', 'active', v.id, $3, 'watched', '{"kind":"none"}', '{}', 's', 'm', $4, 'Ada', a.id from v, assignments a
          where a.video_id = $5`,
        [orgId, title, JSON.stringify({ ...nobody, userIds }), userId, videoId],
      )
    await follow('Scaffolds', [userId])
    await follow('Cranes', [admin.id])
    const at = await open(browser(), sent)
    const { body } = await at.get('/w/me?language=de')
    expect(body).toContain('<p class="soft">Danach: Scaffolds, nach Ladders</p>')
    expect(body).not.toContain('Cranes')
    expect((await at.get('/w/me?language=en')).body).toContain('Next: Scaffolds, after Ladders')
    await query(`update obligations set state = 'done' where video_id = $1`, [videoId])
    expect((await at.get('/w/me')).body).not.toContain('Scaffolds')
  })

  test('says what waits, the most urgent first, and what is done', async () => {
    const sent = await send('Fire drill', { due: '-1 day' })
    await oblige('Ladders')
    await oblige('Forklift', { state: 'done' })
    await oblige('Harness', { state: 'waived' })
    await oblige('Gone', { state: 'ended' })
    await send('Only to look at')
    await watchMore(server, sent.path, [[0, 2_400]])
    const at = await open(browser(), sent)
    const { body, statusCode } = await at.get('/w/me')
    expect(statusCode).toBe(200)
    const [waiting = '', done = ''] = body.split('<h2 id="done">')
    expect(
      [...waiting.matchAll(/<li><div><b>(.*?)<\/b><span class="(due(?: late)?)"/g)].map(([, ...one]) => one),
    ).toEqual([
      ['Fire drill', 'due late'],
      ['Ladders', 'due'],
    ])
    expect(waiting).toContain('You have seen 50%.')
    expect(waiting).toContain('Its message is still to come.')
    expect([...done.matchAll(/<li><div><b>(.*?)<\/b>/g)].map(([, one]) => one)).toEqual([
      'Forklift',
      'Harness',
    ])
    expect(body).not.toContain('Gone')
    expect(body).not.toContain('Only to look at')
    expect(body).not.toContain(sent.secret)
    const looked = await send('Looked at')
    await watchMore(server, looked.path, [[0, durationMs]])
    expect((await at.get('/w/me')).body.split('<h2 id="done">')[1]).toContain('<b>Looked at</b>')
    const logged = await query(
      `select actor_id, after from audit where action = 'user.own_training_opened' and entity_id = $1 and organization_id = $2`,
      [userId, orgId],
    )
    expect(logged).toEqual([{ actor_id: userId, after: { deliveryId: sent.deliveryId } }])
    expect((await at.get('/w/me?language=de')).body).toContain('Ihre Schulungen')
    expect((await at.get('/w/me')).body).toContain('<html lang="de')
  })

  test('says so when nothing waits', async () => {
    const at = await open(browser(), await send('Only to look at'))
    const { body } = await at.get('/w/me')
    expect(body).toContain('Nothing is waiting for you.')
  })

  test('hands out their certificates and their data, and nothing of others', async () => {
    const sent = await send('Fire drill', { due: '2 days' })
    await watchMore(server, sent.path, [[0, durationMs]])
    const other = (await server.person(null, orgId)).id
    const theirs = await send('Ladders', { to: other, due: '2 days' })
    await watchMore(server, theirs.path, [[0, durationMs]])
    const at = await open(browser(), sent)
    const paper = await at.post('/w/me/certificate', { video: sent.videoId })
    expect([paper.statusCode, paper.headers['content-type']]).toEqual([200, 'application/pdf'])
    const own = /href="(\/w\/me\/certificates\/[^"]+)"/.exec((await at.get('/w/me')).body)?.[1] ?? ''
    expect((await at.get(own)).rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
    expect((await at.post('/w/me/certificate', { video: theirs.videoId })).statusCode).toBe(409)
    const them = await open(browser(), theirs)
    expect((await them.get(own)).statusCode).toBe(409)
    expect((await them.get('/w/me/certificates/x')).statusCode).toBe(409)
    const data = await at.post('/w/me/data', {})
    expect(data.json<Record<string, unknown[]>>()['videos']).toHaveLength(1)
    expect(data.body).not.toContain(other)
    expect(
      await query(`select 1 from audit where action = 'user.own_data_taken' and entity_id = $1`, [userId]),
    ).toHaveLength(1)
    const answers = await Promise.all([1, 2, 3].map(() => at.post('/w/me/data', {})))
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(1)
  })

  test('where only completions are recorded, it says the day and no share', async () => {
    const sent = await send('Fire drill', { due: '2 days' })
    await watchMore(server, sent.path, [[0, 2_400]])
    const at = await open(browser(), sent)
    expect((await at.get('/w/me')).body).toContain('You have seen 50%.')
    await setPolicies(server, orgId, { trackingMode: 'completed_only' })
    expect((await at.get('/w/me')).body).not.toContain('You have seen')
  })

  test('confirms what is asked of its person, and nothing through a link of somebody else', async () => {
    const sent = await send('Fire drill')
    const at = await open(browser(), sent)
    const { videoId } = await oblige('Ladders')
    await query(`update assignments set statement = 'I know the ladders.' where video_id = $1`, [videoId])
    expect((await at.get('/w/me')).body).toContain('Then please confirm: “I know the ladders.”')
    await query('update obligations set covered_at = now() where video_id = $1', [videoId])
    const obligation = /name="obligation" value="([^"]+)"/.exec((await at.get('/w/me')).body)?.[1] ?? ''
    const colleague = (await server.person(null, orgId)).id
    const passedOn = await send('Forklift', { to: colleague })
    await query(
      `with a as (update assignments set video_id = $1 where video_id = $2 returning id)
        insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, covered_at, counted)
        select $3, id, $4, $1, now(), now(), true from a`,
      [passedOn.videoId, videoId, orgId, colleague],
    )
    const [theirs] = await query<{ id: string }>('select id from obligations where user_id = $1', [colleague])
    const foreign = { d: passedOn.secret, obligation: theirs?.id ?? '' }
    expect((await at.post('/w/me/confirm', foreign)).statusCode).toBe(403)
    expect((await browser().post('/w/me/confirm', { obligation })).statusCode).toBe(403)
    const answer = await at.post('/w/me/confirm', { obligation })
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/w/me'])
    expect((await at.get('/w/me')).body).toContain('You confirmed: “I know the ladders.”')
    expect((await browser().post('/w/me/confirm', foreign)).statusCode).toBe(303)
  })

  test('can be closed again on this device', async () => {
    const at = await open(browser(), await send('Fire drill'))
    await at.post('/w/me/forget', {})
    expect([at.jar.size, (await at.get('/w/me')).statusCode]).toEqual([0, 403])
  })
})

describe('an open device is closed', () => {
  const ends: [string, (sent: Sent) => Promise<unknown>][] = [
    [
      'with the link that opened it',
      ({ deliveryId, transmissionId }) =>
        admin.call(revokeLink, { params: { transmissionId, deliveryId }, body: { reason: 'Passed on' } }),
    ],
    ['with the person', () => query(`update users set state = 'disabled' where id = $1`, [userId])],
    [
      'with the organization',
      () => query(`update organizations set state = 'suspended' where id = $1`, [orgId]),
    ],
    ['with another address', () => query(`update users set email = 'new-' || email where id = $1`, [userId])],
  ]
  test.each(ends)('%s', async (_what, end) => {
    const sent = await send('Fire drill')
    const later = await send('Ladders')
    await oblige('Harness')
    const at = await open(browser(), sent)
    expect((await at.get(linkOf(later))).body).toContain('Harness')
    await end(sent)
    expect((await at.get('/w/me')).statusCode).toBe(403)
    expect((await at.get(linkOf(later))).body).not.toContain('Harness')
    expect((await at.post('/w/me/data', {})).statusCode).toBe(403)
  })

  test('for everybody but the one who opened it, also in another organization', async () => {
    const sent = await send('Fire drill')
    const at = await open(browser(), sent)
    const mine = orgId
    orgId = await server.organization('Other')
    const stranger = (await server.person(null, orgId)).id
    const theirs = await send('Forklift', { to: stranger })
    await oblige('Theirs', { to: stranger })
    expect((await at.get(linkOf(theirs))).body).not.toContain('Theirs')
    orgId = mine
    const [name = '', value = ''] = [...at.jar][0] ?? []
    for (const forged of [
      `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`,
      value.replace(/\.\d/, '.9'),
      'x',
    ]) {
      at.jar.set(name, forged)
      expect((await at.get('/w/me')).statusCode).toBe(403)
    }
  })
})

test('a link that has ended says why, and gives no code', async () => {
  const sent = await send('Fire drill')
  const body = { reason: 'Sent by mistake' }
  const { transmissionId, deliveryId } = sent
  await admin.call(revokeLink, { params: { transmissionId, deliveryId }, body })
  const shown = await browser().get(linkOf(sent))
  expect([shown.statusCode, shown.body.includes('Sent by mistake')]).toEqual([410, true])
  expect((await ask(browser(), sent)).statusCode).toBe(410)
  expect((await browser().get('/w/me?d=x')).statusCode).toBe(403)
})

test('takes nothing but its own forms', async () => {
  const sent = await send('Fire drill')
  const at = browser()
  const { d, flow, code } = await ask(at, sent)
  const foreign = await at.post('/w/me/open', { d, flow, code }, { 'sec-fetch-site': 'cross-site' })
  expect([foreign.statusCode, at.jar.size]).toEqual([403, 0])
  const json = await server.app.inject({ method: 'POST', url: '/w/me/open', payload: { d: [], flow: 1 } })
  expect(json.statusCode).toBe(415)
  expect((await at.post('/w/me/open', { d: `${d}\u0000`, flow: '\u0000', code: '\u0000' })).statusCode).toBe(
    403,
  )
  expect((await at.post('/w/me/open', { d, flow: '\u0000', code: '\u0000' })).statusCode).toBe(422)
})

test('a device is remembered by a cookie of this host alone, which no script sees', async () => {
  const secure = await startTestServer({ PUBLIC_URL: 'https://reel.example' })
  const own = { server, orgId, userId }
  server = secure
  orgId = await secure.organization('Acme')
  userId = (await secure.person(null, orgId)).id
  const { d, flow, code } = await ask(browser(), await send('Fire drill'))
  const opened = await browser().post('/w/me/open', { d, flow, code })
  ;({ server, orgId, userId } = own)
  await secure.close()
  expect(opened.headers['set-cookie']).toMatch(
    /^__Host-training=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  )
})
