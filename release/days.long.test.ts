import { rm } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { editAssignment, listAssignments, readAssignment } from '#contract/assignments/assignments.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { releaseSending } from '#contract/transmissions/sending.ts'
import { trainingLetters } from '#contract/matrix/standing.ts'
import { listTraining, readTraining } from '#contract/matrix/training.ts'
import { changeTransmission } from '#contract/transmissions/transmissions.ts'
import { keysOf } from '#server/platform/keys.ts'
import { newPlace } from '#server/testing/backup/backups.ts'
import { movableClock, resetClock, setClock } from '#server/testing/clock.ts'
import { deriveAll } from '#server/testing/derive.ts'
import { planNow } from '#server/testing/planning.ts'
import { openTestServer, secret, type Person, type TestServer } from '#server/testing/server.ts'
import { openSink, type Sink } from '#server/testing/mail/sink.ts'
import { until } from '#server/testing/until.ts'
import { combinations } from '#server/matrix/state.ts'
import { linkHash } from '#server/transmissions/recipients/link.ts'
import { startSending } from '#server/transmissions/sender/send.ts'
import { openFolder } from '../e2e/product.ts'
import { openOlder, type Older } from './older.ts'

const day = 864e5
const root = path.resolve(import.meta.dirname, '..')

let folder: string
let place: Awaited<ReturnType<typeof newPlace>>
let older: Older
let sink: Sink
let server: TestServer
let sending: Awaited<ReturnType<typeof startSending>>
let admin: Person

/** Read before the migration, and compared with what is there after it. */
let before: { messages: Message[]; obligations: Row[]; cells: Cell[] }

type Message = { id: string; subject: string; state: string; dueAt: string | null; owing: number }
type Row = { message: string; person: string; rest: object }
type Cell = { orgId: string; userId: string; videoId: string; bits: number; late: boolean; waived: boolean }

