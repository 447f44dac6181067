import { plural } from '#web/ui/format.ts'

const dayMs = 86_400_000

/** Whole days since a due day has passed; null while it has not, or there is none. */
export function daysLate(dueAt: string | null): number | null {
  const lateMs = dueAt === null ? -1 : Date.now() - Date.parse(dueAt)
  return lateMs < 0 ? null : Math.floor(lateMs / dayMs)
}

export const lateText = (days: number) => (days === 0 ? 'Late since today' : `${plural(days, 'day')} late`)
