import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { changeUsers } from '#contract/directory/bulk.ts'
import { createGroup } from '#contract/directory/groups.ts'
import { readOperation, undoOperation } from '#contract/operations.ts'
import { changeTransmissions } from '#contract/videos/record-bulk.ts'
import { addPeople, addVideo } from '../testing/audience.ts'
import { endOf } from '../testing/operations.ts'
import { workersOf } from '../testing/processes/workers.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const workers = workersOf(() => server)
const server = await aServer()
afterAll(async () => {
  workers.killAll()
})

const count = async (text: string, values: unknown[]) =>
  (await server.query<{ n: number }>(text, values))[0]?.n

test('loses no row and does none twice, however often a worker is killed on the way there and back', async () => {
  const { orgId, admin } = await anOrganization(server)
  await addPeople(server, orgId, { count: 6_000 })
  const group = await admin.call(createGroup, { params: { orgId }, body: { name: 'All' } })
  const groupId = group.body.id
  const begun = await admin.call(changeUsers, {
    params: { orgId },
    body: {
      selection: { filter: { role: 'none' }, exceptIds: [], expected: 6_000 },
      do: { action: 'add_to_group', groupId },
    },
  })
  const operationId = begun.body.id
  const killed: number[] = []
  const read = async () => (await admin.call(readOperation, { params: { operationId } })).body
  /** However fast or slow the machine is: some rows are done, and hardly all of them. */
  const progress = async () => {
    const { done } = await read()
    for (let tries = 0; tries < 2_000 && (await read()).done === done; tries += 1) await pause(5)
  }
  const harass = async ({ midway }: { midway: boolean }) => {
    for (let kills = 0; kills < 4; kills += 1) {
      const child = await workers.start()
      if (midway && kills === 0) await progress()
      else await pause(100 + Math.random() * 300)
      await workers.kill(child)
      killed.push((await read()).done)
    }
    const last = await workers.start()
    const ended = await endOf(admin, operationId, 120)
    await workers.kill(last)
    return ended
  }
  expect(await harass({ midway: true })).toMatchObject({
    state: 'done',
    counts: { changed: 6_000 },
    done: 6_000,
  })
  const added = `select count(*)::int as n from membership_log where group_id = $1 and change = 'added'`
  expect(await count(added, [groupId])).toBe(6_000)
  const members = `select (member_count + (select coalesce(sum(n), 0) from count_changes where subject = g.id))::int as n from groups g where id = $1`
  expect(await count(members, [groupId])).toBe(6_000)
  const logged = `select sum(jsonb_array_length(after->'userIds'))::int as n from audit where entity_id = $1 and action = 'group.members_added'`
  expect(await count(logged, [groupId])).toBe(6_000)
  await admin.call(undoOperation, { params: { operationId } })
  expect(await harass({ midway: false })).toMatchObject({ state: 'undone', undoCounts: { undone: 6_000 } })
  expect(await count(members, [groupId])).toBe(0)
  expect(killed.some((done) => done > 0 && done < 6_000)).toBe(true)
})

test('cancels each transmission once, however often a worker is killed', async () => {
  const { orgId, admin } = await anOrganization(server)
  await server.query(
    `insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
      select organization_id, 'draft', 'T ' || n, 'b', id, current_version_id, $2, 'S', '{}' from videos, generate_series(1, 1000) n
      where id = $1`,
    [await addVideo(server, orgId), admin.id],
  )
  const begun = await admin.call(changeTransmissions, {
    params: { orgId },
    body: { selection: { filter: {}, exceptIds: [], expected: 1_000 }, do: { action: 'cancel' } },
  })
  const operationId = begun.body.id
  const read = async () => (await admin.call(readOperation, { params: { operationId } })).body
  for (const enough of [100, 400]) {
    const child = await workers.start()
    for (let tries = 0; tries < 2_000 && (await read()).done < enough; tries += 1) await pause(5)
    await workers.kill(child)
  }
  const last = await workers.start()
  expect(await endOf(admin, operationId, 120)).toMatchObject({ state: 'done', counts: { changed: 1_000 } })
  await workers.kill(last)
  const entries = `select count(*)::int as n from audit where organization_id = $1 and action = 'transmission.cancelled'`
  expect(await count(entries, [orgId])).toBe(1_000)
  expect(
    await count('select max(version)::int as n from transmissions where organization_id = $1', [orgId]),
  ).toBe(2)
})