/** What 0.1.0 has left, with messages in states that it has none of, as far as the version before the migration brings it. */
beforeAll(async () => {
  folder = await openFolder()
  place = await newPlace(folder)
  const { DATABASE_URL: url, DATA_DIR: dataDir } = place.environment
  older = await openOlder({ root, version: '0.1.0', before: '0042_one_notion', url })
  const cells = await older.query<Cell>(
    `select organization_id as "orgId", user_id as "userId", video_id as "videoId", bits, late_at <= now() as late, waived_until > now() as waived
      from training_cells order by 1, 2, 3`,
  )
  await addOtherStates(older)
  const messages = await older.query<Message>(
    `select t.id, t.subject, t.state, t.due_at::text as "dueAt", (select count(*)::int from obligations o where o.transmission_id = t.id) as owing
      from transmissions t order by t.id`,
  )
  before = { messages, cells, obligations: await obligationsBy('transmission_id') }
  await older.bringUpToDate()
  await movableClock(url)
  sink = await openSink()
  server = await openTestServer({ ownerUrl: url, dataDir }, { SMTP_URL: sink.url })
  admin = await server.person('superadmin')
  await query(`update sessions set idle_expires_at = '2100-01-01', expires_at = '2100-01-01'`)
  sending = await startSending(server.services)
})
afterAll(async () => {
  resetClock()
  await sending.stop()
  await server.close()
  await sink.close()
  await older.close()
  await place.drop()
  await rm(folder, { recursive: true, force: true })
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await server.services.db.system.query<Row>(text, values)).rows

/** Of each message and person everything but whose it is, and what nobody wrote down before assignments owned it. */
const obligationsBy = (owner: string, from = 'obligations o') =>
  older.query<Row>(
    `select ${owner}::text as message, o.user_id::text as person,
        to_jsonb(o) - '{assignment_id,transmission_id,messages,last_message_at,ending,done_at}'::text[] as rest
      from ${from} where ${owner} is not null order by 1, 2`,
  )

/**
 * Of a second organization: what is not due yet, late, cancelled, without its day again, halted, not begun, not sent, and without a day.
 * A message as `subject | state | days until it is due`, and each delivery as `person state`.
 */
const ofAcme = {
  'Ahead|completed|20': 'open accepted, done accepted, waived accepted, bounced bounced, skipped skipped',
  'Late|completed|-5': 'late accepted, done accepted',
  'Cancelled|completed|9': 'open accepted',
  'Day gone|completed|9': 'open accepted',
  'Halted|paused|9': 'waiting queued, later deferred',
  'Later|scheduled|90': '',
  'Draft|draft|9': '',
  'Asked|pending_approval|9': '',
  'Plain|completed|': 'open accepted',
}
const peopleOfAcme = 'open done waived bounced skipped late waiting later'.split(' ')
let acme: string

async function addOtherStates(to: Older): Promise<void> {
  const write = <Row extends object>(text: string, values: unknown[]) => to.query<Row>(text, values)
  const [made] = await write<{ id: string; videoId: string; versionId: string }>(
    `with o as (insert into organizations (name, slug, time_zone, policies) values ('Acme', 'acme', 'Europe/Berlin', $1) returning id),
      v as (insert into videos (organization_id, title, state) select id, 'Forklifts', 'ready' from o returning id, organization_id),
      r as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select organization_id, id, 1, 'clip.mp4', 1, 60000, now() from v returning id)
      select o.id, v.id as "videoId", r.id as "versionId" from o, v, r`,
    [defaultPolicies],
  )
  acme = made?.id ?? ''
  const video = [acme, made?.videoId, made?.versionId]
  await write('update videos set current_version_id = $2 where id = $1', video.slice(1))
  await write(
    `insert into users (organization_id, name, email) select $1, p, p || '@acme.test' from unnest($2::text[]) p`,
    [acme, peopleOfAcme],
  )
  await write(
    `insert into viewer_videos (organization_id, video_id, version_id, viewer_key, user_id, first_at, last_at, plays, covered_ms, covered_at, completed_at)
      select $1, $2, $3, 'recipient:' || id, id, now() - interval '8 days', now() - interval '8 days', 1, 60000, now() - interval '8 days', now() - interval '8 days'
      from users where organization_id = $1 and name = 'done'`,
    video,
  )
  await write(
    `insert into training_waivers (organization_id, user_id, video_id, reason, given_by_name)
      select $1, id, $2, 'On leave', 'Ada' from users where organization_id = $1 and name = 'waived'`,
    video.slice(0, 2),
  )
  for (const [message, deliveries] of Object.entries(ofAcme)) {
    const [subject, state, dueIn] = message.split('|')
    await write(
      `with t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience, due_at,
            scheduled_at, released_at, prepared_at)
          values ($1, $5, $4, 'Hello', $2, $3, $1, 'Ada', '{"everyone": true}', (current_date + nullif($6, '')::int)::timestamptz - interval '1 ms',
            case when $5 = 'scheduled' then now() + interval '60 days' else now() - interval '10 days' end,
            case when $5 in ('draft', 'pending_approval') then null else now() - interval '10 days' end,
            case when $5 in ('completed', 'paused') then now() - interval '10 days' end) returning id)
        insert into deliveries (transmission_id, organization_id, user_id, address, state, accepted_at)
        select t.id, $1, u.id, u.email, split_part(d, ' ', 2), case when d like '% accepted' then now() - interval '10 days' end
        from t, unnest(string_to_array($7, ', ')) d join users u on u.organization_id = $1 and u.name = split_part(d, ' ', 1)`,
      [...video, subject, state, dueIn, deliveries],
    )
  }
  // Without the links that their mails lead to nothing of what still waits could leave.
  for (const { id } of await to.query<{ id: string }>(
    `select id from deliveries where organization_id = $1 and state in ('queued', 'deferred')`,
    [acme],
  ))
    await write('update deliveries set link_hash = $2 where id = $1', [id, linkHash(keysOf(secret), id)])
  await write(
    `update transmissions set state = 'cancelled' where organization_id = $1 and subject = 'Cancelled'`,
    [acme],
  )
  await write(`update transmissions set due_at = null where organization_id = $1 and subject = 'Day gone'`, [
    acme,
  ])
}

const silent = { daysBefore: [], onTheDay: false, daysAfter: [], weekly: false, most: 0 }

test('each message with a day becomes one assignment without reminders, and obligations differ in nothing but their owner', async () => {
  const found = await older.query<object>(
    `select message_id as "messageId", state, grows, reminders, escalation, validity from assignments order by message_id`,
  )
  const wanted = before.messages.filter(
    ({ state, dueAt, owing }) =>
      owing > 0 || (dueAt !== null && !['draft', 'pending_approval'].includes(state)),
  )
  expect(wanted.length).toBeGreaterThan(12)
  expect(found).toEqual(
    wanted.map(({ id, dueAt, state }) => ({
      messageId: id,
      state: dueAt === null || state === 'cancelled' ? 'ended' : 'active',
      grows: false,
      reminders: silent,
      escalation: null,
      validity: null,
    })),
  )
  const ofAcmeAfter = (await admin.call(listAssignments, { params: { orgId: acme }, query: { limit: 100 } }))
    .body
  expect(
    Object.fromEntries(
      ofAcmeAfter.items.map(({ name, state, people, counts }) => [
        name,
        [state, people, Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))],
      ]),
    ),
  ).toEqual({
    Ahead: ['active', 4, { assigned: 2, done: 1, waived: 1 }],
    Late: ['active', 2, { overdue: 1, done: 1 }],
    Cancelled: ['ended', 1, { ended: 1 }],
    'Day gone': ['ended', 1, { ended: 1 }],
    Halted: ['active', 2, { assigned: 2 }],
    Later: ['active', 0, {}],
  })
  const after = await obligationsBy(
    'a.message_id',
    'obligations o join assignments a on a.id = o.assignment_id',
  )
  expect(after).toEqual(before.obligations)
  // What 0.1.0 did not know: when it was done is what the evidence says, and only of what is.
  expect(
    await query(
      `select 1 from obligations where (done_at is null) = (state = 'done') or (ending is null) = (state = 'ended')`,
    ),
  ).toEqual([])
})

