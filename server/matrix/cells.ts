import { sql, type SQL } from '../platform/db/sql.ts'
import { all } from '../platform/db/search.ts'
import { failing } from './failing.ts'
import { countsEver } from '../duty/obligations.ts'
import { obliged, own, type Whose } from '../duty/obliged.ts'
import { bitOf, type TrainingFact } from './state.ts'
import { asksToWatch, hasArrived } from '../deliveries.ts'
import { isSwitchedOff } from '../people.ts'

const bits = (facts: readonly TrainingFact[]) =>
  sql.raw(String(facts.reduce((sum, fact) => sum | bitOf(fact), 0)))
const bit = (fact: TrainingFact) => bits([fact])
const never = sql`'infinity'::timestamptz`
const notAtAll = sql`'-infinity'::timestamptz`

/** This condition on `training_waivers x` holds when nobody ended it, though it may have run out. */
const isGiven = sql`x.ended_at is null`

/** Selects the messages, each with the person whom it asks. */
function asked({ organizationId, userId, videoId }: Whose): SQL {
  const wasSent = all([
    sql`t.organization_id = ${organizationId} and t.state <> 'draft'`,
    videoId && sql`t.video_id = ${videoId}`,
  ])
  const theirs = all([
    sql`d.organization_id = ${organizationId}`,
    userId && sql`d.user_id = ${userId}`,
    asksToWatch('d'),
  ])
  return sql`transmissions t join deliveries d on d.transmission_id = t.id where ${wasSent} and ${theirs}`
}

/**
 * Every sign is a row of (organization_id, user_id, video_id, bits, due_at, until, valid_until, owes, message_due_at), in a table for each
 * kind; a person and a video may have several. For an obligation `owes` is 2 where it is open, 1 where it is waived, and 0 where it is
 * done. It is null for evidence, for a message, and for an obligation towards which whatever was watched counts; `message_due_at` is the
 * day of such an obligation while it is open. What an assignment sends is no duty of its own.
 */
export function signs(whose: Whose): SQL[] {
  const none = sql`null::timestamptz`
  const evidence = sql`${none} as valid_until, null::int as owes, ${none} as message_due_at`
  const whom = (alias: string) => sql.raw(`${alias}.organization_id, ${alias}.user_id, ${alias}.video_id`)
  const sent = sql`case when ${hasArrived('d')} then ${bit('delivered')} else 0 end`
  return [
    sql`select d.organization_id, d.user_id, t.video_id, ${sent} | case when t.assignment_id is null then ${bit('assigned')} else 0 end as bits,
        ${none} as due_at, ${none} as until, ${evidence} from ${asked(whose)}`,
    sql`select ${whom('o')}, ${bit('assigned')}, o.due_at, case when o.state = 'waived' then coalesce(o.waived_until, ${never}) end, ${none}, null::int, case when o.state = 'open' then o.due_at end
      from obligations o where ${own('o', whose)} and ${countsEver('o')} and o.state <> 'ended'
        and not (o.state = 'waived' and exists (select from obligations n where n.organization_id = o.organization_id and n.user_id = o.user_id
          and n.video_id = o.video_id and ${countsEver('n')} and n.state = 'open'))`,
    sql`select ${whom('w')}, case when w.completed_at is not null then ${bit('completed')} else 0 end
        | case when w.plays > 0 or w.covered_ms > 0 then ${bit('started')} else 0 end, ${none}, ${none}, ${evidence}
      from viewer_videos w where ${own('w', whose)} and w.user_id is not null`,
    sql`select ${whom('a')}, ${bit('passed')}, ${none}, ${none}, ${evidence}
      from quiz_attempts a where ${own('a', whose)} and a.user_id is not null and a.passed and a.completed_at is not null`,
    sql`select ${whose.organizationId}, f.user_id, f.video_id, case when f.is_final then ${bits(['failed', 'exhausted'])} else ${bit('failed')} end,
        ${none}, ${none}, ${evidence} from ${failing(whose)} f`,
    sql`select ${whom('x')}, 0, ${none}, coalesce(x.until, ${never}), ${evidence}
      from training_waivers x where ${own('x', whose)} and ${isGiven}`,
    sql`select ${whom('o')}, ${bit('assigned')} | case when o.state = 'done' then ${bit('completed')} when o.covered_ms > 0 then ${bit('started')} else 0 end
        | case when o.state = 'done' and a.requirement = 'passed' then ${bit('passed')} else 0 end,
        o.due_at, case when o.state = 'waived' then coalesce(o.waived_until, ${never}) end, o.valid_until,
        case o.state when 'open' then 2 when 'waived' then 1 else 0 end, ${none}
      from ${obliged(whose)}`,
  ]
}

