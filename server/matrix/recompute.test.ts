import { expect, test } from 'vitest'
import { drain } from '../platform/derived/keys.ts'
import { addPeople } from '../testing/audience.ts'
import { addDelivery, addVideo } from '../testing/viewing/viewing.ts'
import { aServer } from '../testing/worlds.ts'
import { trainingCells } from './recompute.ts'

const settle = () => drain(server.services.db, trainingCells)

const server = await aServer()
const { query } = server
const organizationId = await server.organization()
const people = await addPeople(server, organizationId, { count: 4 })
const videos = [
  await addVideo(server, { organizationId, title: 'Alarm' }),
  await addVideo(server, { organizationId, title: 'Breaks' }),
]
for (const video of videos)
  for (const userId of people.slice(1)) await addDelivery(server, { organizationId, ...video, userId })
await settle()

const cells = () =>
  query('select user_id, video_id, bits, late_at, waived_until, expires_at from training_cells order by 1, 2')

/** Of which no key tells: one cell too many, and the others of the video wrong. */
const spoil = (videoId: string | undefined) =>
  query(
    `with wrong as (update training_cells set bits = bits # 4 where video_id = $2)
      insert into training_cells values ($1, $3, $2, 1, 'infinity', '-infinity')`,
    [organizationId, videoId, people[0]],
  )

const mark = (n: number, videoId: string | undefined) =>
  query(
    `insert into dirty_keys (figure, organization_id, subject, person) select 'training', $1, $2, $3 from generate_series(1, $4::int)`,
    [organizationId, videoId, people[1], n],
  )

test('everybody is looked at once where more keys wait than are worked out together', async () => {
  const [video, other] = videos
  const right = await cells()
  expect(right).toHaveLength(6)

  await spoil(video?.videoId)
  await mark(10_100, video?.videoId)
  await settle()
  expect(await cells()).toEqual(right)

  await spoil(other?.videoId)
  await mark(10_100, video?.videoId)
  await settle()
  expect(await cells()).not.toEqual(right)
  await mark(10_100, video?.videoId)
  await mark(1, other?.videoId)
  await settle()
  expect(await cells()).toEqual(right)
  expect(await query('select 1 from dirty_keys where organization_id = $1', [organizationId])).toEqual([])
})
