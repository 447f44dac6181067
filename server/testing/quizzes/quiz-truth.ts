import type { TestServer } from '../server.ts'

/**
 * One completed attempt, as its rows say. Which is the first of a person and a version is what decided when they were completed: of two
 * that end at the same moment, the one that was written first.
 */
export type Completed = {
  versionId: string
  videoId: string
  person: string
  userId: string | null
  at: string
  passed: boolean
  isFirst: boolean
  share: number
}

export async function completedOf(
  { services }: Pick<TestServer, 'services'>,
  orgId: string,
): Promise<Completed[]> {
  const found = await services.db.system.query<Completed>(
    `select version_id as "versionId", video_id as "videoId", coalesce(user_id::text, viewer_key) as person, user_id as "userId",
      to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, passed, score / max_score as share,
      is_first as "isFirst"
      from quiz_attempts where organization_id = $1 and completed_at is not null`,
    [orgId],
  )
  return found.rows
}

export type Range = { from: string; to: string }

const different = (list: string[]) => new Set(list).size

function medianOf(values: number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = (sorted.length - 1) / 2
  const [low = 0, high = 0] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low + (high - low) / 2
}

/** Every figure of the report on quizzes, by looking at each attempt. */
export function quizTruth(attempts: readonly Completed[], { from, to }: Range, smallestGroup: number) {
  const done = attempts.filter(({ at }) => at.slice(0, 10) >= from && at.slice(0, 10) <= to)
  const first = done.filter(({ isFirst }) => isFirst)
  const persons = different(done.map(({ person }) => person))
  const people = (list: Completed[]) => different(list.map((one) => `${one.versionId} ${one.person}`))
  const areFirstShown = first.length >= smallestGroup
  return {
    quizzes: different(done.map(({ versionId }) => versionId)),
    attempts: done.length,
    people: people(done),
    persons,
    passed: persons >= smallestGroup ? people(done.filter(({ passed }) => passed)) : null,
    first: first.length,
    firstPassed: areFirstShown ? first.filter(({ passed }) => passed).length : null,
    medianScore: areFirstShown ? medianOf(first.map(({ share }) => share)) : null,
  }
}