/** As the matrix writes them, one for each person and video that it shows. */
async function lettersOf(orgId: string): Promise<Map<string, string>> {
  const query = { videos: 'any', limit: 100 } as const
  const { items, videoIds } = (await admin.call(listTraining, { params: { orgId }, query })).body
  return new Map(
    items.flatMap(({ id, cells }) => videoIds.map((video, i) => [`${id} ${video}`, cells[i] ?? ''])),
  )
}

test('the training matrix says of everybody what it said before', async () => {
  // Every cell is worked out anew, from the obligations as they are now.
  await older.query(
    `insert into dirty_keys (figure, organization_id) select 'training', id from organizations`,
  )
  await deriveAll(server.services.db)
  const organizations = new Set(before.cells.map(({ orgId }) => orgId))
  const present = new Map<string, string>()
  for (const orgId of organizations)
    for (const [key, letter] of await lettersOf(orgId)) present.set(key, letter)
  const reported = new Map(
    before.cells.map(({ userId, videoId, bits, late, waived }) => {
      const { state } = combinations[bits | (late ? 64 : 0) | (waived ? 32 : 0)] ?? {}
      return [`${userId} ${videoId}`, state ? trainingLetters[state] : '-']
    }),
  )
  expect(reported.size).toBeGreaterThan(100)
  // Who has failed stands in it since 0.2.0; for 0.1.0 they had begun.
  const known = (letter: string | undefined) => (letter === 'f' || letter === 'n' ? 's' : letter)
  for (const [key, letter] of present) expect([key, known(letter)]).toEqual([key, reported.get(key) ?? '-'])
  expect([...reported.values()]).toEqual(expect.arrayContaining(['p', 'c', 'w', 'o']))
  expect([...reported.keys()].filter((key) => !present.has(key))).toEqual([])
  const { counts } = (await admin.call(readTraining, { params: { orgId: acme } })).body
  expect(counts).toEqual({ completed: 1, delivered: 1, assigned: 3, waived: 1, overdue: 1 })
})

