import type { Leaving, When } from '#contract/transmissions/leaving.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { refuse } from '../../platform/errors.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

const mostDaysAhead = 366

function refuseHour(problem: FieldProblem): never {
  throw refuse('validation_failed', { fields: { leavesAt: [problem] } })
}

/**
 * Returns the instant of an hour on a clock (ISO 8601), or null where none was given. An hour that exists twice means the first one. An
 * hour that the change of the clocks leaves out is moved on by as long as the clocks are.
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

/**
 * Returns the instant of an hour at which something can still leave. Refuses hours on the recipients' own clocks together with waves, as
 * there is no such hour.
 */
export function leavingOf({ leavesAt, waves }: When, organizationZone: string): string | null {
  const at = hourOf(leavesAt, organizationZone)
  if (leavesAt?.inOwnZones && waves) throw refuse('validation_failed', { fields: { waves: ['invalid'] } })
  if (at === null) return null
  const ahead = Date.parse(at) - Date.now()
  if (ahead <= 0) refuseHour('not_ahead')
  if (ahead > mostDaysAhead * 86_400_000) refuseHour('too_far')
  return at
}

/** Refuses reminders where there is no day, because nobody is reminded of what is owed by no day. */
export function requireDay({ reminders }: When, dueAt: string | null): void {
  if (reminders && dueAt === null) throw refuse('validation_failed', { fields: { reminders: ['invalid'] } })
}

/**
 * This expression gives the instant at which a transmission begins that is let go now: at its hour (`leavesAt`, null for none), or after
 * the seconds in which its author can take it back.
 */
export const beginsAt = (leavesAt: SQL, undoSeconds: number): SQL =>
  sql`(case when ${leavesAt} is null then now() + make_interval(secs => ${undoSeconds}) else greatest(${leavesAt}, now()) end)`

/**
 * This expression dates a transmission by the day on which it leaves, not that on which it was written or let go, so that no report of a
 * past day changes afterwards.
 */
export const datedAt = (leavesAt: SQL): SQL => sql`greatest(${leavesAt}, now())`

/** These columns are kept beside the hour, and `whenIn` gives their values. */
export const whenColumns = sql`waves, outside_window, leaves_clock, reminders`
export const whenIn = ({ waves, outsideHours = false, leavesAt, reminders }: When): SQL => {
  const clock = leavesAt?.inOwnZones ? `${leavesAt.day}T${leavesAt.time}` : null
  return sql`${waves ? JSON.stringify(waves) : null}::jsonb, ${outsideHours}::boolean, ${clock}::timestamp, ${reminders ? JSON.stringify(reminders) : null}::jsonb`
}
export const setWhen = (when: When): SQL => sql`(${whenColumns}) = row(${whenIn(when)})`

/** The audit keeps the same like this. */
export const whenNote = ({ waves = null, outsideHours = false, leavesAt, reminders = null }: When) => ({
  waves,
  outsideHours,
  inOwnZones: leavesAt?.inOwnZones ?? false,
  reminders,
})

const hour = sql`t.leaves_at`

/**
 * Letting go of a row that is there changes these columns. Its author has no seconds to take it back where somebody else has approved it.
 */
export const scheduleRelease = (undoSeconds: number): SQL =>
  sql`, scheduled_at = ${beginsAt(hour, undoSeconds)}, released_at = ${datedAt(hour)}`

export const leaveNow = sql`, leaves_at = null, leaves_clock = null, scheduled_at = now(), released_at = now()`
export const cancelRelease = sql`, scheduled_at = null, released_at = null`

/** This condition on `transmissions t` holds when its hour passed so long ago that nothing leaves by itself any more. */
export const isLate = sql`coalesce(t.leaves_at < now() - interval '30 minutes', false)`