/**
 * This expression gives the bits of a cell. Where somebody is obliged and has not done it, only what counts towards the duty is watched and
 * passed; whoever has done it may have passed as well. The failed ones were chosen by what counts already.
 */
const bitsOf = sql`case when max(owes) is null then bit_or(bits)
  when max(owes) > 0 then bit_or(bits & case when owes is null then ${bits(['delivered', 'failed', 'exhausted'])} else ~${bits(['completed', 'passed'])} end)
  else bit_or(case when owes is null then bits & ${bits(['delivered', 'passed', 'failed', 'exhausted'])} else bits end) end`

/**
 * This expression gives the first day among what is owed most: among the open obligations, else the waived ones, else those that are done.
 * What was owed by a day before an assignment asked for it as well is late by that day.
 */
const dueOfOwed = sql`coalesce(case max(owes) when 2 then least(min(due_at) filter (where owes = 2), min(message_due_at)) end, case max(owes) when 1 then min(due_at) filter (where owes = 1)
  when 0 then min(due_at) filter (where owes = 0) end)`

/**
 * Turns these signs into cells, as (organization_id, user_id, video_id, bits, due_at, late_at, waived_until, expires_at); `trainingCells`
 * in the schema says how to read them. Obligations decide what is owed, the open ones before the waived and the done ones. The first of
 * their days counts, and without one the latest day of a transmission. Neither a day nor an excuse is kept for whoever has completed a
 * video, and no day for whoever is excused for good, so that the sums have few kinds of cells.
 */
export function cellsBy(tables: readonly SQL[]): SQL {
  const isDone = sql`bits & ${bit('completed')} <> 0`
  return sql`select organization_id, user_id, video_id, bits, due_at,
      case when ${isDone} or waived_until = ${never} or bits & ${bit('assigned')} = 0 then ${never} else coalesce(due_at, ${never}) end as late_at,
      case when ${isDone} then ${notAtAll} else waived_until end as waived_until, expires_at
    from (select organization_id, user_id, video_id, (${bitsOf})::smallint as bits,
        case when max(owes) is null then max(due_at) else ${dueOfOwed} end as due_at,
        coalesce(greatest(max(until) filter (where owes is null), case max(owes) when 1 then min(until) filter (where owes = 1) end), ${notAtAll}) as waived_until,
        coalesce(case max(owes) when 0 then min(valid_until) end, ${never}) as expires_at
      from (${sql.join([...tables], sql` union all `)}) signs group by organization_id, user_id, video_id) known
    where bits <> 0 or waived_until <> ${notAtAll}`
}

/** These conditions say which `users u` have a row in the matrix, and which `videos v` a column. */
export const hasRow = sql`u.deleted_at is null and not ${isSwitchedOff('u')}`
export const hasColumn = sql`v.deleted_at is null`

/**
 * This expression gives what a cell, or a kind of cells, means at an instant, as a place in `combinations`. Time alone makes a cell late,
 * and ends an excuse. `shows` is true where it may be told what single people watched.
 */
export function bitsAt(at: SQL, alias: string, shows: boolean): SQL {
  const c = sql.raw(alias)
  const visibleBits = shows ? sql`${c}.bits` : sql`discreet_bits(${c}.bits)`
  return sql`(${visibleBits} | case when ${c}.late_at <= ${at} then ${bit('late')} else 0 end
    | case when ${c}.expires_at <= ${at} then ${bit('expired')} else 0 end
    | case when ${c}.waived_until > ${at} then ${bit('waived')} else 0 end)::int`
}
