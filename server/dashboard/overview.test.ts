import { expect, test } from 'vitest'
import type { AlertKind } from '#contract/platform/alerts.ts'
import { readDashboardAlerts, readDashboardWork } from '#contract/dashboard.ts'
import { readOrganizationOverview } from '#contract/directory/overview.ts'
import { addGroup, addPeople, addVideo } from '../testing/audience.ts'
import type { Person } from '../testing/server.ts'
import { aServer, anOrganization } from '../testing/worlds.ts'

const server = await aServer()

let orgId: string
let admin: Person

const query = (text: string, values: unknown[] = []) => server.services.db.system.query(text, values)
const overview = async (by: Person, id = orgId) =>
  (await by.call(readOrganizationOverview, { params: { orgId: id } })).body
async function attention(by: Person) {
  const { items } = (await by.call(readDashboardAlerts)).body
  return Object.fromEntries(
    items.map(({ kind, count, samples }) => [kind, { count, names: samples.map(({ name }) => name) }]),
  ) as Partial<Record<AlertKind, { count: number; names: string[] }>>
}

test('begins with nothing to look after, and shows nobody a foreign organization', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Empty'))
  expect(await overview(admin)).toEqual({
    people: {
      total: 1,
      byState: { active: 1, invited: 0, disabled: 0 },
      admins: 1,
      groupadmins: 0,
      added: { now: 1, before: 0 },
    },
    messages: { now: 0, before: 0 },
    watchedMs: { now: 0, before: 0 },
    newest: [],
  })
  expect(await attention(admin)).toEqual({})
  const foreign = await server.person('admin', await server.organization('Foreign'))
  expect((await foreign.call(readOrganizationOverview, { params: { orgId } })).status).toBe(404)
  const superadmin = await server.person('superadmin')
  expect((await overview(superadmin)).people.total).toBe(1)
  const nowhere = { orgId: crypto.randomUUID() }
  expect((await superadmin.call(readOrganizationOverview, { params: nowhere })).status).toBe(404)
})

test('counts people by state and role, and what was added before', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Counted'))
  await server.person('groupadmin', orgId)
  const ids = await addPeople(server, orgId, { count: 6 })
  await query(`update users set state = 'disabled' where id = any($1)`, [ids.slice(0, 2)])
  await query(`update users set created_at = now() - interval '40 days' where id = any($1)`, [
    ids.slice(0, 3),
  ])
  await query(`update users set deleted_at = now(), state = 'deleted' where id = $1`, [ids[5]])
  const { people } = await overview(admin)
  expect(people).toEqual({
    total: 7,
    byState: { active: 5, invited: 0, disabled: 2 },
    admins: 1,
    groupadmins: 1,
    added: { now: 4, before: 3 },
  })
})

async function transmission(state: string, counts: Record<string, number>, reason: string | null = null) {
  const video = await addVideo(server, orgId, 'Drill')
  const made = await query(
    `insert into transmissions (organization_id, state, state_reason, subject, body, video_id, version_id, sender_id, sender_name, audience, audience_total)
      select $1, $2, $3, 'About ' || $2, 'b', v.id, v.current_version_id, $4, 'S', '{"userIds":[],"groupIds":[],"everyone":true}', 9
      from videos v where v.id = $5 returning id`,
    [orgId, state, reason, admin.id, video],
  )
  const { id } = made.rows[0] as { id: string }
  for (const [name, n] of Object.entries(counts))
    await query(
      `insert into transmission_counts (transmission_id, organization_id, state, n) values ($1, $2, $3, $4)
        on conflict (transmission_id, state) do update set n = excluded.n`,
      [id, orgId, name, n],
    )
  return { id, video }
}

test('says what is under way and how far it has come, and what the product has paused', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Sending'))
  const { id } = await transmission('sending', { accepted: 4, queued: 2, rejected: 1, skipped: 2 })
  await transmission('completed', { accepted: 3, bounced: 1 })
  await transmission('paused', { queued: 9 }, 'organization_closed')
  await transmission('cancelled', { cancelled: 9 })
  const { messages } = await overview(admin)
  const inFlight = (await admin.call(readDashboardWork)).body.transmissions
  expect(inFlight.total).toBe(2)
  expect(inFlight.items.find((one) => one.id === id)).toMatchObject({
    state: 'sending',
    audienceTotal: 7,
    sent: 4,
    troubled: 1,
    dropped: 2,
    opened: 0,
    completed: 0,
  })
  expect(messages).toEqual({ now: 7 + 4 + 9 + 9, before: 0 })
  expect(await attention(admin)).toEqual({
    paused_transmissions: { count: 1, names: ['About paused'] },
    returned_messages: { count: 2, names: ['About completed', 'About sending'] },
  })
})

test('says for how many people something waits for approval, before its list is made', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Asking'))
  const { id } = await transmission('pending_approval', {})
  await query('update transmissions set audience_total = 0 where id = $1', [id])
  await query(
    `insert into transmission_approvals (organization_id, transmission_id, content_rev, audience_hash, asked_by, asked_for)
      values ($1, $2, 1, '', $3, 116)`,
    [orgId, id, admin.id],
  )
  const inFlight = (await admin.call(readDashboardWork)).body.transmissions
  expect(inFlight.items).toMatchObject([{ id, state: 'pending_approval', audienceTotal: 116, sent: 0 }])
})

