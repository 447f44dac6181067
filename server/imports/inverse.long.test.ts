import { expect, test } from 'vitest'
import { createField } from '#contract/directory/fields.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { createUser } from '#contract/directory/users.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const drawn = 1_000

/** The same in every run; written down when a run fails. */
const seed = 35

/** mulberry32: small, and good enough to draw by. */
function drawing(start: number) {
  let state = start
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    const once = Math.imul(state ^ (state >>> 15), 1 | state)
    const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once
    return ((twice ^ (twice >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  const of = <T>(all: readonly T[]): T => all[below(all.length)] as T
  return { below, of }
}

/** What divides, quotes, begins a formula or looks like a blank, beside letters of many scripts. */
const pieces = [
  ...Array.from(`;|,"'=+-@#&~()[]{}/\\:.!?%`),
  '; ',
  ' | ',
  '""',
  "'=",
  '＝',
  '−',
  '\u00A0',
  '  ',
  '\u3000',
  '\u200B',
  '\u200D',
  ...'a Z ö ß İ ı Σ ς Ж 李 田 ع א ไ 한 😀 e\u0301 0 1.250 3/4/2026 ﬁ'.split(' '),
]
const { below, of } = drawing(seed)
const textOf = (most: number) =>
  Array.from({ length: 1 + below(most) }, () => of(pieces))
    .join('')
    .trim()
const manyOf = (text: string) => text.replaceAll(' | ', () => of([' | ', '\n', '\r\n', '\t']))

/** Without two that the database takes for one. */
async function distinct(count: number, most: number): Promise<string[]> {
  const found = new Map<string, string>()
  while (found.size < count) {
    const text = textOf(most)
    if (/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) found.set(text.toLowerCase().toUpperCase().toLowerCase(), text)
  }
  const rows = await server.query<{ text: string }>(
    'select distinct on (lower(t)) t as text from unnest($1::text[]) t',
    [[...found.values()]],
  )
  return rows.map(({ text }) => text)
}

/** What is of the file of one organization alone: when somebody was added and used the console. */
const withoutDays = (file: string) => file.replaceAll(/,[^,\r\n]*,[^,\r\n]*(?=\r\n)/g, '')

test(`an export of ${drawn} drawn groups, names and fields comes back byte by byte`, async () => {
  const groups = await distinct(drawn, 8)
  const labels = (await distinct(40, 4)).slice(0, 29)
  const options = (await distinct(60, 5)).slice(0, 50)
  const fields = [
    ...labels.map((label, n) => ({ label, type: of(['text', 'number', 'date'] as const), options: [], n })),
    { label: 'Email', type: 'choice' as const, options, n: 29 },
  ]
  const [from, to] = [orgId, await server.organization()]
  const there = await server.person('admin', to)
  const keys: { key: string; type: string }[] = []
  for (const { n: _n, ...body } of fields) {
    const made = await admin.call(createField, { params: { orgId: from }, body })
    expect([body.label, made.problem]).toEqual([body.label, undefined])
    keys.push(made.body)
    await there.call(createField, { params: { orgId: to }, body })
  }
  const groupIds: string[] = []
  for (const name of groups) {
    const made = await admin.call(createGroup, { params: { orgId: from }, body: { name } })
    expect([name, made.problem]).toEqual([name, undefined])
    groupIds.push(made.body.id)
  }
  const valueOf = (type: string) => {
    if (type === 'number') return of(['1250', '1.25', '1.125', '-0.5', '1000.123', '7.5'])
    if (type === 'date') return of(['2026-03-04', '2026-12-31', '1999-01-02'])
    return type === 'choice' ? of(options) : manyOf(textOf(12))
  }
  for (const n of groups.keys()) {
    const filled = keys.filter(() => below(3) === 0)
    const body = {
      name: textOf(10) || 'x',
      email: `n${n}+${of(['a', 'b#', 'c&d', 'e~'])}@drawn.test`,
      phone: of([null, '+49 30 1', '=1+1', '0049', textOf(5).slice(0, 50)]),
      externalId: of([null, `${n}-${textOf(4)}`]),
      language: of([null, 'de' as const, 'en' as const]),
      timeZone: of([null, 'Europe/Berlin', 'Asia/Tokyo']),
      groupIds: [...new Set([groupIds[n] ?? '', ...Array.from({ length: below(4) }, () => of(groupIds))])],
      customFields: Object.fromEntries(filled.map(({ key, type }) => [key, valueOf(type)])),
    }
    const made = await admin.call(createUser, { params: { orgId: from }, body })
    expect([body, made.problem]).toEqual([body, undefined])
  }

  const exportOf = async (who: Person, id: string) => {
    const { body } = await who.send('GET', `/api/organizations/${id}/users/export?q=drawn.test`)
    return typeof body === 'string' ? body : ''
  }
  const file = await exportOf(admin, from)

  const here = importing(() => ({ server, orgId: from, admin }))
  const same = await here.rehearsed(file)
  expect([same.counts, same.warned, same.missingGroups]).toEqual([{ unchanged: drawn }, 0, []])

  const elsewhere = importing(() => ({ server, orgId: to, admin: there }))
  const moved = await elsewhere.rehearsed(file, { createGroups: true })
  expect([moved.counts, moved.warned]).toEqual([{ created: drawn }, 0])
  await elsewhere.run(moved.id)
  expect(withoutDays(await exportOf(there, to))).toBe(withoutDays(file))
})
