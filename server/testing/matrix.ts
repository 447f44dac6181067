import type { QuizSettings } from '#contract/quizzes/quizzes.ts'
import { trainingLetters } from '#contract/matrix/standing.ts'
import { isRequired, stateOf, type Facts } from '../matrix/state.ts'

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>
type Pair = { user: string; video: string }
type Message = Pair & { state: string; due: Date | null; assignment: string | null }
type Viewing = Pair & { plays: number; covered: number; completed: Date | null }
type Attempt = Pair & {
  passed: boolean | null
  at: Date
  current: boolean | null
  settings: QuizSettings | null
}
type Waiver = Pair & { until: Date | null; ended: Date | null }
type Duty = Pair & {
  assignment: string
  cycle: number
  state: 'open' | 'waived' | 'done' | 'ended'
  requirement: string
  stands: boolean
  due: Date | null
  until: Date | null
  valid: Date | null
  since: Date
  covered: number
}
type Named = { id: string; name: string }

/** Those of the present cycle of assignments that have not ended, and were not ended themselves. */
const standing = (all: readonly Duty[]): Duty[] =>
  all.filter(
    (one) =>
      one.stands &&
      one.state !== 'ended' &&
      !(
        one.state === 'done' &&
        one.valid !== null &&
        all.some((other) => other.assignment === one.assignment && other.cycle > one.cycle)
      ),
  )

const first = (days: readonly (Date | null)[]) => Math.min(...days.map((day) => day?.getTime() ?? Infinity))

/** Of one person, as the list of the matrix has it. */
type Line = { name: string; required: number; done: number; overdue: number; cells: string }

export type TrueMatrix = {
  videos: { title: string; counts: Record<string, number> }[]
  lines: Line[]
}

/**
 * The training matrix by looking at every row of evidence, one after another and without the database's help. `whose`: the people of
 * the rows, all if it is not given; `any`: columns also for what nobody was sent.
 */
