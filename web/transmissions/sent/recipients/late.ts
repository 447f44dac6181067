import { plural } from '#web/ui/format.ts'

const dayMs = 86_400_000

/** Returns the day that the calendar of the reader shows, as a number. */
const dayOf = (at: Date) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()) / dayMs

/** Returns the calendar days of the reader since a due day has passed; null while it has not, or where there is none. */
export function daysLate(dueAt: string | null): number | null {
  const [due, now] = [new Date(dueAt ?? Number.NaN), new Date()]
  return due <= now ? dayOf(now) - dayOf(due) : null
}

export const lateText = (days: number) => (days === 0 ? 'Late since today' : `${plural(days, 'day')} late`)