test('lists what needs attention, each as soon as it does and not before', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Neglected'))
  const groupadmin = await server.person('groupadmin', orgId)
  const [member = '', loner = '', gone = ''] = await addPeople(server, orgId, { count: 3 })
  const led = await addGroup(server, orgId, [member, groupadmin.id])
  await query('update group_members set groupadmin = true where user_id = $1', [groupadmin.id])
  const unled = await addGroup(server, orgId, [member])
  await query(`update groups set name = 'Unled' where id = $1`, [unled])
  await query('update users set name = $2 where id = $1', [loner, 'Lone Some'])
  await query(`update users set state = 'disabled' where id = $1`, [gone])
  const dormant = await server.person('admin', orgId)
  await query(`update users set name = 'Dor Mant', last_seen_at = now() - interval '91 days' where id = $1`, [
    dormant.id,
  ])
  await query(`update users set last_seen_at = now() - interval '89 days' where id = $1`, [groupadmin.id])
  type Invited = { email: string; days: number; groups: string[]; mail: string }
  const invite = ({ email, days, groups, mail }: Invited) =>
    query(
      `with m as (insert into mails (organization_id, address, subject, text, state) values ($1, $2, 's', 't', $5) returning id)
        insert into invitations (organization_id, email, role, group_ids, token_hash, invited_by_name, mail_id, expires_at)
        select $1, $2, 'groupadmin', $4, sha256(convert_to($2, 'utf8')), 'I', m.id, now() + make_interval(days => $3) from m`,
      [orgId, email, days, groups, mail],
    )
  await invite({ email: 'soon@example.test', days: 1, groups: [led], mail: 'sent' })
  await invite({ email: 'later@example.test', days: 5, groups: [led], mail: 'sent' })
  await invite({ email: 'foreign@example.test', days: 1, groups: [unled], mail: 'sent' })
  await invite({ email: 'failed@example.test', days: 5, groups: [led], mail: 'failed' })
  await invite({ email: 'over@example.test', days: -1, groups: [led], mail: 'failed' })
  await query(
    `insert into suppressions (organization_id, address, reason) select organization_id, email, 'no_such_mailbox' from users
      where id = any($1)`,
    [[member, loner]],
  )
  const found = await attention(admin)
  expect(found).toMatchObject({
    failed_mails: { count: 2, names: [] },
    failed_invitations: { count: 1, names: ['failed@example.test'] },
    expiring_invitations: { count: 2, names: ['foreign@example.test', 'soon@example.test'] },
    dormant_admins: { count: 1, names: ['Dor Mant'] },
    groups_without_groupadmin: { count: 1, names: ['Unled'] },
    barred_addresses: { count: 2 },
    people_without_group: { count: 1, names: ['Lone Some'] },
  })
  expect(Object.keys(found)).toEqual([
    'failed_mails',
    'failed_invitations',
    'expiring_invitations',
    'dormant_admins',
    'groups_without_groupadmin',
    'barred_addresses',
    'people_without_group',
  ])

  // A groupadmin: the same of the own group, and nothing that is not theirs to see.
  expect(await attention(groupadmin)).toMatchObject({
    failed_invitations: { count: 1, names: ['failed@example.test'] },
    expiring_invitations: { count: 1, names: ['soon@example.test'] },
    barred_addresses: { count: 1, names: ['Guest 1'] },
  })
  expect(Object.keys(await attention(groupadmin))).toHaveLength(3)
  expect((await overview(groupadmin)).people).toMatchObject({ total: 2, admins: 0, groupadmins: 1 })

  // Who has no groupadmins at all does not miss them.
  await query(`update users set role = null where id = $1`, [groupadmin.id])
  expect(await attention(admin)).not.toHaveProperty('groups_without_groupadmin')
})

test('shows who watched last, a groupadmin only the own people', async () => {
  ;({ orgId, admin } = await anOrganization(server, 'Watching'))
  const groupadmin = await server.person('groupadmin', orgId)
  const [mine = '', other = ''] = await addPeople(server, orgId, { count: 2, prefix: 'viewer' })
  await addGroup(server, orgId, [mine, groupadmin.id])
  await query('update group_members set groupadmin = true where user_id = $1', [groupadmin.id])
  const video = await addVideo(server, orgId, 'Seen')
  const watched = (key: string, userId: string | null, coveredMs: number) =>
    query(
      `insert into viewer_videos (version_id, viewer_key, organization_id, video_id, user_id, covered_ms, first_at, last_at, completed_at)
        select current_version_id, $2, organization_id, id, $3, $4::int, now(), now(), case when $4::int > 55000 then now() end
        from videos where id = $1`,
      [video, key, userId, coveredMs],
    )
  await watched('recipient:a', mine, 60_000)
  await watched('recipient:b', other, 15_000)
  await watched('visitor:c', null, 6_000)
  const seen = (await overview(admin)).newest.map(({ user, share, isCompleted }) => [
    user?.name,
    share,
    isCompleted,
  ])
  expect(seen.toSorted((a, b) => Number(b[1]) - Number(a[1]))).toEqual([
    ['Viewer 1', 1, true],
    ['Viewer 2', 0.25, false],
    [undefined, 0.1, false],
  ])
  expect((await overview(groupadmin)).newest.map(({ user }) => user?.name)).toEqual(['Viewer 1'])
})
