import { expect, test } from 'vitest'
import { listOutbox } from '#contract/platform/system.ts'
import { queueMail } from '../../platform/jobs/mail.ts'
import { aServer } from '../../testing/worlds.ts'

const server = await aServer()
const superadmin = await server.person('superadmin')
const { services } = server
await services.db.as('system', async (tx) => {
  for (let n = 1; n <= 7; n += 1) {
    const mail = { organizationId: null, address: `p${n}@example.test`, subject: `Letter ${n}`, text: 'Hi' }
    await queueMail(services, tx, n === 7 ? { ...mail, subject: '100% sure', html: '<p>Hi</p>' } : mail)
  }
})

test('requires sign-in, and the role', async () => {
  expect((await server.call(listOutbox)).status).toBe(401)
  const admin = await server.person('admin', await server.organization())
  expect((await admin.call(listOutbox)).status).toBe(403)
})

test('lists the newest first, page by page', async () => {
  const seen: string[] = []
  let next: string | null = '/api/outbox?limit=3'
  while (next !== null) {
    const page = (await superadmin.send('GET', next)).body as {
      items: { to: string }[]
      total: number
      next: string | null
    }
    expect(page.total).toBe(7)
    seen.push(...page.items.map((mail) => mail.to))
    next = page.next
  }
  expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => `p${n}@example.test`))
})

test('finds by address and subject, taking every character as it is', async () => {
  const find = async (q: string) => (await superadmin.call(listOutbox, { query: { q } })).body.items
  expect(await find('P3@')).toMatchObject([{ to: 'p3@example.test', subject: 'Letter 3', html: null }])
  expect(await find('100%')).toMatchObject([{ subject: '100% sure', html: '<p>Hi</p>' }])
  expect(await find('letter_1')).toEqual([])
})

test('jumps by offset, and refuses a position that it never gave', async () => {
  const page = await superadmin.call(listOutbox, { query: { offset: 5, limit: 1 } })
  expect(page.body).toMatchObject({ items: [{ to: 'p2@example.test' }], total: 7, offset: 5, limit: 1 })
  const wrong = await superadmin.call(listOutbox, { query: { after: 'WyJ4Il0' } })
  expect(wrong.problem?.code).toBe('invalid_request')
})
