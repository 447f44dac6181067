import { beforeEach, expect, test } from 'vitest'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { trainingMeanings } from '#contract/matrix/training-labels.ts'
import { addGroup, addPeople } from '../testing/audience.ts'
import { readPdf, readWorkbook } from '../testing/files.ts'
import { addPastDelivery, addPastViewing, daysAgo } from '../testing/viewing/past.ts'
import type { Person } from '../testing/server.ts'
import { addVideo } from '../testing/viewing/viewing.ts'
import { unique } from '../testing/unique.ts'
import { aServer } from '../testing/worlds.ts'

const server = await aServer()

let admin: Person
let organizationId: string
let params: { orgId: string }
let ann: string
let ben: string
beforeEach(async () => {
  organizationId = await server.organization('Tailspin')
  params = { orgId: organizationId }
  admin = await server.person('admin', organizationId)
  const prefix = unique()
  ;[ann = '', ben = ''] = await addPeople(server, organizationId, { count: 2, prefix })
})

const { query } = server

/** Both got the video; Ann has completed it. */
async function sent(title: string) {
  const video = await addVideo(server, { organizationId, title })
  for (const userId of [ann, ben]) {
    const facts = { organizationId, ...video, userId, at: daysAgo(2) }
    const delivery = await addPastDelivery(server, facts)
    if (userId === ann)
      await addPastViewing(server, {
        ...facts,
        delivery,
        coveredMs: 60_000,
        watchMs: 60_000,
        completed: true,
      })
  }
  return video
}

function download(asked: Record<string, string>, by = admin) {
  const url = `/api/organizations/${organizationId}/training/export?${new URLSearchParams(asked).toString()}`
  return server.app.inject({ url, headers: { authorization: `Bearer ${by.token}` } })
}

async function workbook(asked: Record<string, string>, by = admin) {
  const answer = await download({ ...asked, format: 'xlsx' }, by)
  expect(answer.statusCode).toBe(200)
  const { sheets } = readWorkbook(answer.rawPayload)
  return (name: string) => (sheets[name] ?? []).map((row) => Array.from(row, (cell) => cell?.value ?? null))
}