/** The machine ran all the time: otherwise it would hold what it finds waiting. */
async function moveClock(days: number): Promise<void> {
  await setClock(server, begun + days * day)
  await query('update sending_guard set spoke_at = now()')
}
const begun = Date.now()

const leaving = `select 1 from transmissions where state in ('preparing', 'sending') or state = 'scheduled' and scheduled_at <= now()`

/** Plans as each minute does, until nothing is on its way any more; who got a mail. */
async function mailed(): Promise<string[]> {
  sink.received.length = 0
  await planNow(server)
  await until(async () => (await query(leaving)).length === 0, 20)
  return sink.received.map(({ to }) => to).toSorted()
}

test('nothing is sent for them, also 30 days later; what is asked for after that is', async () => {
  // What was restored rests until somebody says that nothing of it may have left elsewhere.
  await admin.call(releaseSending, { body: { answer: 'only_off' } })
  expect(await mailed()).toEqual([])
  // What was on its way then still goes to whom it was for; they are reached later than the migration, and reminded as little.
  await resume('Halted')
  expect(await mailed()).toEqual(['later@acme.test', 'waiting@acme.test'])
  const days = []
  for (let ahead = 5; ahead <= 30; ahead += 5) {
    await moveClock(ahead)
    days.push(await mailed())
  }
  expect(days).toEqual(days.map(() => []))
  expect(await query('select 1 from transmissions where assignment_id is not null')).toEqual([])
  expect(await query('select 1 from obligations where next_message_on is not null')).toEqual([])
  // Otherwise that would be as true of a server that can send nothing.
  const owing = await query<{ address: string }>(
    `select distinct u.email as address from obligations o join users u on u.id = o.user_id join assignments a on a.id = o.assignment_id
      where o.state = 'open' and o.messages > 0 and a.state = 'active' and not exists (select from suppressions s where s.address = u.email and s.expires_at > now())
        and not exists (select from training_waivers x where x.user_id = o.user_id and x.video_id = o.video_id and (x.until is null or x.until > now()))
      order by 1`,
  )
  await remindAll()
  await moveClock(38)
  const reminded = await mailed()
  expect(owing.length).toBeGreaterThan(20)
  expect([...new Set(reminded)]).toEqual(owing.map(({ address }) => address))
})

async function resume(subject: string): Promise<void> {
  const [found] = await query<{ id: string; version: number }>(
    'select id, version from transmissions where subject = $1',
    [subject],
  )
  const params = { transmissionId: found?.id ?? '' }
  const body = { action: 'resume', version: found?.version ?? 0 } as const
  const resumed = await admin.call(changeTransmission, { params, body })
  expect([resumed.status, resumed.problem]).toEqual([200, undefined])
}

async function remindAll(): Promise<void> {
  const active = await query<{ orgId: string; assignmentId: string }>(
    `select organization_id as "orgId", id as "assignmentId" from assignments where state = 'active'`,
  )
  for (const params of active) {
    const { name, video, audience, due, subject, message, version } = (
      await admin.call(readAssignment, { params })
    ).body
    const reminders = { ...silent, weekly: true, most: 1 }
    const body = {
      name,
      videoId: video.id,
      audience,
      due,
      subject,
      message,
      version,
      reminders,
      grows: false,
    }
    const edited = await admin.call(editAssignment, {
      params,
      body: { ...body, requirement: 'watched', validity: null, countsSince: null },
    })
    expect([edited.status, edited.problem]).toEqual([200, undefined])
  }
}
