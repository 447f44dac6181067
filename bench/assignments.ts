import { defaultPolicies } from '#contract/organizations.ts'
import { connect, type Database } from '#server/platform/db/client.ts'
import { randomToken, sha256 } from '#server/platform/keys.ts'
import { planAssignments } from '#server/assignments/plan.ts'
import { bound, percentile, type Figure } from './figures.ts'
import { addPeople, startBenchDatabase, type BenchDatabase } from './database.ts'
import { fire, requestOf } from './load.ts'
import { cpuSeconds, startProgram, type Program } from './program.ts'

const workload = 'assignments'
const size = { people: 100_000, assignments: 20 }
const rounds = 20
const warmUps = 3

/** An organization in which everybody owes twenty videos: what a look at all of it costs, what the messages of a day do, and its pages. */
export async function assignments(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  const db = connect(database.url, { max: 1 })
  try {
    const { organizationId, token } = await seed(database)
    const begun = await cpuOf(database, () => planAll(database, db))
    await fillOthers(database)
    const looked = await cpuOf(database, () => planAll(database, db, false))
    const [sent] = await database.query<{ n: number }>(
      `select count(*)::int as n from obligation_messages where kind = 'reminder'`,
    )
    const quiet = await cpuOf(database, () => planAll(database, db))
    const line = { workload, unit: 's' } as const
    return [
      { ...line, what: 'obliging everybody to see a first video, CPU', ours: begun },
      {
        ...line,
        what: `planning the messages of a day (${sent?.n} of them), CPU`,
        ours: looked,
        target: bound(10),
      },
      { ...line, what: 'a look at all when nothing has changed, CPU', ours: quiet, target: bound(3) },
      ...(await asking(database, organizationId, token)),
    ]
  } finally {
    await db.close()
    await database.close()
  }
}

/** The others: seven of ten are done, and a sixth of the rest has a message today. */
async function fillOthers(database: BenchDatabase): Promise<void> {
  await database.query(`delete from obligations`)
  const [all] = await database.query<{ ids: string[] }>('select array_agg(id) as ids from assignments')
  for (const id of all?.ids ?? [])
    await database.query(
      `insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, due_at, counted, messages, state, done_at,
          next_message_on)
        select a.organization_id, a.id, u.id, a.video_id, now(), now() + interval '10 days', true, 1,
          case when luck < 70 then 'done' else 'open' end, case when luck < 70 then now() end,
          case when luck >= 95 then current_date - 1 when luck >= 70 then current_date + 3 end
        from assignments a join users u on u.organization_id = a.organization_id
          cross join lateral (select abs(hashtext(u.id::text || a.id)) % 100 as luck) c where a.id = $1`,
      [id],
    )
  await database.query(`update videos set state = 'ready'`)
  await database.query(`update assignments set planned_at = now(), state = 'active'`)
  await database.query('vacuum analyze')
}

async function cpuOf(database: BenchDatabase, work: () => Promise<void>): Promise<number> {
  const own = process.cpuUsage()
  const before = cpuSeconds(database.pid)
  await work()
  const { user, system } = process.cpuUsage(own)
  return cpuSeconds(database.pid) - before + (user + system) / 1e6
}

/** Until nothing is due any more; `isWhole`: audiences too, as when a minute has passed. */
async function planAll(database: BenchDatabase, db: Database, isWhole = true): Promise<void> {
  if (isWhole) await database.query('update assignments set planned_at = null')
  for (;;) {
    await planAssignments({ db })
    const [left] = await database.query<{ n: number }>(
      `select 1 as n where exists (select from obligations o join videos v on v.id = o.video_id and v.state = 'ready'
          where o.state = 'open' and o.counted and o.next_message_on < current_date)
        or exists (select from obligations where not counted) or exists (select from assignments where planned_at is null and state = 'active')`,
    )
    if (!left) return
  }
}

