import {
  reportSubjects,
  type ReportQuery,
  type ReportStep,
  type ReportSubject,
} from '#contract/reports/report-scope.ts'
import * as z from 'zod/mini'
import { arrayOf, row, together, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { all, planForValues } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import type { Caller } from '../platform/http/bearer.ts'
import { seesUser } from '../platform/http/visibility.ts'
import { discreetOrganizations, showsPersons } from '../directory/organizations/privacy.ts'
import { qualityOf } from '../tracking/quality.ts'
import { daysBetween, daysOf, addDays, spansOf, stepOfDay, type Span, type Spans } from './span.ts'
import { findSubjects, NamedSubject, type Visibility, type Subjects } from './subjects.ts'
import { isToRecipient } from '../deliveries.ts'

/** What a report stands on: whose rows it may count, and of which days. */
export type ReportScope = {
  /** Null: all organizations, for superadmins only. */
  organization: NamedSubject | null
  /** A groupadmin counts the members of these groups only. */
  groupIds: readonly string[] | undefined
  subjects: Subjects
  /** The days that are counted, and the steps of the plot into which they fall. */
  span: Span
  steps: ReadonlyMap<string, string>
  /** What is compared with what. */
  spans: Spans
  /** Whose days are counted: those of UTC, and in a mail those of the zone in which its hour was chosen. */
  timeZone: string
  /** A file or a mail: nobody looks at it again, so its figures are as of now. */
  isForGood?: true
}

/** Left out: UTC. */
export type Zoned<Query> = Query & { timeZone?: string }
type ReportQueryOutput = Zoned<z.output<typeof ReportQuery>>
type Reader = Pick<Caller, 'organizationId' | 'role' | 'groupIds'>

/**
 * Refuses another organization than one's own, and what is not (or not any more) there or out of sight, with `not_found`. A report
 * on one subject is a report on its organization.
 */
export async function scopeOf(tx: Tx, caller: Reader, asked: ReportQueryOutput): Promise<ReportScope> {
  const visibility = await visibilityFor(tx, caller, asked.organizationId)
  const { subjects, owner } = await findSubjects(tx, visibility, asked)
  const organization = visibility.organization ?? (owner === null ? null : await organizationOf(tx, owner))
  const { groupIds } = visibility
  const spans = spansOf(asked, new Date())
  await giveRoom(tx)
  const { timeZone = 'UTC' } = asked
  const scope = { organization, groupIds, subjects, spans, span: spans.span, timeZone }
  return { ...scope, steps: stepsIn(spans.span, spans) }
}

/** What a caller sees; refuses another organization than one's own, and one that is not there, with `not_found`. */
export async function visibilityFor(tx: Tx, caller: Reader, asked: string | undefined): Promise<Visibility> {
  const wanted = caller.organizationId ?? asked
  if (asked !== undefined && asked !== wanted) throw refuse('not_found')
  const groupIds = caller.role === 'groupadmin' ? caller.groupIds : undefined
  return { organization: wanted === undefined ? null : await organizationOf(tx, wanted), groupIds }
}

/**
 * Counting distinct people takes more memory than ordinary statements have; spilt to the disk, it takes several times as long. And
 * each statement is planned for its own days: the one plan for all, to which the database turns when a connection has planned the same
 * five times, expects a handful of rows from any period, and loops over those of a year.
 */
export async function giveRoom(tx: Tx): Promise<void> {
  await together(planForValues(tx), tx.execute(sql`set local work_mem = '32MB'`))
}

/** A file is waited for longer than a page, and nobody waits for a mail: ten minutes, as the browser does. */
export async function giveTime(tx: Tx): Promise<void> {
  await tx.execute(sql`set local statement_timeout = '10min'`)
}

async function organizationOf(tx: Tx, id: string): Promise<NamedSubject> {
  const found = await row(
    tx,
    NamedSubject,
    sql`select id, name from organizations where id = ${id} and deleted_at is null`,
  )
  if (!found) throw refuse('not_found')
  return found
}

/** The step of the plot of each counted day. A day of the period before has that of the day that is as far into the period. */
function stepsIn(counted: Span, { span, unit }: Spans): ReadonlyMap<string, string> {
  const later = daysBetween(counted.from, span.from)
  return new Map(daysOf(counted).map((day) => [day, stepOfDay(addDays(day, later), unit)]))
}

/** To whom and to what a report is narrowed, by ids; empty where it is on everybody. */
export type Narrowing = { groupIds?: readonly string[] } & Partial<Record<ReportSubject, string>>

export function narrowingOf({ groupIds, subjects }: ReportScope): Narrowing {
  const chosen = reportSubjects.flatMap((kind) => (subjects[kind] ? [[kind, subjects[kind].id]] : []))
  return { ...(groupIds && { groupIds: groupIds.toSorted() }), ...Object.fromEntries(chosen) }
}

type StoredScope = { organizationId: string | null; narrowing: Narrowing; isBefore: boolean }

/** The scope that is narrowed so, without names. */
export function narrowedScope(
  { organizationId, narrowing, isBefore }: StoredScope,
  spans: Spans,
): ReportScope {
  const unnamed = (id: string | null | undefined) => (id ? { id, name: '' } : null)
  const { groupIds, group, project, video, transmission } = narrowing
  const subjects = {
    group: unnamed(group),
    project: unnamed(project),
    video: unnamed(video),
    transmission: unnamed(transmission),
  }
  const scope = {
    organization: unnamed(organizationId),
    groupIds,
    subjects,
    spans,
    span: spans.span,
    timeZone: 'UTC',
  }
  const whole = { ...scope, steps: stepsIn(spans.span, spans) }
  return isBefore ? earlier(whole) : whole
}

/** The same figures of the period before. */
function earlier(scope: ReportScope): ReportScope {
  const span = scope.spans.before
  return { ...scope, span, steps: stepsIn(span, scope.spans) }
}

/** Reads the period, and the one before in the same flush. */
export function compared<Found>(scope: ReportScope, read: (scope: ReportScope) => Promise<Found>) {
  return together(read(scope), read(earlier(scope)))
}

type Paired<T> = { [K in keyof T]: { value: T[K]; before: T[K] } }

/** Each figure with what it was before. */
export function paired<T extends Record<string, number | null>>(now: T, before: T): Paired<T> {
  const entries = Object.keys(now).map((name) => [name, { value: now[name], before: before[name] }])
  return Object.fromEntries(entries) as Paired<T>
}

export const untold = { value: null, before: null }

export const DayCount = z.object({ day: z.string(), n: z.number() })
export type DayCount = z.infer<typeof DayCount>

/** Every step of the period, with 0 where nothing was counted. `day` is one of the days of a step, or the step itself. */
export function stepsOf(
  scope: ReportScope,
  now: readonly DayCount[],
  before: readonly DayCount[],
): ReportStep[] {
  const steps = stepList(scope)
  const [values, former] = [summed(scope, now), summed(earlier(scope), before)]
  return steps.map((day) => ({ day, value: values.get(day) ?? 0, before: former.get(day) ?? 0 }))
}

type Days<Name extends string> = readonly (Record<Name, number> & { day: string })[]

/** The same of several counts, by their names. */
export function seriesOf<Name extends string>(
  scope: ReportScope,
  [now, before]: readonly [Days<Name>, Days<Name>],
  names: readonly Name[],
): Record<Name, ReportStep[]> {
  const counted = (days: Days<Name>, name: Name) => days.map((one) => ({ day: one.day, n: one[name] }))
  const entries = names.map((name) => [name, stepsOf(scope, counted(now, name), counted(before, name))])
  return Object.fromEntries(entries) as Record<Name, ReportStep[]>
}

function summed({ steps }: ReportScope, counted: readonly DayCount[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { day, n } of counted) {
    const step = steps.get(day) ?? day
    sums.set(step, (sums.get(step) ?? 0) + n)
  }
  return sums
}

/** What every report says of itself. `asOf`: changes since this instant are not in it yet. */
export async function headOf(
  tx: Tx,
  { organization, subjects, spans }: ReportScope,
  asOf: string | null = null,
) {
  const { span, before, unit } = spans
  const isVisible = organization === null || (await tellsPersons(tx, organization.id))
  const quality = isVisible
    ? await qualityOf(tx, {
        organizationId: organization?.id,
        videos: (column) => ofVideos(subjects, column),
        ...span,
      })
    : null
  return { organization, subjects, range: { ...span, unit, before }, quality, asOf }
}

const TellsPersonsRow = z.object({ tells: z.boolean() })

async function tellsPersons(tx: Tx, organizationId: string): Promise<boolean> {
  const found = await row(
    tx,
    TellsPersonsRow,
    sql`select ${showsPersons(sql`${organizationId}::uuid`)} as tells`,
  )
  return found?.tells ?? false
}

/** Condition on a column with the organization: what single persons of it watched may be shown. */
export function shows(scope: ReportScope, column: SQL): SQL {
  return scope.organization
    ? showsPersons(sql`${scope.organization.id}::uuid`)
    : sql`${column} not in ${discreetOrganizations}`
}

/** Condition: sums of how people watched may be told; over all organizations, of those that allow it. */
export function toldOf(scope: ReportScope): SQL {
  return scope.organization ? shows(scope, sql`null`) : sql`true`
}

/** Condition on a column with the organization. */
export function owned({ organization }: Pick<ReportScope, 'organization'>, column: SQL): SQL {
  if (organization) return sql`${column} = ${organization.id}`
  // Leaving out the few that are gone keeps the planner's estimates right, which picking all the others does not.
  return sql`${column} is not null and ${column} not in (select id from organizations where deleted_at is not null)`
}

/** Condition on a column with a person: in sight, and in the group that is asked about. Nothing to add for who sees everybody. */
export function members({ groupIds, organization, subjects }: ReportScope, userId: SQL): SQL | undefined {
  const inSight = organization ? seesUser({ organizationId: organization.id, groupIds }, userId) : undefined
  if (!subjects.group) return inSight
  return all([
    inSight,
    sql`exists (select 1 from group_members chosen where chosen.user_id = ${userId} and chosen.group_id = ${subjects.group.id})`,
  ])
}

/** The same, and a recipient of the transmission that is asked about. */
export function persons(scope: ReportScope, userId: SQL): SQL | undefined {
  const { transmission } = scope.subjects
  const received =
    transmission &&
    sql`exists (select 1 from deliveries got where got.user_id = ${userId} and got.transmission_id = ${transmission.id} and ${isToRecipient('got')})`
  const inGroups = members(scope, userId)
  return received ? all([inGroups, received]) : inGroups
}

/** Rows of `id`: the people for whom `persons` holds; undefined where that is everybody. */
export function personSet(scope: ReportScope): SQL | undefined {
  const { groupIds, organization, subjects } = scope
  const inGroups = (ids: SQL) =>
    sql`select user_id as id from group_members where organization_id = ${organization?.id ?? null} and group_id = any(${ids})`
  const { group, transmission } = subjects
  const sets = [
    groupIds && inGroups(arrayOf(groupIds, 'uuid')),
    group && inGroups(arrayOf([group.id], 'uuid')),
    transmission &&
      sql`select d.user_id from deliveries d where d.transmission_id = ${transmission.id} and ${isToRecipient('d')}`,
  ].filter((set) => set !== undefined && set !== null)
  return sets.length === 0
    ? undefined
    : sql`select distinct id from (${sql.join(sets, sql` intersect `)}) chosen(id)`
}

/** `tree`: a project and all below it. */
export const treeOf = (project: { id: string }): SQL =>
  sql`with recursive tree as (select ${project.id}::uuid as id union select p.id from projects p join tree on p.parent_id = tree.id)`

/** Condition on a column with a video: of the project, or of the transmission, or the one that is asked about. */
export function ofVideos({ project, video, transmission }: Subjects, column: SQL): SQL | undefined {
  const conditions = [
    video && sql`${column} = ${video.id}`,
    transmission && sql`${column} = (select video_id from transmissions where id = ${transmission.id})`,
    project &&
      sql`${column} = any(array(${treeOf(project)} select filed.id from videos filed join tree on filed.project_id = tree.id))`,
  ].filter((condition) => condition !== null)
  return conditions.length === 0 ? undefined : all(conditions)
}

/** Condition on a column with a day (text). */
export function onDays({ span }: ReportScope, column: SQL): SQL {
  return sql`${column} between ${span.from} and ${span.to}`
}

/** Condition on a column with an instant. */
export function during({ span, timeZone }: ReportScope, column: SQL): SQL {
  const begin = (day: string) => sql`(${day}::timestamp at time zone ${timeZone}::text)`
  return sql`${column} >= ${begin(span.from)} and ${column} < ${begin(addDays(span.to, 1))}`
}

/** The day of an instant. */
export function dayIn({ timeZone }: ReportScope, column: SQL): SQL {
  return sql`(${column} at time zone ${timeZone}::text)::date`
}

/** The steps of the plot, oldest first. */
const stepList = ({ steps }: ReportScope) => [...new Set(steps.values())]

/** Rows of `day` and `step`: each counted day, and the number (from 1) of its step in the plot. */
export function calendar(scope: ReportScope): SQL {
  const list = stepList(scope)
  const numbers = [...scope.steps.values()].map((step) => list.indexOf(step) + 1)
  return sql`unnest(${arrayOf([...scope.steps.keys()], 'text')}, ${arrayOf(numbers, 'int')}) c(day, step)`
}

export function stepAt(scope: ReportScope, number: number): string {
  return stepList(scope)[number - 1] ?? ''
}
