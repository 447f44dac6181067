import { redraw } from '../media/pictures/redraw.ts'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { formatDuration, formatNumber, formatShare } from '#contract/platform/text/format.ts'
import { reports } from '#contract/reports/report-files.ts'
import { figureMeanings } from '#contract/reports/report-figures.ts'
import { reportHeads, type ReportName } from '#contract/reports/report-heads.ts'
import { quizMetricsOverview, userActivityOverview } from '#contract/reports/report-overviews.ts'
import { reportQuizMetrics } from '#contract/reports/report-quizzes.ts'
import * as contract from '#contract/reports/reports.ts'
import { buildApp } from '../app.ts'
import { addAttempt, addQuiz } from '../testing/quizzes/answers.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { readPdf, readWorkbook } from '../testing/files.ts'
import { addPastDelivery, addPastViewing, daysAgo } from '../testing/viewing/past.ts'
import { question } from '../testing/quizzes/quizzes.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { unique } from '../testing/unique.ts'
import { aServer, anOrganization, setPolicies } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let organizationId: string
beforeEach(async () => {
  ;({ orgId: organizationId, admin } = await anOrganization(server, 'Tailspin'))
})

const names = Object.keys(reportHeads) as ReportName[]
const query = (text: string, values: unknown[]) => server.services.db.system.query(text, values)

/** Ann got the drill two days ago and saw all of it, a part twice; Ben half of it; somebody answered its questions. */
async function history() {
  const [ann = '', ben = ''] = await addPeople(server, organizationId, {
    count: 2,
    prefix: unique(),
  })
  const video = await addVideo(server, { organizationId, title: 'Fire drill', durationMs: 60_000 })
  for (const [userId, coveredMs, watchMs] of [
    [ann, 60_000, 80_000],
    [ben, 30_000, 30_000],
  ] as const) {
    const facts = { organizationId, ...video, userId, at: daysAgo(2) }
    const delivery = await addPastDelivery(server, facts)
    await addPastViewing(server, { ...facts, delivery, coveredMs, watchMs, completed: coveredMs === 60_000 })
  }
  const quiz = await addQuiz(
    server,
    { organizationId, videoId: video.videoId },
    { questions: [question({ prompt: 'Where to?' })] },
  )
  await addAttempt(server, quiz, { userId: ann, answers: [{ correct: true }], at: daysAgo(1) })
  return { ann, ben, ...video }
}

type Download = { format?: string; more?: Record<string, string>; by?: Person }

function download(report: ReportName, { format = 'csv', more = {}, by = admin }: Download = {}) {
  const asked = new URLSearchParams({ ...more, format })
  const url = `/api${reports[report].file.path}?${asked.toString()}`
  return server.app.inject({ url, headers: { authorization: `Bearer ${by.token}` } })
}

async function workbook(report: ReportName, more: Record<string, string> = {}, by = admin) {
  const answer = await download(report, { format: 'xlsx', more, by })
  expect(answer.statusCode).toBe(200)
  const { sheets, files } = readWorkbook(answer.rawPayload)
  const values = (name: string) =>
    (sheets[name] ?? []).map((row) => Array.from(row, (cell) => cell?.value ?? null))
  return { sheets, files, values }
}

async function words(report: ReportName, more: Record<string, string> = {}, by = admin) {
  const answer = await download(report, { format: 'pdf', more, by })
  expect(answer.statusCode).toBe(200)
  const { pages, source } = readPdf(answer.rawPayload)
  return { pages, source, text: pages.join('').replaceAll(/\s+/g, ' ') }
}

const types = {
  csv: /^text\/csv/,
  xlsx: /^application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet$/,
  pdf: /^application\/pdf$/,
} as const
const beginnings = { csv: '\u00EF\u00BB\u00BF', xlsx: 'PK', pdf: '%PDF-1.7' } as const
const formats = ['csv', 'xlsx', 'pdf'] as const

const addLogo = ({ data, width, height }: Awaited<ReturnType<typeof redraw>>) =>
  query(
    `with p as (insert into pictures (key, organization_id, type, data, width, height)
        values ($2, $1, 'image/png', $3, $4, $5) returning key)
      update organizations set logo = p.key from p where id = $1`,
    [organizationId, crypto.randomUUID(), data, width, height],
  )

