import * as z from 'zod/mini'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import type { DerivedFigure } from '../platform/derived/keys.ts'
import { giveRoom, wholeScope, isOnEverybody, type ReportScope } from './scope.ts'
import { spansOf, type Spans } from './span.ts'

/** What a report reads of everybody, as JSON. */
export type Reading<T> = { name: string; read: (tx: Tx, scope: ReportScope) => Promise<T> }

/** `asOf`: what has changed since this instant is not in it yet; null: it is as of now. */
export type Read<T> = { found: T; asOf: string | null }

/** What takes longer (milliseconds) is kept, and told as of an instant when it is asked for again and has changed. */
const slow = 300
/** The figures of all organizations, among the keys. */
const all = '00000000-0000-0000-0000-000000000000'

/** The figures are those of the reading whose name is asked for. */
const Kept = z.object({ id: z.string(), figures: z.unknown(), asOf: z.string(), isDirty: z.boolean() })

type Asked = [name: string, isBefore: boolean, days: Spans | string]

/** Which days are meant. Of those that go on, the first one: so they are the same tomorrow, until the next month begins. */
function askedOf(name: string, { span, spans }: ReportScope): string {
  const asked: Asked = [name, span !== spans.span, spans.goesOn ? spans.span.from : spans]
  return JSON.stringify(asked)
}

/** Whatever is read quickly, or goes into a file, is read; nothing is kept of it. */
export async function readOrCached<T>(
  tx: Tx,
  scope: ReportScope,
  { name, read, slowMs = slow }: Reading<T> & { slowMs?: number },
): Promise<Read<T>> {
  if (scope.isForGood || !isOnEverybody(scope)) return { found: await read(tx, scope), asOf: null }
  const organizationId = scope.organization?.id ?? null
  const asked = askedOf(name, scope)
  // What was kept of twelve months yesterday ends yesterday.
  const isShort = scope.spans.goesOn ? sql`f.as_of < date_trunc('day', now(), 'UTC')` : sql`false`
  const kept = await row(
    tx,
    Kept,
    sql`select f.id, f.figures, ${isoText(sql`f.as_of`)} as "asOf", f.is_dirty or ${isShort} or exists (select from dirty_keys k where k.figure = 'reports'
          and (f.organization_id is null or k.organization_id = f.organization_id)) as "isDirty"
      from report_figures f where f.organization_id is not distinct from ${organizationId}::uuid and f.asked = ${asked} and f.figures is not null`,
  )
  if (kept) {
    await keepAsked(tx, kept)
    return { found: kept.figures as T, asOf: kept.isDirty ? kept.asOf : null }
  }
  const began = performance.now()
  const found = await read(tx, scope)
  if (performance.now() - began > slowMs) await askFor(tx, organizationId, asked)
  return { found, asOf: null }
}

/** What nobody asks for is not read again, until somebody does. Whoever reads it anew just now is not waited for. */
async function keepAsked(tx: Tx, { id, isDirty }: { id: string; isDirty: boolean }): Promise<void> {
  await tx.execute(sql`with asked as (update report_figures set asked_at = now() where id = (select id from report_figures
      where id = ${id} and asked_at < now() - interval '1 minute' for update skip locked) returning organization_id)
    insert into dirty_keys (figure, organization_id) select 'reports', coalesce(organization_id, ${all}) from asked where ${isDirty}`)
}

/** The worker reads it, in the order of changes: what is read here may be older than a change whose key was taken already. */
async function askFor(tx: Tx, organizationId: string | null, asked: string): Promise<void> {
  await tx.execute(sql`with asked as (insert into report_figures (organization_id, asked) values (${organizationId}, ${asked})
      on conflict do nothing)
    insert into dirty_keys (figure, organization_id) values ('reports', ${organizationId ?? all})`)
}

const Found = z.object({ id: z.string(), organizationId: z.nullable(z.string()), asked: z.string() })

/** Of an organization, with those of all organizations. What was not asked for within the hour stays as it is until it is. */
export function reportFigures(readings: readonly Reading<unknown>[]): DerivedFigure {
  const byName = new Map(readings.map((reading) => [reading.name, reading]))
  return {
    name: 'reports',
    bySubject: false,
    lock: 'reportFigures',
    // Every key says the same.
    most: 1,
    collapses: true,
    restMs: 10_000,
    async recompute(tx, { organizationId }) {
      await giveRoom(tx)
      await tx.execute(sql`delete from report_figures where asked_at < now() - interval '7 days'`)
      const found = await rows(
        tx,
        Found,
        sql`with dirty as (update report_figures set is_dirty = true where organization_id = ${organizationId} or organization_id is null
            returning id, organization_id, asked, asked_at)
          select id, organization_id as "organizationId", asked from dirty where asked_at > now() - interval '1 hour' order by id`,
      )
      for (const { id, organizationId: of, asked } of found) {
        const [name, isBefore, days] = JSON.parse(asked) as Asked
        const spans = typeof days === 'string' ? spansOf({ period: '12m' }, new Date()) : days
        const figures = await byName
          .get(name)
          ?.read(tx, wholeScope(of, isBefore ? spans.before : spans.span, spans))
        await tx.execute(sql`update report_figures set figures = ${JSON.stringify(figures)}::jsonb, as_of = now(), is_dirty = false
          where id = ${id}`)
      }
    },
  }
}

/** The oldest instant of several readings. */
export function oldest(...instants: readonly (string | null)[]): string | null {
  return instants.filter((at) => at !== null).toSorted()[0] ?? null
}
