import { beforeEach, describe, expect, test } from 'vitest'
import { makeCards } from '#contract/cards.ts'
import { listDeliveries } from '#contract/transmissions/deliveries.ts'
import { revokeLink } from '#contract/transmissions/links.ts'
import { readPdf } from '../testing/files.ts'
import type { Person } from '../testing/server.ts'
import { addVideo, openPage } from '../testing/viewing/viewing.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'
import { cardsFor } from './make.ts'
import { drawCards, type Card } from './sheet.ts'

const server = await aServer()
const { query } = server

let orgId: string
let admin: Person
let people: Person[]
let assignmentId: string
beforeEach(async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Acme'))
  people = [await server.person(null, orgId), await server.person(null, orgId)]
  assignmentId = await oblige(people)
})

async function oblige(of: readonly Person[], title = 'Fire drill'): Promise<string> {
  const { videoId } = await addVideo(server, { organizationId: orgId, title, privacy: 'private' })
  const [made] = await query<{ id: string }>(
    `insert into assignments (organization_id, name, state, video_id, audience, requirement, due, reminders, subject, message,
      created_by, created_by_name) values ($1, 'Safety: ' || $3, 'active', $2, '{}', 'watched', '{"kind":"none"}', '{}', 's', '{{firstName}}, **watch** {{video}}', $4, 'Ada')
      returning id`,
    [orgId, videoId, title, admin.id],
  )
  for (const { id } of of)
    await query(
      `insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, counted)
        values ($1, $2, $3, $4, now(), '2031-01-31T22:59:59.999Z', true)`,
      [orgId, made?.id, id, videoId],
    )
  return made?.id ?? ''
}

const params = () => ({ orgId, assignmentId })
const print = (userIds: string[] | null, format: 'card' | 'letter' = 'card') =>
  admin.send('POST', `/api/organizations/${orgId}/assignments/${assignmentId}/cards`, {
    body: { userIds, format },
  })

/** What would be printed: only the paper has the PINs. */
async function cards(userIds: string[] | null = null): Promise<readonly Card[]> {
  const caller = { userId: admin.id, id: admin.id, role: 'admin', organizationId: orgId, name: 'Ada Admin' }
  const by = { caller: caller as never, by: { caller, request: undefined }, services: server.services }
  const made = await server.services.db.as({ organizationId: orgId }, (tx) =>
    cardsFor(tx, by, { ...params(), body: { userIds, format: 'card' } }),
  )
  return made.cards
}

const secretOf = ({ link }: Pick<Card, 'link'>) => new URL(link).searchParams.get('d') ?? ''
const pathOf = ({ link }: Pick<Card, 'link'>) => link.slice(new URL(link).origin.length)

