export type Day = { day: string; watchedMs: number | null; viewers: number | null }
/** Days such as 2026-11-20; both belong to it. */
export type Range = { from: string; to: string }

export function wholeRange(days: readonly Day[]): Range {
  return { from: days[0]?.day.slice(0, 10) ?? '', to: days.at(-1)?.day.slice(0, 10) ?? '' }
}

export function within(days: readonly Day[], { from, to }: Range): readonly Day[] {
  return days.filter(({ day }) => day.slice(0, 10) >= from && day.slice(0, 10) <= to)
}