test('both forms come in three formats, each with its type and name', async () => {
  await sent('Fire drill')
  for (const form of ['matrix', 'cells'])
    for (const [format, type] of [
      ['csv', 'text/csv; charset=utf-8'],
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
      ['pdf', 'application/pdf'],
    ] as const) {
      const { statusCode, headers } = await download({ form, format })
      expect([statusCode, headers['content-type']]).toEqual([200, type])
      expect(headers['content-disposition']).toMatch(
        new RegExp(`-training-${form}-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
      )
    }
})

test('the day of delivery is that of a mail that arrived, and of none that came back', async () => {
  await sent('Fire drill')
  const days = async (state: string) => {
    await query('update deliveries set state = $2 where user_id = $1', [ben, state])
    const [head = '', ...lines] = (await download({ form: 'cells', format: 'csv' })).body.split('\r\n')
    const at = head.split(',').indexOf('Delivered')
    expect(at).toBeGreaterThan(0)
    return lines.filter((line) => line !== '').map((line) => line.split(',')[at] !== '')
  }
  expect(await days('delivered')).toEqual([true, true])
  expect(await days('bounced')).toEqual([true, false])
})

test('a file waits until all is in it that has changed, however much that is', async () => {
  await query(
    `insert into dirty_keys (figure, organization_id, subject, person) select 'training', $1, gen_random_uuid(), gen_random_uuid()
      from generate_series(1, 2500)`,
    [organizationId],
  )
  await sent('Fire drill')
  const { body: behind } = await admin.call(readTraining, { params })
  expect(behind).toMatchObject({ asOf: expect.any(String), required: 0 })
  for (const form of ['matrix', 'cells']) {
    await query(
      `insert into dirty_keys (figure, organization_id, subject, person) select 'training', $1, gen_random_uuid(), gen_random_uuid()
        from generate_series(1, 2500)`,
      [organizationId],
    )
    const { body: text } = await download({ form, format: 'csv' })
    expect(text).toContain('Fire drill')
    expect(text).toContain('Completed')
  }
  expect((await admin.call(readTraining, { params })).body.asOf).toBeNull()
})

test('the workbook has the sums and states of the matrix', async () => {
  await sent('Fire drill')
  await sent('Ladders')
  const values = await workbook({ sort: 'name' })
  const { body: list } = await admin.call(listTraining, { params })
  const { body: totals } = await admin.call(readTraining, { params })
  const [head, ...rows] = values('People and videos')
  expect(head).toEqual(['Name', 'Email', 'Required', 'Completed', 'Late', 'Fire drill', 'Ladders'])
  expect(rows.map(([, email, required, done, overdue]) => ({ email, required, done, overdue }))).toEqual(
    list.items.map(({ email, required, done, overdue }) => ({ email, required, done, overdue })),
  )
  expect(rows.find(([, , , done]) => done === 2)?.slice(5)).toEqual(['Completed', 'Completed'])
  const about = values('About')
  const figure = (label: string) => about.find(([name]) => name === label)?.[1]
  expect([figure('People'), figure('Required'), figure('Late')]).toEqual([
    totals.people,
    totals.required,
    totals.overdue,
  ])
  expect(figure('Organization')).toBe('Tailspin')
  expect(figure('Videos')).toBe('Those that were sent')
  for (const { label } of trainingMeanings) expect(about.map(([name]) => name)).toContain(label)
})

test('the details have real dates, and nothing that a spreadsheet runs', async () => {
  const before = daysAgo(2).getTime()
  await sent('=1+1')
  const after = daysAgo(2).getTime()
  const [head, ...rows] = (await workbook({ form: 'cells' }))('Each person and video')
  expect(head?.slice(0, 5)).toEqual(['Name', 'Email', 'Video', 'State', 'Assigned (UTC)'])
  const done = rows.find(([, , , state]) => state === 'Completed')
  expect(done?.[2]).toBe('=1+1')
  const assigned = Date.UTC(1899, 11, 30) + Number(done?.[4]) * 86_400_000
  // A spreadsheet counts days, so that a millisecond may be lost.
  expect(assigned).toBeGreaterThanOrEqual(before - 1)
  expect(assigned).toBeLessThanOrEqual(after + 1)
})

test('a wide matrix is printed in blocks, each with its people', async () => {
  for (let n = 10; n < 26; n++) await sent(`Lesson ${n}`)
  const { pages, source } = readPdf((await download({ format: 'pdf', sort: 'name' })).rawPayload)
  const text = pages.join('').replaceAll(/\s+/g, ' ')
  for (let n = 10; n < 26; n++) expect(text).toContain(`Lesson ${n}`)
  expect(text).toContain('Training matrix')
  expect(text).toContain('Completed 16 Passed included')
  expect(text).toContain('about everybody whom the filters find, whatever state they were asked for.')
  // Five columns and sixteen videos: two blocks, and a last one.
  expect(source.match(/\/S \/Table\n/g)).toHaveLength(2)
})

test('names and titles are printed in whatever script they are', async () => {
  await sent('消防訓練 ฝึกซ้อม')
  await query('update users set name = $2 where id = $1', [ann, 'Արմեն Պետրոսյան'])
  const { pages } = readPdf((await download({ format: 'pdf', sort: 'name' })).rawPayload)
  const text = pages.join('').replaceAll(/\s/g, '')
  for (const word of ['消防訓練', 'ฝึกซ้อม', 'ԱրմենՊետրոսյան']) expect(text).toContain(word)
  expect(text).not.toContain('Squarebrackets')
})

test('a groupadmin gets the members of their groups alone', async () => {
  await sent('Fire drill')
  const groupadmin = await server.person('groupadmin', organizationId)
  const own = await addGroup(server, organizationId, [ann, groupadmin.id])
  await query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
    own,
    groupadmin.id,
  ])
  const { body } = await groupadmin.call(listTraining, { params })
  const values = await workbook({}, groupadmin)
  expect(
    values('People and videos')
      .slice(1)
      .map(([, email]) => email),
  ).toEqual(body.items.map(({ email }) => email))
  expect(values('About').map(([label]) => label)).toContain('People in sight')
})

test('other organizations get nothing in any format', async () => {
  const stranger = await server.person('admin', await server.organization())
  for (const format of ['csv', 'xlsx', 'pdf'])
    expect((await download({ format }, stranger)).statusCode).toBe(404)
})
