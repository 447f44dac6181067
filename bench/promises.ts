import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { login } from '#contract/auth.ts'
import { clientOf, passphrase } from '../e2e/client.ts'
import { connect } from '#server/platform/db/client.ts'
import { entered } from '#server/testing/entered.ts'
import { erasePerson } from '#server/evidence/privacy/erase.ts'
import { aggregateOnce } from '../server/testing/aggregate.ts'
import { rebuild } from '#server/evidence/rebuild/rebuild.ts'
import { audienceOf, dayCount, organizationId, videoIds } from './audience.ts'
import { addVideos, dayOf, writeDay } from './aggregate.ts'
import { budgeted, type Figure } from './figures.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { startProgram } from './program.ts'

const day = 86_400_000
const email = 'keeper@example.test'
const child = path.resolve(import.meta.dirname, 'promises-child.ts')
/** Milliseconds after which the deletion is killed, each time. */
const killedAfter = [1_500, 2_500, 4_000]

/**
 * What an organization with much viewing asks of privacy: its raw evidence as a file, everything about one person, deletion by age
 * that is killed again and again, recording only completions, erasing one person. Totals are compared before and after.
 */
export async function promises(options: { sessions: number }): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    await fill(database, options.sessions)
    return [...(await exports(database)), ...(await deletions(database))]
  } finally {
    await database.close()
  }
}

async function fill(database: BenchDatabase, sessions: number): Promise<void> {
  const db = connect(database.url, { max: 4 })
  const audience = audienceOf(sessions, Math.floor(Date.now() / day) * day)
  await db.system.query(
    `select add_track_day((now() at time zone 'UTC')::date - n) from generate_series(0, $1::int) n`,
    [dayCount],
  )
  await addVideos(database)
  const days = new Map<string, number[]>()
  for (let viewer = 0; viewer < audience.viewers; viewer++)
    for (const date of new Set(audience.sessionsOf(viewer).map(({ claims }) => dayOf(claims.iat))))
      days.set(date, [...(days.get(date) ?? []), viewer])
  for (const [n, [date, viewers]] of [...days].toSorted(([a], [b]) => (a < b ? -1 : 1)).entries()) {
    const there = viewers.flatMap((viewer) => audience.sessionsOf(viewer))
    const own = there.filter(({ claims }) => dayOf(claims.iat) === date)
    await writeDay(
      db,
      own.flatMap((session) => audience.batchesOf(session)),
    )
    if (n % 15 === 14) await aggregateOnce(db)
  }
  await aggregateOnce(db)
  await database.query(
    `insert into served_parts (session_id, organization_id, video_id, version_id, viewer_key, parts, first_at, last_at)
      select id, organization_id, video_id, version_id, viewer_key, coverage, started_at, last_at from play_sessions`,
  )
  await database.query('vacuum analyze')
  await db.close()
}

async function addPeople(database: BenchDatabase): Promise<void> {
  await database.query(
    `insert into users (id, organization_id, name, email, role, state)
      select distinct substr(viewer_key, 11)::uuid, organization_id, 'Somebody', substr(viewer_key, 11) || '@example.test', null::text, 'active'
      from play_sessions where viewer_key like 'recipient:%'`,
  )
}

async function exports(database: BenchDatabase): Promise<Figure[]> {
  const passwordFile = path.join(database.dataDir, 'password')
  await writeFile(passwordFile, passphrase)
  const product = await startProgram(
    'server/main.ts',
    { DATABASE_URL: database.url, DATA_DIR: path.join(database.dataDir, 'product') },
    ['--superadmin', email, '--password-file', passwordFile],
  )
  try {
    await addPeople(database)
    const body = { identifier: email, password: passphrase }
    const { token } = entered(await clientOf(product.url, '').call(login, { body }))
    const [busiest] = await database.query<{ id: string }>(
      `select substr(viewer_key, 11) as id from play_sessions where viewer_key like 'recipient:%'
        group by 1 order by count(*) desc, 1 limit 1`,
    )
    const at = `${product.url}/api/organizations/${organizationId}`
    const person = await download(product.pid, `${at}/users/${busiest?.id ?? ''}/data-export`, token)
    const csv = await download(product.pid, `${at}/evidence/export`, token)
    const xapi = await download(product.pid, `${at}/evidence/export?format=xapi`, token)
    const workload = 'promises'
    return [
      budgeted(workload, 'everything about one person', [person.ms, 1_000, 'ms']),
      { workload, what: 'raw evidence as CSV', unit: 'MB', ours: csv.bytes / 1e6 },
      { workload, what: 'raw evidence as CSV', unit: 'ms', ours: csv.ms },
      budgeted(workload, 'memory that CSV takes beyond an idle server', [csv.grown / 1e6, 100, 'MB']),
      { workload, what: 'raw evidence as xAPI', unit: 'MB', ours: xapi.bytes / 1e6 },
      { workload, what: 'raw evidence as xAPI', unit: 'ms', ours: xapi.ms },
      budgeted(workload, 'memory that xAPI takes beyond an idle server', [xapi.grown / 1e6, 100, 'MB']),
    ]
  } finally {
    await product.stop()
  }
}

