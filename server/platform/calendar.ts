type Instant = Temporal.Instant
type PlainDate = Temporal.PlainDate

/** The day that the calendar shows there. */
export const dayOf = (at: Instant, timeZone: string): PlainDate =>
  at.toZonedDateTimeISO(timeZone).toPlainDate()

/**
 * The one instant at which it is that hour of that day there: of an hour that exists twice the first, of one that does not exist the moment
 * as long after the change of the clocks.
 */
export const hourOf = (day: PlainDate, hour: number, timeZone: string): Instant =>
  day.toZonedDateTime({ timeZone, plainTime: { hour } }).toInstant()
