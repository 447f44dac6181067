import { expect, test } from 'vitest'
import { exportPersonData, personDataParts } from '#contract/evidence/privacy.ts'
import { addAudience } from '../../testing/viewing/evidence.ts'
import { aggregateOnce } from '../../testing/viewing/aggregate.ts'
import { aServer, anOrganization, setPolicies } from '../../testing/worlds.ts'

const server = await aServer()

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)

async function fileOf(trackingMode: 'full' | 'completed_only' = 'full') {
  const { orgId, admin } = await anOrganization(server)
  const { userIds, claims } = await addAudience(server, orgId, { seed: 3, people: 3 })
  const [userId = '', other = ''] = userIds
  await aggregateOnce(server.services.db)
  await setPolicies(server, orgId, { trackingMode })
  const answer = await admin.send('GET', `/api/organizations/${orgId}/users/${userId}/data-export`)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-disposition']).toContain(`person-${userId}`)
  const sessions = claims.filter(({ viewerKey }) => viewerKey.endsWith(userId))
  return {
    orgId,
    admin,
    userId,
    other,
    sessions,
    file: answer.body as Record<string, Record<string, unknown>[]>,
  }
}

test('holds everything about one person, with what each part means, and nothing about another', async () => {
  const { file, userId, other, sessions, orgId } = await fileOf()
  expect(Object.keys(file)).toEqual(['exportedAt', 'meaning', 'withheld', ...Object.keys(personDataParts)])
  expect(file['withheld']).toBeNull()
  expect(file['profile']).toMatchObject([{ id: userId }])
  expect(file['sessions']?.map(({ id }) => id).toSorted()).toEqual(
    sessions.map(({ session }) => session).toSorted(),
  )
  expect(file['sessions']?.every(({ spans }) => Array.isArray(spans) && spans.length > 0)).toBe(true)
  expect(file['videos']).toHaveLength(1)
  expect(file['messages']).toMatchObject([{ subject: 'Please watch' }])
  expect(JSON.stringify(file)).not.toContain(other)
  const logged = await query(
    `select 1 from audit where action = 'user.data_exported' and entity_id = $1 and organization_id = $2`,
    [userId, orgId],
  )
  expect(logged.rows).toHaveLength(1)
})

test('tells an administrator nothing finer than completions where only these are recorded, and says so', async () => {
  const { file } = await fileOf('completed_only')
  expect(file['sessions']).toEqual([])
  expect(JSON.stringify(file)).not.toMatch(/"(coverage|coveredMs|watchMs|openedAt|firstPlayAt|completedAt)":/)
  expect(JSON.stringify(file['withheld'])).toContain('only who completed')
})

test('is refused for somebody of another organization', async () => {
  const { admin, orgId } = await fileOf()
  const { userId } = await fileOf()
  expect((await admin.call(exportPersonData, { params: { orgId, userId } })).status).toBe(404)
})