async function asking(database: BenchDatabase, organizationId: string, token: string): Promise<Figure[]> {
  const environment = { DATABASE_URL: database.url, DATA_DIR: database.dataDir, RUN: 'api' }
  const program = await startProgram('server/main.ts', environment)
  const [first] = await database.query<{ id: string }>('select id from assignments order by id limit 1')
  const base = `/api/organizations/${organizationId}/assignments`
  const figures: Figure[] = []
  for (const [what, address] of [
    ['the list of assignments', base],
    ['the people of one', `${base}/${first?.id}/people?limit=50`],
    ['those overdue', `${base}/${first?.id}/people?limit=50&state=overdue`],
  ] as const) {
    const request = requestOf(`GET ${address}`, { authorization: `Bearer ${token}` })
    const ask = (n: number) =>
      fire({ url: program.url, connections: 1, requests: Array.from({ length: n }, () => request) })
    await ask(warmUps)
    const { latencies } = await ask(rounds)
    const ours = percentile(latencies, 0.5)
    figures.push({ workload, what: `${what}, median`, unit: 'ms', ours, target: bound(300) })
  }
  const presses = { database, program, token, address: `${base}/${first?.id}` }
  figures.push(...(await pressing(presses)))
  await program.stop()
  return figures
}

type Presses = { database: BenchDatabase; program: Program; token: string; address: string }

/** What one press of an administrator does to everybody, who all owe it and had their first message. */
async function pressing({ database, program, token, address }: Presses): Promise<Figure[]> {
  await database.query(
    `update obligations set state = 'open', messages = 1, next_message_on = current_date + 3
      where assignment_id = (select id from assignments order by id limit 1)`,
  )
  await database.query('vacuum analyze obligations')
  const press = async (path: string, body: object) => {
    const before = cpuSeconds(database.pid) + cpuSeconds(program.pid)
    const authorization = `Bearer ${token}`
    const request = requestOf(`POST ${address}/${path}`, { authorization }, JSON.stringify(body))
    await fire({ url: program.url, connections: 1, requests: [request] })
    return cpuSeconds(database.pid) + cpuSeconds(program.pid) - before
  }
  const [content] = await database.query<object>(
    `select name, video_id as "videoId", audience, requirement, validity, null as "countsSince", reminders, subject, message, version
      from assignments order by id limit 1`,
  )
  const due = { kind: 'after', days: 20, working: true }
  const moved = await press('content', { ...content, due })
  const [left] = await database.query<{ version: number }>(
    `select version from assignments where version > 1`,
  )
  const ended = await press('actions', { action: 'end', version: left?.version })
  const line = { workload, unit: 's' } as const
  return [
    { ...line, what: 'moving the day of everybody in one, CPU', ours: moved, target: bound(5) },
    { ...line, what: 'ending one that everybody owes, CPU', ours: ended, target: bound(5) },
  ]
}

async function seed(database: BenchDatabase): Promise<{ organizationId: string; token: string }> {
  const token = `sr_${randomToken()}`
  const [made] = await database.query<{ id: string }>(
    `with o as (insert into organizations (name, slug, policies) values ('Acme', 'acme', $1) returning id),
      u as (insert into users (organization_id, name, email, role) select id, 'Ada', 'ada@acme.test', 'admin' from o returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr)
        select id, $2, now() + interval '1 day', now() + interval '1 day', now(), '{pwd}' from u)
    select id from o`,
    [defaultPolicies, sha256(token)],
  )
  const organizationId = made?.id ?? ''
  await addPeople(database, organizationId, size.people)
  const reminders = { daysBefore: [3], onTheDay: true, daysAfter: [2], weekly: true, most: 5 }
  const audience = { userIds: [], groupIds: [], everyone: true, exceptGroupIds: [], exceptUserIds: [] }
  await database.query(
    `with v as (insert into videos (organization_id, title, state)
        select $1::uuid, 'Lesson ' || n, 'processing' from generate_series(1, $2::int) n returning id, title),
      r as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select $1, id, 1, 'lesson.mp4', 1, 60000, now() from v returning id, video_id)
    insert into assignments (organization_id, name, state, started_at, video_id, audience, requirement, due, reminders, subject, message,
        created_by, created_by_name)
      select $1, v.title, case when row_number() over (order by v.id) = 1 then 'active' else 'paused' end, now(), v.id, $3, 'watched', '{"kind": "after", "days": 10, "working": false}', $4, 'Please watch', 'Hello',
        (select id from users where organization_id = $1 and role = 'admin'), 'Ada' from v`,
    [organizationId, size.assignments, audience, reminders],
  )
  await database.query(
    `update videos v set current_version_id = r.id from video_versions r where r.video_id = v.id`,
  )
  await database.query('vacuum analyze')
  return { organizationId, token }
}