test('paper carries the picture of the organization', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const redrawn = await redraw({ source: png, box: { width: 32, height: 32 }, how: 'cut', maxPixels: 1_000 })
  await addLogo(redrawn)
  const { source } = await words('user-engagement')
  expect(source).toContain('/DCTDecode')
})

test('a picture that cannot be drawn is left out, and the log says why', async () => {
  await addLogo({ data: Buffer.from('no picture'), width: 32, height: 32 })
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const app = await buildApp({ ...server.services, log }, log)
  const url = `/api${reports['user-engagement'].file.path}?format=pdf`
  const answer = await app.inject({ url, headers: { authorization: `Bearer ${admin.token}` } })
  await app.close()
  expect(answer.statusCode).toBe(200)
  expect(readPdf(answer.rawPayload).source).not.toContain('/DCTDecode')
  const [line = '', ...others] = lines.filter((one) => one.includes('could not be drawn'))
  expect(JSON.parse(line)).toMatchObject({ level: 50, err: { message: expect.stringMatching(/./) } })
  expect(others).toEqual([])
})

test.each(names)('%s comes in three formats, each with its type and name', async (report) => {
  await history()
  for (const format of formats) {
    const answer = await download(report, { format, more: { from: '2026-01-01', to: '2026-01-31' } })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(types[format])
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="${report}-2026-01-01-to-2026-01-31.${format}"`,
    )
    expect(answer.rawPayload.toString('latin1', 0, beginnings[format].length)).toBe(beginnings[format])
  }
  expect((await download(report, { format: 'docx' })).statusCode).toBe(422)
})

test.each(names)('%s is for the same readers in every format', async (report) => {
  const stranger = await server.person('admin', await server.organization())
  const groupadmin = await server.person('groupadmin', organizationId)
  const { access } = reports[report].file
  for (const format of formats) {
    const url = `/api${reports[report].file.path}?format=${format}`
    expect((await server.app.inject({ url })).statusCode).toBe(401)
    const foreign = await download(report, { format, more: { organizationId }, by: stranger })
    expect(foreign.statusCode).toBe(404)
    const { statusCode } = await download(report, { format, by: groupadmin })
    expect(statusCode).toBe(access.roles.includes('groupadmin') ? 200 : 403)
  }
})

test('a workbook has the numbers of the report and of its list, as numbers', async () => {
  await history()
  const asked = { period: '7d', sort: '-watchedMs' } as const
  // Taking a file along is an action as well, so that the figures are asked for behind it.
  const { sheets, values, files } = await workbook('account-user-activity', asked)
  const [{ body: report }, { body: list }] = [
    await admin.call(contract.reportUserActivity, { query: { period: '7d' } }),
    await admin.call(contract.listUserActivity, { query: asked }),
  ]
  expect(Object.keys(sheets)).toEqual(['About', 'People', 'Days'])
  const [head, ...rows] = values('People')
  expect(head).toEqual([
    'Name',
    'Email',
    'Last active (UTC)',
    'Received',
    'Opened',
    'Completed',
    'Watched (h:mm:ss)',
  ])
  const epoch = Date.UTC(1899, 11, 30)
  const instant = (cell: string | number | null | undefined) =>
    typeof cell === 'number' ? Math.round(epoch + cell * 86_400_000) : null
  expect(
    rows.map(([name, email, seen, received, opened, completed, watched]) => ({
      name,
      email,
      seen: instant(seen),
      counts: [received, opened, completed],
      watchedMs: Math.round(Number(watched) * 86_400_000),
    })),
  ).toEqual(
    list.items.map(({ name, email, lastActiveAt, received, opened, completed, watchedMs }) => ({
      name,
      email,
      seen: lastActiveAt === null ? null : Date.parse(lastActiveAt),
      counts: [received, opened, completed],
      watchedMs,
    })),
  )
  const formatsOf = sheets['People']?.[1]?.map((cell) => cell?.format)
  expect(formatsOf).toEqual(['@', '@', 'yyyy-mm-dd hh:mm', '#,##0', '#,##0', '#,##0', '[h]:mm:ss'])
  // The head of the table stays where it is.
  expect(files.get('xl/worksheets/sheet2.xml')).toMatch(/ySplit="1"[^>]*state="frozen"/)
  // On paper every sheet is as wide as a page, with the head of the table on each.
  for (const sheet of [1, 2, 3]) {
    expect(files.get(`xl/worksheets/sheet${sheet}.xml`)).toContain('<pageSetUpPr fitToPage="1"/>')
    expect(files.get(`xl/worksheets/sheet${sheet}.xml`)).toMatch(/<pageSetup [^>]*fitToHeight="0"/)
  }
  expect(files.get('xl/workbook.xml')).toContain('localSheetId="1">\'People\'!$1:$1<')
  expect(
    values('Days')
      .slice(1)
      .map(([, now, before]) => [now, before]),
  ).toEqual(report.steps.map(({ value, before }) => [value, before]))
  const about = values('About')
  for (const { name, figure, as } of userActivityOverview(report).figures) {
    const [, value, before] = about.find(([label]) => label === figureMeanings[name].label) ?? []
    const unit = as === 'time' ? 86_400_000 : 1
    expect([Number(value) * unit, Number(before) * unit].map(Math.round)).toEqual([
      figure.value,
      figure.before,
    ])
  }
})

test('a workbook says what it is about: whose figures, of when, how narrowed, made by whom', async () => {
  const { videoId } = await history()
  const { values } = await workbook('account-user-activity', { videoId, q: 'Nobody', sort: 'name' })
  const about = values('About')
  const said = new Map(about.toReversed().map(([label, value]) => [label, value]))
  expect(values('About')[0]?.[0]).toBe('Account User Activity')
  expect(said.get('Organization')).toBe('Tailspin')
  expect(said.get('Period')).toMatch(/^\w+ \d+, 20\d\d to \w+ \d+, 20\d\d \(UTC/)
  expect(said.get('Compared with')).toMatch(/^\w+ \d+, 20\d\d to /)
  expect(said.get('Video')).toBe('Fire drill')
  expect(said.get('Search')).toContain('Nobody')
  expect(said.get('Order')).toBe('Name, A to Z')
  expect(said.get('Made')).toMatch(/UTC, by /)
  expect(said.get('In short')).toMatch(/^Complete to .*reports did not arrive/)
  for (const name of reportHeads['account-user-activity'].meanings)
    expect(said.get(figureMeanings[name].label)).toBeDefined()
  expect(values('About').flat()).toContain(figureMeanings.active.value)
})

test('what looks like a formula stays text in a workbook', async () => {
  const { ann } = await history()
  await query(`update users set name = '=1+1' where id = $1`, [ann])
  const { sheets, files } = await workbook('account-user-activity', { sort: 'name' })
  expect(sheets['People']?.flat()).toContainEqual({ value: '=1+1', format: '@' })
  expect([...files.values()].join('')).not.toContain('<f>')
})

test('pages have the figures, the changes, the table and what all of it means', async () => {
  const { ann } = await history()
  await query(`update users set name = 'Żaneta Иванова' where id = $1`, [ann])
  const { text, source, pages } = await words('account-user-activity')
  const { body } = await admin.call(contract.reportUserActivity)
  expect(text).toContain('Account User Activity')
  expect(text).toContain('Tailspin')
  expect(text).toContain(`Active people ${formatNumber(body.active.value)} None before`)
  expect(text).toContain(`Time watched ${formatDuration(body.watchedMs.value ?? 0)}`)
  expect(text).toContain('Żaneta Иванова')
  expect(text).toContain('What the figures mean')
  expect(text).toContain('Quality of the data: Complete to')
  expect(pages.at(-1)).toContain(`Page ${pages.length} of ${pages.length}`)
  for (const mark of [
    '/Marked true',
    '/Lang (en-US)',
    '/DisplayDocTitle true',
    '/S /H1',
    '/S /TH',
    '/S /Figure',
    '/StructTreeRoot',
  ])
    expect(source, mark).toContain(mark)
})

test('pages of every report have its figures', async () => {
  await history()
  const engagement = (await admin.call(contract.reportUserEngagement)).body
  expect((await words('user-engagement')).text).toContain(
    `Seen ${formatShare(engagement.covered.value ?? 0)}`,
  )
  const messages = (await admin.call(contract.reportMessages)).body
  expect((await words('message-analytics')).text).toContain(`Sent ${messages.accepted.value} None before`)
  // Too few people have answered for a share to be told, on the screen as on paper.
  const quizzes = (await admin.call(reportQuizMetrics)).body
  expect(quizMetricsOverview(quizzes).figures.find(({ name }) => name === 'passed')?.figure.value).toBeNull()
  const quiz = await words('quiz-metrics')
  expect(quiz.text).toContain('Passed – Not shown for fewer than 5 people')
  expect(quiz.text).toContain('Too few people')
  const { values } = await workbook('quiz-metrics')
  expect(values('Questions')[1]).toContain('Too few people')
  expect((await words('account-activity')).text).toContain('Exported a report')
})

test('a groupadmin gets the members of their groups, and is told so', async () => {
  const { ann } = await history()
  const groupId = await addGroup(server, organizationId, [ann])
  const groupadmin = await server.person('groupadmin', organizationId)
  await query(
    `insert into group_members (organization_id, group_id, user_id, groupadmin) values ($1, $2, $3, true)`,
    [organizationId, groupId, groupadmin.id],
  )
  const { body } = await groupadmin.call(contract.listUserActivity, { query: { sort: 'name' } })
  const { values } = await workbook('account-user-activity', { sort: 'name' }, groupadmin)
  expect(
    values('People')
      .slice(1)
      .map(([, email]) => email),
  ).toEqual(body.items.map(({ email }) => email))
  expect(values('About').map(([label]) => label)).toContain('People in sight')
  expect((await words('account-user-activity', {}, groupadmin)).text).toContain('Members of the 1 group')
})

test('tells nothing of how people watched where only completions are recorded', async () => {
  await history()
  await setPolicies(server, organizationId, { trackingMode: 'completed_only' })
  const { values } = await workbook('account-user-activity')
  expect(
    values('People')
      .slice(1)
      .map((row) => row.at(-1)),
  ).toEqual(['Not shown', 'Not shown', 'Not shown'])
  expect(
    values('About')
      .find(([label]) => label === 'Time watched')
      ?.slice(0, 3),
  ).toEqual(['Time watched', 'Not shown', null])
  expect((await words('account-user-activity')).text).toContain('Time watched Not shown')
})

test('pages take the first 500 rows and say so; a workbook has all of these', async () => {
  await query(
    `insert into users (organization_id, name, email) select $1::uuid, 'Guest ' || n, 'g' || n || '-' || $1::uuid || '@example.test' from generate_series(1, 620) n`,
    [organizationId],
  )
  const { text } = await words('account-user-activity', { sort: 'name' })
  expect(text).toContain('People (500, not all)')
  expect(text).toContain(
    'These are the first 500 rows in this order; there are more. The CSV file has all of them.',
  )
  const { values } = await workbook('account-user-activity', { sort: 'name' })
  expect(new Set(values('People').map(([, email]) => email)).size).toBe(1 + 621)
  expect(values('About').map(([label]) => label)).not.toContain('Not all rows')
})

test('each file is in the log, with its format', async () => {
  await download('user-engagement', { format: 'pdf' })
  await download('user-engagement', { format: 'xlsx' })
  const { values } = await workbook('account-activity', { action: 'report.exported' })
  expect(
    values('Actions')
      .slice(1)
      .map(([, action]) => action),
  ).toEqual(Array.from({ length: 3 }, () => 'Exported a report'))
  const { rows } = await query(
    `select after ->> 'format' as format from audit where organization_id = $1 and action = 'report.exported' order by at`,
    [organizationId],
  )
  expect(rows).toEqual([{ format: 'pdf' }, { format: 'xlsx' }, { format: 'xlsx' }])
})