/** Reads to the end and keeps nothing; how far the server's memory has grown meanwhile. */
async function download(pid: number, url: string, token: string) {
  await pause(3_000)
  const idle = residentOf(pid)
  let most = idle
  const watcher = setInterval(() => {
    most = Math.max(most, residentOf(pid))
  }, 50)
  const began = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok || !answer.body) throw new Error(`${url}: ${answer.status}`)
  let bytes = 0
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
  clearInterval(watcher)
  return { ms: performance.now() - began, bytes, grown: most - idle }
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_000
}

async function deletions(database: BenchDatabase): Promise<Figure[]> {
  const workload = 'promises'
  const before = await totalsOf(database)
  const db = connect(database.url, { max: 2 })
  try {
    const [one] = await database.query<{ id: string }>(
      `select substr(viewer_key, 11) as id from play_sessions where viewer_key like 'recipient:%'
        group by 1 order by count(*) desc, 1 desc limit 1`,
    )
    await setPolicies(database, { retentionMonths: 1 })
    const due = `select count(*)::int as n from play_sessions where last_at < ((now() at time zone 'UTC')::date - interval '1 month') at time zone 'UTC'`
    const expired = await countOf(database, due)
    const killed: number[] = []
    const began = performance.now()
    for (const ms of killedAfter) {
      await deleteUntil(database, ms)
      killed.push(expired - (await countOf(database, due)))
    }
    await deleteUntil(database, 3_600_000)
    const ms = performance.now() - began
    if ((await countOf(database, due)) > 0) throw new Error('what is too old is still there')
    if ((await totalsOf(database)) !== before) throw new Error('deletion by age changed totals')
    await proveSums(db)
    console.log(`  ${expired} sessions deleted by age; after each kill ${killed.join(', ')} were gone`)
    const erasing = { organizationId, userId: one?.id ?? '' }
    const erased = performance.now()
    await db.as({ organizationId }, (tx) => erasePerson(tx, erasing))
    const erasedMs = performance.now() - erased
    await proveSums(db)
    await setPolicies(database, { retentionMonths: 1, trackingMode: 'completed_only' })
    const open = await countOf(database, 'select count(*)::int as n from play_sessions')
    const kept = await totalsOf(database)
    const wiping = performance.now()
    await deleteUntil(database, 3_000)
    await deleteUntil(database, 3_600_000)
    const wiped = open - (await countOf(database, 'select count(*)::int as n from play_sessions'))
    if ((await totalsOf(database)) !== kept) throw new Error('wiping changed totals')
    const wipedMs = performance.now() - wiping
    return [
      budgeted(workload, 'a session deleted by age, three kills on the way', [ms / expired, 5, 'ms']),
      { workload, what: `${expired} sessions deleted by age`, unit: 'ms', ours: ms },
      { workload, what: 'the evidence of one person erased', unit: 'ms', ours: erasedMs },
      budgeted(workload, 'a session wiped where only completions are kept', [wipedMs / wiped, 5, 'ms']),
    ]
  } finally {
    await db.close()
  }
}

const setPolicies = (database: BenchDatabase, policies: object) =>
  database.query('update organizations set policies = $1::jsonb', [JSON.stringify(policies)])

async function countOf(database: BenchDatabase, text: string): Promise<number> {
  return (await database.query<{ n: number }>(text))[0]?.n ?? 0
}

/** In a process of its own, which is killed when it is not through by then. */
async function deleteUntil(database: BenchDatabase, ms: number): Promise<void> {
  const deleting = spawn(process.execPath, [child], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const timer = setTimeout(() => deleting.kill('SIGKILL'), ms)
  const [code] = (await once(deleting, 'exit')) as [number | null]
  clearTimeout(timer)
  if (code !== 0 && code !== null) throw new Error(`deleting broke with ${code}`)
}

/** Everything that is told of all people together, and who has completed: none of it may change. */
async function totalsOf(database: BenchDatabase): Promise<string> {
  const found = await database.query<{ sum: string }>(
    `select md5(string_agg(line, '|' order by line)) as sum from (
      select d::text as line from day_rollups d union all select h::text from video_heat h union all select h::text from video_heat_days h
      union all select version_id || ' ' || viewer_key || ' ' || date_trunc('day', completed_at, 'UTC') from viewer_videos where completed_at is not null
      union all select day || ' ' || video_id || ' ' || sum(sessions) || ' ' || sum(plays) || ' ' || sum(watch_ms) from viewer_days
        group by day, video_id) lines`,
  )
  return found[0]?.sum ?? ''
}

async function proveSums(db: ReturnType<typeof connect>): Promise<void> {
  const { differences } = await rebuild(db, videoIds[0] ?? '')
  if (differences.length > 0) throw new Error(`a rebuild finds other sums: ${JSON.stringify(differences)}`)
}
