/** The day so many days from today, as a field for a day writes it. */
export function daysAhead(days: number): string {
  const day = new Date()
  day.setDate(day.getDate() + days)
  return fieldOf(day)
}

/** The day on which a moment lies here. */
export const dayOf = (moment: string): string => fieldOf(new Date(moment))

function fieldOf(day: Date): string {
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
