/** "November 30, 2026", where a day ends there; otherwise with the time. Null where there is no such day. */
export function dueWords(dueAt: string | null, timeZone: string): string | null {
  if (dueAt === null) return null
  const at = new Date(dueAt)
  const clock = at.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  const day = at.toLocaleDateString('en-US', { timeZone, dateStyle: 'long' })
  if (clock === '23:59') return day
  const time = at.toLocaleTimeString('en-US', {
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
  return `${day}, ${time}`
}
