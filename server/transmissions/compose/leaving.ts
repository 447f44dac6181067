import type { Leaving, When } from '#contract/transmissions/leaving.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { refuse } from '../../platform/errors.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

const mostDaysAhead = 366

function refuseHour(problem: FieldProblem): never {
  throw refuse('validation_failed', { fields: { leavesAt: [problem] } })
}

/**
 * The instant of an hour on a clock (ISO 8601); null: none was given. Of an hour that exists twice it is the first, of one that the change of
 * the clocks leaves out the moment as long after it.
 */
export function hourOf(given: Leaving | null | undefined, organizationZone: string): string | null {
  if (!given) return null
  const { day, time, inOwnZones } = given
  const timeZone = inOwnZones ? organizationZone : (given.timeZone ?? organizationZone)
  try {
    const at = Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(timeZone)
    return at.toInstant().toString({ fractionalSecondDigits: 3 })
  } catch {
    return refuseHour('invalid')
  }
}

/** The same, of an hour at which something can still leave. Each in their own zone, and in waves as well: there is no such hour. */
export function leavingOf({ leavesAt, waves }: When, organizationZone: string): string | null {
  const at = hourOf(leavesAt, organizationZone)
  if (leavesAt?.inOwnZones && waves) throw refuse('validation_failed', { fields: { waves: ['invalid'] } })
  if (at === null) return null
  const ahead = Date.parse(at) - Date.now()
  if (ahead <= 0) refuseHour('not_ahead')
  if (ahead > mostDaysAhead * 86_400_000) refuseHour('too_far')
  return at
}

/** Nobody is reminded of what is owed by no day. */
export function requireDay({ reminders }: When, dueAt: string | null): void {
  if (reminders && dueAt === null) throw refuse('validation_failed', { fields: { reminders: ['invalid'] } })
}

/**
 * The instant at which a transmission begins that is let go now: at its hour (`leavesAt`, null for none), or after the seconds in which its
 * author can take it back.
 */
export const beginsAt = (leavesAt: SQL, undoSeconds: number): SQL =>
  sql`(case when ${leavesAt} is null then now() + make_interval(secs => ${undoSeconds}) else greatest(${leavesAt}, now()) end)`

/** Its day is the one on which it leaves, not that on which it was written or let go: no report of a past day changes afterwards. */
export const datedAt = (leavesAt: SQL): SQL => sql`greatest(${leavesAt}, now())`

/** What of it is kept beside the hour, as columns and as their values. */
export const whenColumns = sql`waves, outside_window, leaves_clock, reminders`
export const whenIn = ({ waves, outsideHours = false, leavesAt, reminders }: When): SQL => {
  const clock = leavesAt?.inOwnZones ? `${leavesAt.day}T${leavesAt.time}` : null
  return sql`${waves ? JSON.stringify(waves) : null}::jsonb, ${outsideHours}::boolean, ${clock}::timestamp, ${reminders ? JSON.stringify(reminders) : null}::jsonb`
}
export const setWhen = (when: When): SQL => sql`(${whenColumns}) = row(${whenIn(when)})`

/** The same, as the audit tells it. */
export const whenNote = ({ waves = null, outsideHours = false, leavesAt, reminders = null }: When) => ({
  waves,
  outsideHours,
  inOwnZones: leavesAt?.inOwnZones ?? false,
  reminders,
})

const hour = sql`t.leaves_at`

/** What letting go changes of a row that is there. Without seconds for taking it back where somebody else has approved it. */
export const scheduleRelease = (undoSeconds: number): SQL =>
  sql`, scheduled_at = ${beginsAt(hour, undoSeconds)}, released_at = ${datedAt(hour)}`

export const leaveNow = sql`, leaves_at = null, leaves_clock = null, scheduled_at = now(), released_at = now()`
export const cancelRelease = sql`, scheduled_at = null, released_at = null`

/** Condition on `transmissions t`: its hour passed so long ago that nothing leaves by itself any more. */
export const isLate = sql`coalesce(t.leaves_at < now() - interval '30 minutes', false)`
