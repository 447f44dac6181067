import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGroup, listGroups } from '#contract/directory/groups.ts'
import { listMembers } from '#contract/directory/members.ts'
import { createOrganization, listOrganizations } from '#contract/directory/organizations.ts'
import { createUser, listUsers } from '#contract/directory/users.ts'
import { createProject, createVideo, listProjects, listVideos } from '#contract/videos/videos.ts'
import { migrateDatabase } from './platform/db/migrate.ts'
import { addressesOf } from './platform/db/roles.ts'
import { installJobs } from './platform/jobs/queue.ts'
import { openTestServer, type Person, type TestServer } from './testing/server.ts'
import { administer, withDatabase } from './testing/setup.ts'

const names = readFileSync(new URL('directory/cases/sort-names.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const more = ['İzmir', 'ısparta', 'Ärger', 'zebra', 'ÉTÉ', 'Ørsted']
const inOrder = 'alpha Ärger Azur Éclair ÉTÉ ısparta İzmir Öl Ørsted Übergabe zebra Zulu'.split(' ')

// What no locale was said for would be in the order of the database: these are as far from one another as can be.
describe.each([
  ['of its own', `locale_provider builtin builtin_locale 'C.UTF-8'`],
  ['that knows only ASCII', `locale_provider builtin builtin_locale 'C'`],
  ['of Turkey', `locale_provider icu icu_locale 'tr-TR'`],
])('in a database with a locale %s', (_what, locale) => {
  let server: TestServer
  let owner: Person
  let orgId: string
  let folder: string
  const name = `names_${crypto.randomUUID().slice(0, 8)}`
  const main = process.env['SENDREEL_TEST_SERVER'] ?? ''

  beforeAll(async () => {
    await administer(main, `create database ${name} template template0 encoding 'UTF8' ${locale}`)
    const ownerUrl = withDatabase(main, name)
    await migrateDatabase(addressesOf({ databaseUrl: ownerUrl }), installJobs)
    folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-names-'))
    server = await openTestServer({ ownerUrl, dataDir: folder })
    owner = await server.person('superadmin', null)
    orgId = await server.organization('AAA')
  })
  afterAll(async () => {
    await server.close()
    await administer(main, `drop database ${name} with (force)`)
    await rm(folder, { recursive: true, force: true })
  })

  type Page = { items: readonly object[]; next: string | null }

  /** All pages of two, forwards. */
  async function walked(first: Page): Promise<string[]> {
    const titles = first.items.map(
      (one) => ('title' in one ? one.title : 'name' in one ? one.name : '') as string,
    )
    if (first.next === null) return titles
    return [...titles, ...(await walked((await owner.send('GET', first.next)).body as Page))]
  }

  test('every list of names is in the order in which people read them, page by page', async () => {
    const params = { orgId }
    const groupIds: string[] = []
    for (const one of [...names, ...more]) {
      groupIds.push((await owner.call(createGroup, { params, body: { name: one } })).body.id)
      await owner.call(createProject, { body: { name: one, organizationId: orgId } })
      await owner.call(createOrganization, { body: { name: one } })
      const video = { title: one, fileName: 'a.mp4', size: 10, organizationId: orgId }
      expect((await owner.call(createVideo, { body: video })).problem).toBeUndefined()
    }
    for (const [n, one] of [...names, ...more].entries()) {
      const body = { name: one, email: `n${n}@example.test`, groupIds: groupIds.slice(0, 1) }
      await owner.call(createUser, { params, body })
    }
    const query = { limit: 2 }
    const lists = {
      people: (await owner.call(listUsers, { params, query })).body,
      members: (await owner.call(listMembers, { params: { orgId, groupId: groupIds[0] ?? '' }, query })).body,
      groups: (await owner.call(listGroups, { params, query })).body,
      projects: (await owner.call(listProjects, { query: { ...query, organizationId: orgId } })).body,
      videos: (await owner.call(listVideos, { query: { ...query, organizationId: orgId, sort: 'title' } }))
        .body,
      organizations: (await owner.call(listOrganizations, { query: { ...query, sort: 'name' } })).body,
    }
    for (const [list, page] of Object.entries(lists))
      expect([list, ...(await walked(page)).filter((one) => one !== 'AAA')]).toEqual([list, ...inOrder])
  })
})

test('no statement puts names into an order of its own', () => {
  const own = /(?:order by[^`\n]*|by: sql`)lower\((?:coalesce\()?(?:\w+\.)?(?:name|title|subject)\b/
  const files = globSync('server/**/*.ts', { cwd: new URL('..', import.meta.url) }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  const found = files.flatMap((file) => {
    const lines = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split('\n')
    return lines
      .filter((line) => own.test(line) && !line.includes('${called('))
      .map((line) => `${file}: ${line.trim()}`)
  })
  expect(found).toEqual([])
})
