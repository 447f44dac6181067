import * as z from 'zod/mini'
import { row, together, type Database, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { noteDirty, type DerivedFigure } from '../platform/derived/keys.ts'
import { Refusal, refuse } from '../platform/errors.ts'
import { giveRoom, narrowedScope, narrowingOf, type Narrowing, type ReportScope } from './scope.ts'
import { spansOf, type Spans } from './span.ts'

/** What a report reads, as JSON; by another name whenever its form changes, since what was kept is still there after an update. */
export type Reading<T> = { name: string; read: (tx: Tx, scope: ReportScope) => Promise<T> }

/** `asOf`: what has changed since this instant is not in it yet; null: it is as of now. */
export type Read<T> = { found: T; asOf: string | null }

/** What takes longer (milliseconds) is kept, and told as of an instant when it is asked for again and has changed. */
const slowMs = 300
/** What takes longer (milliseconds) is stopped and left to the worker, which takes the time that it needs. */
const mostMs = 2_000
/** The figures of all organizations, among the keys. */
const all = '00000000-0000-0000-0000-000000000000'
/** The key of a reading, whose row names its organization. */
const keysOf = sql`select 'reports', coalesce(organization_id, ${all}), id, null`
/** So many readings of an organization wait at once, and are made again when something has changed; who asks for more waits for these. */
const mostAtOnce = 30
/** An index takes no longer key; that of a group administrator names their groups. */
const longestKey = 2_000

/** By which a reading is found again; `days`: those that go on are named by their first one, and are the same until the next month begins. */
type ReadingKey = [name: string, isBefore: boolean, days: Spans | string, narrowing?: Narrowing]
type KeyedReading = { organizationId: string | null; key: string }

function keyOf(name: string, scope: ReportScope): KeyedReading {
  const { span, spans, organization } = scope
  const days = spans.goesOn ? spans.span.from : spans
  const key: ReadingKey = [name, span !== spans.span, days, narrowingOf(scope)]
  return { organizationId: organization?.id ?? null, key: JSON.stringify(key) }
}

/** Without figures the worker has not come to it yet. */
const KeptReading = z.object({
  id: z.string(),
  figures: z.unknown(),
  asOf: z.nullable(z.string()),
  isDirty: z.boolean(),
})
type KeptReading = z.infer<typeof KeptReading>

function findKept(
  tx: Tx,
  { organizationId, key }: KeyedReading,
  scope: ReportScope,
): Promise<KeptReading | undefined> {
  // What was kept of twelve months yesterday ends yesterday.
  const isShort = scope.spans.goesOn ? sql`f.as_of < date_trunc('day', now(), 'UTC')` : sql`false`
  // Who is in a group, who got a transmission and what lies in a project changes without a key.
  const isNarrowed = Object.keys(narrowingOf(scope)).length > 0
  const isOld = isNarrowed ? sql`f.as_of < now() - interval '1 minute'` : sql`false`
  return row(
    tx,
    KeptReading,
    sql`select f.id, f.figures, ${isoText(sql`f.as_of`)} as "asOf", f.is_dirty or ${isShort} or ${isOld} or exists (select from dirty_keys k
          where k.figure = 'reports' and (f.organization_id is null or k.organization_id = f.organization_id)
            and (k.subject is null or k.subject = f.id)) as "isDirty"
      from report_figures f where f.organization_id is not distinct from ${organizationId}::uuid and f.asked = ${key}`,
  )
}

/** Whatever is read quickly, or goes into a file, is read; nothing is kept of it. */
export async function readOrCached<T>(
  tx: Tx,
  scope: ReportScope,
  { name, read, keepsAfter = slowMs }: Reading<T> & { keepsAfter?: number },
): Promise<Read<T>> {
  const keyed = keyOf(name, scope)
  if (scope.isForGood || keyed.key.length > longestKey) return { found: await read(tx, scope), asOf: null }
  const cached = await findKept(tx, keyed, scope)
  if (cached && cached.figures === null) throw leaveToWorker([keyed])
  if (cached) {
    await keepAsked(tx, cached)
    return { found: cached.figures as T, asOf: cached.isDirty ? cached.asOf : null }
  }
  const began = performance.now()
  const found = await readInTime(tx, () => read(tx, scope)).catch((error: unknown) => {
    const { spans } = scope
    const both = [spans.span, spans.before].map((span) => keyOf(name, { ...scope, span }))
    throw wasStopped(error) ? leaveToWorker(both) : error
  })
  if (performance.now() - began > keepsAfter) await ask(tx, keyed, found)
  return { found, asOf: null }
}

async function readInTime<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  const bound = sql`select set_config('statement_timeout', ${String(mostMs)}, true)`
  const [, found] = await together(tx.execute(bound), read())
  await tx.execute(sql`set local statement_timeout to default`)
  return found
}

function wasStopped(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === '57014'
}

