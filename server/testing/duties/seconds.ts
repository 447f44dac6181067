import type { VideoChange } from '#contract/videos/replacements.ts'

/** As the database writes what lies in the first so many seconds and not in these. */
export function stretchesWithout(seconds: ReadonlySet<number>, length: number): string {
  const missing = countTo(length).filter((second) => !seconds.has(second))
  const begins = missing.filter((second) => !missing.includes(second - 1))
  const ends = missing.filter((second) => !missing.includes(second + 1))
  return `{${begins.map((from, n) => `[${from * 1_000},${((ends[n] ?? from) + 1) * 1_000})`).join(',')}}`
}

/** One version of a video: since when it plays, how long it is, and what its author said of it; null: it is the first. */
export type Version = { at: number; seconds: number; change: VideoChange | null }
/** Of which version (from 1 on) somebody played which part, in ms. */
type Played = { version: number; at: number; from: number; to: number }
/** Of the version that plays now, second by second. */
export type Seen = { seconds: ReadonlySet<number>; owed: ReadonlySet<number>; coveredAt: number | null }

const share = 0.95
const countTo = (seconds: number) => Array.from({ length: seconds }, (_, second) => second)
const nothing: Seen = { seconds: new Set(), owed: new Set(), coveredAt: null }

/** For each second of a version, which one it was of the version before; null: it has changed. */
function origins({ seconds, change }: Version, before: number): (number | null)[] {
  const all = countTo(seconds)
  if (change?.matters === 'nothing') return all
  if (change?.matters !== 'parts') return all.map(() => null)
  const isNew = (second: number) =>
    change.parts.some(([from, to]) => second * 1_000 >= from && second * 1_000 < to)
  const longer = seconds - before
  if (longer === 0) return all.map((second) => (isNew(second) ? null : second))
  const [first, last] = [all.findIndex(isNew), all.findLastIndex(isNew)]
  const isOne = all.slice(first, last + 1).every(isNew)
  if (first < 0 || !isOne || last + 1 - longer < first) return all.map(() => null)
  return all.map((second) => (second < first ? second : second > last ? second - longer : null))
}

/** Whether anything of a version is owed because it took the place of the one before. */
export const asksFor = (version: Version, before: Version) => origins(version, before.seconds).includes(null)

/** What somebody has of a version because of what they had of the one before. */
function carried(seen: Seen, version: Version, before: Version): Seen {
  const from = origins(version, before.seconds)
  const where = (is: (origin: number | null) => boolean) =>
    new Set(from.flatMap((origin, second) => (is(origin) ? [second] : [])))
  const changed = where((origin) => origin === null)
  if (changed.size > 0 && seen.coveredAt !== null)
    return { seconds: where((origin) => origin !== null), owed: changed, coveredAt: null }
  return {
    seconds: where((origin) => origin !== null && seen.seconds.has(origin)),
    owed: where((origin) => origin === null || seen.owed.has(origin)),
    coveredAt: seen.coveredAt,
  }
}

function play(seen: Seen, { seconds: length }: Version, { at, from, to }: Played): Seen {
  const isIn = (second: number) => second * 1_000 >= from && second * 1_000 < to
  const seconds = new Set([...seen.seconds, ...countTo(length).filter(isIn)])
  const left = [...seen.owed].filter((second) => !seconds.has(second)).length
  const isEnough = seconds.size >= share * length && left <= (1 - share) * seen.owed.size
  return { ...seen, seconds, coveredAt: seen.coveredAt ?? (isEnough ? at : null) }
}

/**
 * Where whatever somebody ever completed counts: of the version that plays what was played of it, and when so much of any version was
 * played that it was enough. Nothing is carried from one version to the next, and what was completed stays so.
 */
export function everSeen(versions: readonly Version[], played: readonly Played[]): Seen {
  const each = versions.map((version, index) =>
    played
      .filter((one) => one.version === index + 1)
      .reduce((seen, one) => play(seen, version, one), nothing),
  )
  const covered = each.flatMap(({ coveredAt }) => coveredAt ?? [])
  return { ...(each.at(-1) ?? nothing), coveredAt: covered.length > 0 ? Math.min(...covered) : null }
}

type Since = {
  /** What was played earlier counts nothing, and what was replaced earlier is the video as it is. */
  countsFrom: number
  /** The version because of which a duty began that was done with the one before; null: it began in another way. */
  follows: number | null
}

/** What somebody has seen of a video, through all its versions; each counts only as long as it is the one that plays. */
export function seenOf(
  versions: readonly Version[],
  played: readonly Played[],
  { countsFrom, follows }: Since,
): Seen {
  let seen = nothing
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1]
    const had = follows === index + 1 ? { ...nothing, coveredAt: countsFrom } : seen
    const isCarried = before && (version.at > countsFrom || follows === index + 1)
    seen = isCarried ? carried(had, version, before) : nothing
    const end = versions[index + 1]?.at ?? Infinity
    for (const one of played)
      if (one.version === index + 1 && one.at >= countsFrom && one.at < end) seen = play(seen, version, one)
  }
  return seen
}