export async function trueMatrix(
  query: Query,
  organizationId: string,
  { whose, any }: { whose?: ReadonlySet<string>; any: boolean },
): Promise<TrueMatrix> {
  const own = [organizationId]
  const [clock] = await query<{ now: Date }>('select now() as now')
  const now = clock?.now ?? new Date()
  const people = await query<Named & { state: string; gone: Date | null }>(
    'select id, name, state, deleted_at as gone from users where organization_id = $1',
    own,
  )
  const videos = await query<Named & { gone: Date | null }>(
    'select id, title as name, deleted_at as gone from videos where organization_id = $1',
    own,
  )
  const messages = await query<Message>(
    `select d.user_id as user, t.video_id as video, d.state, case when t.state <> 'cancelled' then t.due_at end as due, t.assignment_id as assignment from deliveries d join transmissions t on t.id = d.transmission_id
      where t.organization_id = $1`,
    own,
  )
  const viewings = await query<Viewing>(
    'select user_id as user, video_id as video, plays, covered_ms as covered, completed_at as completed from viewer_videos where organization_id = $1',
    own,
  )
  const attempts = await query<Attempt>(
    `select a.user_id as user, a.video_id as video, a.passed, a.completed_at as at, a.version_id = n.id as current, n.settings from quiz_attempts a
      left join quizzes q on q.id = a.quiz_id left join quiz_versions n on n.id = q.current_version_id
      where a.organization_id = $1 and a.completed_at is not null`,
    own,
  )
  const waivers = await query<Waiver>(
    'select user_id as user, video_id as video, until, ended_at as ended from training_waivers where organization_id = $1',
    own,
  )
  const duties = await query<Duty>(
    `select o.user_id as user, o.video_id as video, o.assignment_id as assignment, o.cycle, o.state, a.requirement,
        a.state in ('active', 'paused') as stands, o.due_at as due, o.waived_until as until, o.valid_until as valid,
        coalesce(o.answers_from, o.counts_from) as since,
        o.covered_ms as covered
      from obligations o join assignments a on a.id = o.assignment_id where o.organization_id = $1 and o.counts_from > '-infinity'`,
    own,
  )
  /** Days of messages that are owed still: an assignment that asks for the same video takes none of them away. */
  const daysOfMessages = await query<Pair & { due: Date | null }>(
    `select user_id as user, video_id as video, due_at as due from obligations
      where organization_id = $1 and counts_from = '-infinity' and state = 'open'`,
    own,
  )
  const sent = new Set(
    (
      await query<{ video: string }>(
        `select video_id as video from transmissions where organization_id = $1 and state <> 'draft'
          union select video_id from assignments where organization_id = $1 and state in ('active', 'paused')`,
        own,
      )
    ).map(({ video }) => video),
  )

  function factsOf(user: string, video: string): Facts {
    const here = (one: Pair) => one.user === user && one.video === video
    const reached = messages.filter((one) => here(one) && !['skipped', 'cancelled'].includes(one.state))
    const asking = reached.filter(({ assignment }) => assignment === null)
    const days = asking.flatMap(({ due }) => due ?? [])
    const seen = viewings.filter(here)
    const taken = attempts.filter(here)
    const rules = taken.map(({ settings }) => settings).find((one) => one?.passRequired && one.passMark > 0)
    const hasFailed = Boolean(rules) && !taken.some(({ passed }) => passed === true)
    const delivered = reached.some(({ state }) => state === 'accepted' || state === 'delivered')
    const excused = waivers.some(
      (one) => here(one) && one.ended === null && (one.until === null || one.until > now),
    )
    const owed = standing(duties.filter(here))
    const earlier = daysOfMessages.filter(here).map(({ due }) => due)
    if (owed.length > 0)
      return { ...owedFacts(owed, taken, earlier), delivered, ...(excused && { waived: true }) }
    return {
      assigned: asking.length > 0,
      delivered,
      started: seen.some(({ plays, covered }) => plays > 0 || covered > 0),
      completed: seen.some(({ completed }) => completed !== null),
      passed: taken.some(({ passed }) => passed === true),
      waived: excused,
      late: days.length > 0 && Math.max(...days.map(Number)) <= Number(now),
      failed: hasFailed,
      exhausted: hasFailed && taken.filter(({ current }) => current).length >= (rules?.attempts ?? Infinity),
      expired: false,
    }
  }

  function owedFacts(
    owed: readonly Duty[],
    taken: readonly Attempt[],
    earlier: readonly (Date | null)[],
  ): Facts {
    const open = owed.filter(({ state }) => state === 'open')
    const waived = owed.filter(({ state }) => state === 'waived')
    const missing = open.length > 0 ? open : waived
    const days = missing.map(({ due }) => due)
    const rules = taken.map(({ settings }) => settings).find((one) => one?.passRequired && one.passMark > 0)
    const toPass = open.filter(({ requirement }) => requirement === 'passed')
    const since = first(toPass.map((one) => one.since))
    const counting = toPass.length > 0 ? taken.filter(({ at }) => at.getTime() >= since) : taken
    const asks = toPass.length > 0 || Boolean(rules)
    const hasFailed = asks && counting.length > 0 && !counting.some(({ passed }) => passed === true)
    return {
      assigned: true,
      delivered: false,
      started: [...open, ...waived].some(({ covered }) => covered > 0),
      completed: missing.length === 0,
      passed:
        missing.length === 0 &&
        (owed.some(({ requirement }) => requirement === 'passed') ||
          taken.some(({ passed }) => passed === true)),
      waived:
        open.length === 0 && waived.length > 0 && first(waived.map(({ until }) => until)) > now.getTime(),
      late: missing.length > 0 && first(open.length > 0 ? [...days, ...earlier] : days) <= now.getTime(),
      failed: hasFailed,
      exhausted:
        hasFailed &&
        toPass.length === 0 &&
        taken.filter(({ current }) => current).length >= (rules?.attempts ?? Infinity),
      expired: missing.length === 0 && first(owed.map(({ valid }) => valid)) <= now.getTime(),
    }
  }

  const rows = people.filter(
    ({ id, state, gone }) => gone === null && state !== 'disabled' && (whose?.has(id) ?? true),
  )
  const all = videos
    .filter(({ gone }) => gone === null)
    .map(({ id: video, name }) => ({ id: video, name, facts: rows.map(({ id }) => factsOf(id, video)) }))
  const columns = all
    .filter(({ id, facts }) => {
      const isSent = whose ? facts.some(({ assigned }) => assigned) : sent.has(id)
      return (
        isSent ||
        (any &&
          facts.some(({ assigned: _assigned, ...facts }) => stateOf({ ...facts, assigned: false }) !== null))
      )
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    videos: columns.map(({ name, facts }) => {
      const counts: Record<string, number> = {}
      for (const state of facts.map(stateOf)) if (state !== null) counts[state] = (counts[state] ?? 0) + 1
      return { title: name, counts }
    }),
    lines: rows
      .map(({ name }, at): Line => {
        const cells = columns.flatMap(({ facts }) => facts[at] ?? [])
        const required = cells.filter(isRequired)
        const states = cells.map(stateOf)
        return {
          name,
          required: required.length,
          done: required.filter(({ completed, expired }) => completed && !expired).length,
          overdue: states.filter((state) => state === 'overdue').length,
          cells: states.map((state) => (state === null ? '-' : trainingLetters[state])).join(''),
        }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}
