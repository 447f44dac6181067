import type { QuizSettings } from '#contract/quizzes.ts'
import { trainingLetters } from '#contract/training.ts'
import { isRequired, stateOf, type Facts } from '../training/cells/state.ts'

type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>
type Pair = { user: string; video: string }
type Message = Pair & { state: string; due: Date | null }
type Viewing = Pair & { plays: number; covered: number; completed: Date | null }
type Attempt = Pair & { passed: boolean | null; current: boolean | null; settings: QuizSettings | null }
type Waiver = Pair & { until: Date | null; ended: Date | null }
type Named = { id: string; name: string }

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
    `select d.user_id as user, t.video_id as video, d.state, t.due_at as due from deliveries d join transmissions t on t.id = d.transmission_id
      where t.organization_id = $1`,
    own,
  )
  const viewings = await query<Viewing>(
    'select user_id as user, video_id as video, plays, covered_ms as covered, completed_at as completed from viewer_videos where organization_id = $1',
    own,
  )
  const attempts = await query<Attempt>(
    `select a.user_id as user, a.video_id as video, a.passed, a.version_id = n.id as current, n.settings from quiz_attempts a
      left join quizzes q on q.id = a.quiz_id left join quiz_versions n on n.id = q.current_version_id
      where a.organization_id = $1 and a.completed_at is not null`,
    own,
  )
  const waivers = await query<Waiver>(
    'select user_id as user, video_id as video, until, ended_at as ended from training_waivers where organization_id = $1',
    own,
  )
  const sent = new Set(
    (
      await query<{ video: string }>(
        `select video_id as video from transmissions where organization_id = $1 and state <> 'draft'`,
        own,
      )
    ).map(({ video }) => video),
  )

  function factsOf(user: string, video: string): Facts {
    const here = (one: Pair) => one.user === user && one.video === video
    const asking = messages.filter((one) => here(one) && !['skipped', 'cancelled'].includes(one.state))
    const days = asking.flatMap(({ due }) => due ?? [])
    const seen = viewings.filter(here)
    const taken = attempts.filter(here)
    const rules = taken.map(({ settings }) => settings).find((one) => one?.passRequired && one.passMark > 0)
    const hasFailed = Boolean(rules) && !taken.some(({ passed }) => passed === true)
    return {
      assigned: asking.length > 0,
      delivered: asking.some(({ state }) => state === 'accepted' || state === 'delivered'),
      started: seen.some(({ plays, covered }) => plays > 0 || covered > 0),
      completed: seen.some(({ completed }) => completed !== null),
      passed: taken.some(({ passed }) => passed === true),
      waived: waivers.some(
        (one) => here(one) && one.ended === null && (one.until === null || one.until > now),
      ),
      late: days.length > 0 && Math.max(...days.map(Number)) <= Number(now),
      failed: hasFailed,
      exhausted: hasFailed && taken.filter(({ current }) => current).length >= (rules?.attempts ?? Infinity),
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
          done: required.filter(({ completed }) => completed).length,
          overdue: states.filter((state) => state === 'overdue').length,
          cells: states.map((state) => (state === null ? '-' : trainingLetters[state])).join(''),
        }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}
