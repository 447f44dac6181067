import { expect, test } from 'vitest'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { drain } from '../platform/derived/keys.ts'
import { addGroup } from '../testing/audience.ts'
import { trueMatrix } from '../testing/matrix.ts'
import { dayPasses } from '../testing/day-passes.ts'
import type { Person } from '../testing/server.ts'
import { addAskedVideo, trainingHistory, type AskedVideo } from '../testing/viewing/training-history.ts'
import { chance } from '../testing/viewing/viewers.ts'
import { aServer } from '../testing/worlds.ts'
import { trainingCells } from './recompute.ts'

const server = await aServer()
const { query } = server

type Turn = { shifts: number; at: string; of: Map<Person, Awaited<ReturnType<typeof trueMatrix>>> }

/** Who stands where, by person and video, without what nobody knows anything of. */
const known = (lines: readonly { name: string; cells: string }[], titles: readonly string[]) =>
  Object.fromEntries(
    lines.flatMap(({ name, cells }) =>
      titles.flatMap((title, at) => (cells[at] === '-' ? [] : [[`${name}: ${title}`, cells[at]]])),
    ),
  )

test.each([61, 62, 63, 64])(
  'the end of each day reads as all evidence said then, whatever has become of it since (%i)',
  async (seed) => {
    const orgId = await server.organization()
    await query(`update organizations set matrix_since = now() - interval '100 days' where id = $1`, [orgId])
    const admin = await server.person('admin', orgId)
    const groupadmin = await server.person('groupadmin', orgId)
    const made = await query<{ id: string }>(
      `insert into users (organization_id, name, email) select $1::uuid, 'Guest ' || lpad(n::text, 2, '0'), 'guest-' || n || '@' || $1::uuid || '.test'
        from generate_series(1, 8) n returning id`,
      [orgId],
    )
    const people = made.map(({ id }) => id)
    const members = new Set([...people.slice(0, 4), groupadmin.id])
    const groupId = await addGroup(server, orgId, [...members])
    await query('update group_members set groupadmin = true where group_id = $1 and user_id = $2', [
      groupId,
      groupadmin.id,
    ])
    const rules = { passRequired: true, passMark: 0.5, attempts: 2 }
    const videos: AskedVideo[] = []
    for (const title of ['Alarm', 'Breaks', 'Cranes'])
      videos.push(await addAskedVideo(server, { organizationId: orgId, title, rules }))
    const happen = trainingHistory({ query, orgId, people, videos }, seed)
    const { between } = chance(seed + 1_000)
    const turns: Turn[] = []
    for (let turn = 0; turn < 12; turn++) {
      for (let n = between(2, 7); n > 0; n--) await happen()
      await drain(server.services.db, trainingCells)
      const truths = new Map([
        [admin, await trueMatrix(query, orgId, { any: true })],
        [groupadmin, await trueMatrix(query, orgId, { whose: members, any: true })],
      ])
      const [clock] = await query<{ at: string }>(`select now()::text as at`)
      turns.push({ shifts: turn, at: clock?.at ?? '', of: truths })
      await dayPasses(server, orgId)
    }
    await drain(server.services.db, trainingCells)
    for (const { shifts, at, of } of turns) {
      const [day] = await query<{ on: string }>(
        `select (($2::timestamptz at time zone time_zone)::date - $3::int)::text as on from organizations where id = $1`,
        [orgId, at, turns.length - shifts],
      )
      for (const [reader, truth] of of) {
        const asked = { params: { orgId }, query: { videos: 'any', on: day?.on ?? '' } as const }
        const totals = (await reader.call(readTraining, asked)).body
        const titles = totals.videos.map(({ title }) => title)
        const { items } = (
          await reader.call(listTraining, { ...asked, query: { ...asked.query, limit: 50 } })
        ).body
        const truly = known(
          truth.lines,
          truth.videos.map(({ title }) => title),
        )
        expect([seed, shifts, known(items, titles)]).toEqual([seed, shifts, truly])
        const sums = (lines: readonly { required: number; done: number; overdue: number }[]) =>
          (['required', 'done', 'overdue'] as const).map((of) => lines.reduce((sum, one) => sum + one[of], 0))
        expect([seed, shifts, sums(totals.videos), sums(items)]).toEqual([
          seed,
          shifts,
          sums(truth.lines),
          sums(truth.lines),
        ])
      }
    }
  },
)