async function type(card: Pick<Card, 'link'>, pin: string) {
  const answer = await server.app.inject({
    method: 'POST',
    url: '/w/me/pin',
    payload: new URLSearchParams({ d: secretOf(card), code: pin }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const cookie = answer.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  return { status: answer.statusCode, body: answer.body, cookie }
}
const mine = (cookie: string) => server.app.inject({ url: '/w/me', headers: { cookie } })
const another = (pin: string) => (pin === '000000' ? '000001' : '000000')

test('requires sign-in, and requires role', async () => {
  const body = { userIds: null, format: 'card' as const }
  expect((await server.call(makeCards, { params: params(), body })).status).toBe(401)
  const groupadmin = await server.person('groupadmin', orgId)
  expect((await groupadmin.call(makeCards, { params: params(), body })).status).toBe(403)
  const stranger = await server.person('admin', await server.organization())
  expect((await stranger.call(makeCards, { params: params(), body })).status).toBe(404)
})

test('prints one for each who owes it, and the ledger says who hands it over', async () => {
  const file = await server.app.inject({
    method: 'POST',
    url: `/api/organizations/${orgId}/assignments/${assignmentId}/cards`,
    headers: { authorization: `Bearer ${admin.token}` },
    payload: { userIds: null, format: 'card' },
  })
  expect([file.statusCode, file.headers['content-disposition']]).toEqual([
    200,
    'attachment; filename="cards.pdf"',
  ])
  const text = file.rawPayload.toString('latin1')
  expect(text.slice(0, 5)).toBe('%PDF-')
  expect(text.match(/\/Type \/Page\b/g)).toHaveLength(2)
  expect(text).toContain('/StructTreeRoot')
  const [sent] = await query<{ id: string; state: string; dueAt: Date }>(
    `select id, state, due_at as "dueAt" from transmissions where assignment_id = $1`,
    [assignmentId],
  )
  expect([sent?.state, sent?.dueAt.toISOString()]).toEqual(['completed', '2031-01-31T22:59:59.999Z'])
  const { body } = await admin.call(listDeliveries, { params: { transmissionId: sent?.id ?? '' } })
  const [{ name: author } = { name: '' }] = await query<{ name: string }>(
    'select name from users where id = $1',
    [admin.id],
  )
  const byPerson = new Map(body.items.map(({ state, handedBy, user }) => [user.id, [state, handedBy]]))
  expect(byPerson).toEqual(new Map(people.map(({ id }) => [id, ['delivered', author]])))
  expect(
    await query(`select after from audit where action = 'assignment.cards_printed' and entity_id = $1`, [
      assignmentId,
    ]),
  ).toEqual([{ after: { name: 'Safety: Fire drill', people: 2, format: 'card' } }])
  await query(`update obligations set state = 'done' where assignment_id = $1`, [assignmentId])
  expect(await print(null)).toMatchObject({ status: 409 })
  expect(await print([admin.id])).toMatchObject({ status: 409 })
})

test('says to each person what the assignment says, with what its variables stand for', async () => {
  const [first] = people
  await query(`update users set name = 'Lovelace, Ada' where id = $1`, [first?.id])
  expect((await cards([first?.id ?? ''])).map(({ words }) => words)).toEqual(['Ada, watch Fire drill'])
})

test('says that signing in is asked where only signed-in people may watch, and nothing of an account that is not needed', async () => {
  const [person] = people
  const saidBy = async () => {
    const made = await cards([person?.id ?? ''])
    const order = { organization: 'Acme', product: 'Sendreel', title: 'Fire drill', format: 'card' as const }
    const pdf = readPdf(await drawCards({ ...order, cards: made }))
    expect(pdf.pages).toHaveLength(1)
    return pdf.pages[0]?.replaceAll(/\s+/g, ' ')
  }
  expect(await saidBy()).toContain('No account is needed.')
  await query(
    `update organizations set policies = policies || '{"whoMayWatch": "signed_in"}'::jsonb where id = $1`,
    [orgId],
  )
  const asked = await saidBy()
  expect(asked).toContain('Before the video plays, you are asked to sign in.')
  expect(asked).not.toContain('No account is needed.')
})

test('a PIN is kept nowhere, and no two cards have the same link', async () => {
  const [one, other] = await cards()
  expect(one?.link).not.toBe(other?.link)
  const stored = await query<{ kept: string }>(
    'select to_jsonb(c)::text as kept from cards c where organization_id = $1',
    [orgId],
  )
  for (const { kept: text } of stored) expect(text).not.toContain(one?.pin)
})

describe('whoever has a card', () => {
  test('opens its video with the code, and the rest with the PIN, but with no mailed code', async () => {
    const [card] = await cards([people[0]?.id ?? ''])
    if (!card) throw new Error('no card')
    expect((await openPage(server, pathOf(card))).status).toBe(200)
    const later = await oblige(people.slice(0, 1), 'Ladders')
    expect(later).not.toBe('')
    const page = await server.app.inject({ url: `/w/me?d=${secretOf(card)}` })
    expect(page.body).toContain('the PIN that is printed on the card')
    expect(page.body).not.toContain('Ladders')
    const mails = await query('select 1 from mails')
    const asked = await server.app.inject({
      method: 'POST',
      url: '/w/me/code',
      payload: `d=${secretOf(card)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([asked.statusCode, (await query('select 1 from mails')).length]).toEqual([200, mails.length])
    expect((await type(card, another(card.pin))).status).toBe(422)
    const { status, cookie } = await type(card, `${card.pin.slice(0, 3)} ${card.pin.slice(3)}`)
    expect(status).toBe(303)
    expect((await mine(cookie)).body).toContain('Ladders')
  })

  test('guesses ten times an hour, and twenty times in a row at most', async () => {
    const [card] = await cards([people[0]?.id ?? ''])
    if (!card) throw new Error('no card')
    const wrong = another(card.pin)
    for (let n = 0; n < 10; n++) expect((await type(card, wrong)).body).toContain('This PIN is not right')
    expect((await type(card, card.pin)).body).toContain('You have just tried this a few times')
    await query('delete from attempts')
    for (let n = 0; n < 10; n++) await type(card, wrong)
    await query('delete from attempts')
    expect((await type(card, card.pin)).body).toContain('This card opens no further device')
  })

  test('who photographed it opens three devices with it at most, none once another card was printed', async () => {
    const ids = [people[0]?.id ?? '']
    const [card] = await cards(ids)
    if (!card) throw new Error('no card')
    const opened = await Promise.all([1, 2, 3, 4].map(() => type(card, card.pin)))
    expect(opened.filter(({ status }) => status === 303)).toHaveLength(3)
    const { cookie } = opened.find(({ status }) => status === 303) ?? { cookie: '' }
    expect((await mine(cookie)).statusCode).toBe(200)
    const [next] = await cards(ids)
    expect((await mine(cookie)).statusCode).toBe(403)
    expect((await openPage(server, pathOf(card))).status).toBe(410)
    expect((await type(card, card.pin)).status).toBe(410)
    expect((await type(next ?? card, next?.pin ?? '')).status).toBe(303)
    const [old] = await query<{ n: number }>(
      `select count(*)::int as n from audit where action = 'user.own_training_opened' and entity_id = $1`,
      ids,
    )
    expect(old?.n).toBe(4)
  })

  test('is shut out with the person and with the link', async () => {
    const [first, second] = await cards()
    if (!first || !second) throw new Error('no cards')
    const { cookie } = await type(first, first.pin)
    const [row] = await query<{ transmissionId: string; deliveryId: string }>(
      `select transmission_id as "transmissionId", delivery_id as "deliveryId" from cards c join users u on u.id = c.user_id
        where c.organization_id = $1 and u.name = $2`,
      [orgId, first.person],
    )
    const body = { reason: 'Lost' }
    const at = { transmissionId: row?.transmissionId ?? '', deliveryId: row?.deliveryId ?? '' }
    expect((await admin.call(revokeLink, { params: at, body })).status).toBe(200)
    expect((await mine(cookie)).statusCode).toBe(403)
    await query(`update users set state = 'disabled' where organization_id = $1 and name = $2`, [
      orgId,
      second.person,
    ])
    expect((await type(second, second.pin)).status).toBe(410)
  })

  test('types its PIN on no other card', async () => {
    const [first, second] = await cards()
    if (!first || !second) throw new Error('no cards')
    expect((await type(first, second.pin)).status).toBe(first.pin === second.pin ? 303 : 422)
  })
})

test('a letter has the words of the assignment, in the language of its person', async () => {
  const [card] = await cards([people[0]?.id ?? ''])
  if (!card) throw new Error('no card')
  const order = { organization: 'Acme', product: 'Sendreel', title: 'Fire drill' }
  for (const format of ['card', 'letter'] as const) {
    const pdf = await drawCards({
      ...order,
      format,
      cards: [{ ...card, language: 'de', person: '김민수 Ωmega' }],
    })
    expect(pdf.toString('latin1')).toContain('/Lang (de-DE)')
    expect(readPdf(pdf).pages[0]?.replaceAll('\n', '')).toContain('김민수 Ωmega')
  }
})
