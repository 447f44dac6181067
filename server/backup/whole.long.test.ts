import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CertificateFile } from '#contract/evidence/certificate-format.ts'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import {
  reportMessages,
  reportAccountActivity,
  reportUserActivity,
  reportUserEngagement,
} from '#contract/reports/reports.ts'
import { reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import { createUser } from '#contract/directory/users.ts'
import { fillDemo } from '../sample/demo.ts'
import { backedUp, contentsOf, filesIn, runs, type BackedUp } from '../testing/backup/backups.ts'
import { isGenuine } from '../testing/viewing/certificates.ts'
import { startTestServer, type Person, type TestServer } from '../testing/server.ts'
import { openPage } from '../testing/viewing/viewing.ts'
import { durationMs, watched } from '../testing/viewing/watched.ts'

let made: BackedUp
let superadmin: Person
beforeAll(async () => {
  made = await backedUp()
  await fillDemo(made.server.services)
  superadmin = await made.server.person('superadmin')
})
afterAll(() => made.close())

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** The application on a copy of a restored database. */
async function serverOn({ DATABASE_URL, DATA_DIR }: { DATABASE_URL: string; DATA_DIR: string }) {
  const template = process.env['SENDREEL_TEST_TEMPLATE']
  process.env['SENDREEL_TEST_TEMPLATE'] = new URL(DATABASE_URL).pathname.slice(1)
  try {
    return await startTestServer({ DATA_DIR })
  } finally {
    process.env['SENDREEL_TEST_TEMPLATE'] = template
  }
}

test('a backup that is made while people work holds one moment', async () => {
  const orgId = await made.server.organization('Busy')
  const over = new AbortController()
  let added = 0
  const working = (async () => {
    while (!over.signal.aborted) {
      const body = { name: `Person ${added}`, email: `busy-${added}@example.test` }
      expect((await superadmin.call(createUser, { params: { orgId }, body })).status).toBe(201)
      added += 1
    }
  })()
  const done = await runs('backup', [], made.from)
  over.abort()
  await working
  expect(done).toMatchObject({ code: 0 })
  expect(added).toBeGreaterThan(5)
  const place = await made.newPlace()
  expect(await runs('restore', ['--from', made.backups], place)).toMatchObject({ code: 0 })
  const [counted] = await ask<{ there: number; noted: number }>(
    place.DATABASE_URL,
    `select (select count(*)::int from users u where u.organization_id = o.id) as there,
      (select count(*)::int from audit a where a.organization_id = o.id) as noted from organizations o where o.id = '${orgId}'`,
  )
  expect(counted?.noted).toBe(counted?.there)
  expect(counted?.there).toBeLessThan(added)
})

const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)
const period = { from: day(80), to: day(0) }

async function reportsOf(server: TestServer): Promise<unknown[]> {
  const calls = [
    reportUserActivity,
    reportUserEngagement,
    reportAccountActivity,
    reportMessages,
    reportQuizMetrics,
  ]
  const answers: unknown[] = []
  for (const { path: address } of calls) {
    const { status, body } = await server.send(
      'GET',
      `/api${address}?${new URLSearchParams(period).toString()}`,
      {
        headers: { authorization: `Bearer ${superadmin.token}` },
      },
    )
    expect({ address, status }).toEqual({ address, status: 200 })
    // Up to which instant figures are complete is the instant of reading.
    answers.push(
      JSON.parse(JSON.stringify(body), (name, value: unknown) => (name === 'completeTo' ? null : value)),
    )
  }
  return answers
}

test('what was restored is the same: tables, files, reports, certificates and links; and sending is held', async () => {
  const { server } = made
  const orgId = await server.organization('Proven')
  const admin = await server.person('admin', orgId)
  const viewer = await server.person(null, orgId)
  const { videoId, path: link } = await watched(server, { orgId, userId: viewer.id }, [[0, durationMs]])
  const params = { orgId, userId: viewer.id }
  const issued = await admin.call(issueCertificate, { params, body: { videoId } })
  const before = await reportsOf(server)
  expect(JSON.stringify(before).length).toBeGreaterThan(2_000)
  expect(await runs('backup', [], made.from)).toMatchObject({ code: 0 })
  const place = await made.newPlace()
  expect(await runs('restore', ['--from', made.backups], place)).toMatchObject({ code: 0 })
  expect(await contentsOf(place.DATABASE_URL)).toEqual(await contentsOf(server.ownerUrl))
  expect(Object.values(await filesIn(place.DATA_DIR)).toSorted()).toEqual(
    Object.values(await filesIn(made.from.DATA_DIR)).toSorted(),
  )
  const restored = await serverOn(place)
  try {
    // What had changed last may be worked out by the second reading: `asOf` says so.
    await expect.poll(() => reportsOf(restored), { timeout: 20_000 }).toEqual(before)
    const file = `/api/organizations/${orgId}/users/${viewer.id}/certificates/${issued.body.id}/file?format=json`
    const { body } = await restored.send('GET', file, { headers: { authorization: `Bearer ${admin.token}` } })
    expect(await isGenuine(restored, body as CertificateFile)).toBe(true)
    const page = await openPage(restored, link)
    expect(page.status).toBe(200)
    expect(page.data?.playToken).toBeDefined()
    expect(
      await ask(place.DATABASE_URL, 'select signs from sending_guard where held_at is not null'),
    ).toEqual([{ signs: ['copied'] }])
  } finally {
    await restored.close()
  }
})

test('an owner who is no superuser restores too', async () => {
  const place = await made.newPlace()
  const admin = new URL(place.DATABASE_URL)
  const owner = `owner_${crypto.randomUUID().slice(0, 8)}`
  const name = admin.pathname.slice(1)
  // That of the present owner: from it follows the password of the role that serves, which belongs to the databases of all tests.
  const password = pg.escapeLiteral(decodeURIComponent(admin.password))
  await ask(
    place.DATABASE_URL,
    `create role ${owner} login createrole nosuperuser password ${password};
      grant sendreel_app to ${owner} with admin option; alter database ${name} owner to ${owner}`,
  )
  admin.username = owner
  const done = await runs('restore', ['--from', made.backups], {
    ...place,
    DATABASE_URL: admin.toString(),
    DATABASE_OWNER_URL: '',
  })
  try {
    expect(done).toMatchObject({ code: 0 })
    expect(await contentsOf(place.DATABASE_URL)).toEqual(await contentsOf(made.server.ownerUrl))
  } finally {
    await ask(place.DATABASE_URL, `reassign owned by ${owner} to current_user; drop owned by ${owner}`)
    await ask(place.DATABASE_URL, `alter database ${name} owner to current_user; drop role ${owner}`)
  }
})

test('the check restores into a place of its own, and leaves nothing of it', async () => {
  const temporary = process.env['TMPDIR'] ?? '/tmp'
  const done = await runs('backup', ['--check'], { ...made.from, DATABASE_URL: '', TMPDIR: temporary })
  expect(done).toMatchObject({ code: 0 })
  expect(done.output).toContain('is whole: restored into a new place')
  expect(readdirSync(temporary).filter((name) => name.startsWith('sendreel-check-'))).toEqual([])
  expect(existsSync(path.join(made.backups, made.names().at(-1) ?? '', 'checked.json'))).toBe(true)
})