/** What has to be asked of the worker, by the refusal that says so. */
const left = new WeakMap<Refusal, KeyedReading[]>()

function leaveToWorker(readings: KeyedReading[]): Refusal {
  const refusal = refuse('being_worked_out', { retryAfter: 10 })
  left.set(refusal, readings)
  return refusal
}

/** The transaction of a reading that was stopped is undone: the worker is asked in another. */
export async function askingWorker<T>(db: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const readings = error instanceof Refusal ? left.get(error) : undefined
    if (readings)
      await db.as('system', async (tx) => {
        for (const one of readings) await ask(tx, one)
      })
    throw error
  }
}

/** What nobody asks for is not read again, until somebody does. Whoever reads it anew just now is not waited for. */
async function keepAsked(tx: Tx, { id, isDirty }: KeptReading): Promise<void> {
  const asked = sql`asked as (update report_figures set asked_at = now() where id = (select id from report_figures
    where id = ${id} and asked_at < now() - interval '1 minute' for update skip locked) returning id, organization_id)`
  await noteDirty(tx, sql`${keysOf} from asked where ${isDirty}`, asked)
}

/**
 * The worker reads it, in the order of changes. Figures that are given are dirty: they may be older than a change whose key was taken
 * already. Of what it has been asked for already the worker is reminded once a minute.
 */
async function ask(tx: Tx, { organizationId, key }: KeyedReading, figures?: unknown): Promise<void> {
  const [known, asOf] =
    figures === undefined
      ? [sql`null::jsonb`, sql`null::timestamptz`]
      : [sql`${JSON.stringify(figures)}::jsonb`, sql`now()`]
  const asked = sql`asked as (insert into report_figures as f (organization_id, asked, figures, as_of)
      select ${organizationId}::uuid, ${key}::text, ${known}, ${asOf} where ${mostAtOnce} > (select count(*) from report_figures w
        where w.organization_id is not distinct from ${organizationId}::uuid and w.figures is null and w.asked <> ${key})
      on conflict (organization_id, asked) do update set asked_at = now() where f.asked_at < now() - interval '1 minute'
      returning id, organization_id)`
  await noteDirty(tx, sql`${keysOf} from asked`, asked)
}

const StoredKey = z.object({ organizationId: z.nullable(z.string()), key: z.string() })

/** A key of an organization says that something has changed in it; one with a subject, that this reading has to be made again. */
export function reportFigures(readings: readonly Reading<unknown>[]): DerivedFigure {
  const byName = new Map(readings.map((reading) => [reading.name, reading]))
  return {
    name: 'reports',
    bySubject: true,
    lock: 'reportFigures',
    // Every key of a place says the same.
    most: 1,
    collapses: true,
    restMs: 5_000,
    recompute: (tx, { organizationId, subject }) =>
      subject === null ? spread(tx, organizationId) : readAgain(tx, subject, byName),
  }
}

/** To the readings of an organization and those of all; one that nobody asked for within the hour stays as it is until somebody does. */
async function spread(tx: Tx, organizationId: string): Promise<void> {
  await tx.execute(sql`delete from report_figures where asked_at < now() - interval '7 days'`)
  const dirty = sql`dirty as (update report_figures set is_dirty = true where organization_id = ${organizationId} or organization_id is null
    returning id, organization_id, asked_at)`
  const asked = sql`asked_at > now() - interval '1 hour' order by asked_at desc limit ${mostAtOnce}`
  await noteDirty(tx, sql`${keysOf} from dirty where ${asked}`, dirty)
}

/** Each reading is a transaction of its own: long ones hold up neither each other nor what was done already. */
async function readAgain(tx: Tx, id: string, byName: ReadonlyMap<string, Reading<unknown>>): Promise<void> {
  const stored = await row(
    tx,
    StoredKey,
    sql`select organization_id as "organizationId", asked as key from report_figures where id = ${id}`,
  )
  if (!stored) return
  // Keys that were written before reports were kept narrowed name no narrowing: they are of everybody.
  const [name, isBefore, days, narrowing = {}] = JSON.parse(stored.key) as ReadingKey
  const spans = typeof days === 'string' ? spansOf({ period: '12m' }, new Date()) : days
  const scope = narrowedScope({ organizationId: stored.organizationId, narrowing, isBefore }, spans)
  await giveRoom(tx)
  const reading = byName.get(name)
  // Nobody asks any more for what an earlier version kept.
  if (!reading) return void (await tx.execute(sql`delete from report_figures where id = ${id}`))
  const figures = await reading.read(tx, scope)
  await tx.execute(sql`update report_figures set figures = ${JSON.stringify(figures)}::jsonb, as_of = now(), is_dirty = false
    where id = ${id}`)
}

/** The oldest instant of several readings. */
export function oldest(...instants: readonly (string | null)[]): string | null {
  return instants.filter((at) => at !== null).toSorted()[0] ?? null
}
