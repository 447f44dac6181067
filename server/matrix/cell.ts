import * as z from 'zod/mini'
import type { Obligation, ObligationState } from '#contract/assignments/assignments.ts'
import type { TrainingState } from '#contract/matrix/standing.ts'
import { TrainingCell } from '#contract/matrix/training.ts'
import { hasRow, requireRow, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isoText } from '../platform/db/search.ts'
import { refuse } from '../platform/errors.ts'
import { dayOnly } from '../platform/db/search.ts'
import { obligationsOf } from '../duty/owed.ts'
import { bitsAt, cellsBy, signs } from './cells.ts'
import { failing } from './failing.ts'
import { bitOf, combinations } from './state.ts'
import { matrixNow } from './current.ts'
import { peopleOf, videosOf, type MatrixScope } from './grid.ts'
import type { CellKey } from '../duty/waivers.ts'
import { stateOf } from '../deliveries.ts'

const Signs = z.extend(z.omit(TrainingCell, { state: true, obligations: true }), { bits: z.number() })
type Signs = z.infer<typeof Signs>

/** Refuses a person out of sight, and to a groupadmin a video that has nothing to do with their people. */
export async function requirePlace(
  tx: Tx,
  matrixScope: MatrixScope,
  { userId, videoId }: CellKey,
): Promise<void> {
  const { organizationId, groupIds } = matrixScope.visibility
  const matrix = groupIds && (await matrixNow(tx, organizationId))
  const video = matrix
    ? videosOf(matrixScope, matrix)
    : sql`v.organization_id = ${organizationId} and v.deleted_at is null`
  const found = await hasRow(
    tx,
    sql`select 1 from users u, videos v where ${peopleOf(matrixScope)} and u.id = ${userId} and v.id = ${videoId} and ${video}`,
  )
  if (!found) throw refuse('not_found')
}

/** Reads what is known of one person and one video. Whether the reader sees both of them was asked before. */
export async function findCell(tx: Tx, matrixScope: MatrixScope, place: CellKey): Promise<TrainingCell> {
  const { at, shows } = matrixScope
  const { userId, videoId } = place
  const { organizationId } = matrixScope.visibility
  const seen = (value: SQL) => (shows ? isoText(value) : sql`null`)
  const whose = {
    organizationId: sql`${organizationId}::uuid`,
    userId: sql`${userId}::uuid`,
    videoId: sql`${videoId}::uuid`,
  }
  const own = (alias: SQL) =>
    sql`${alias}.organization_id = ${organizationId} and ${alias}.user_id = ${userId} and ${alias}.video_id = ${videoId}`
  const found = await requireRow(
    tx,
    Signs,
    sql`select json_build_object('id', u.id, 'name', u.name) as person, json_build_object('id', v.id, 'title', v.title) as video,
        coalesce(${bitsAt(at, 'c', shows)}, 0) as bits, ${shows ? sql`(select json_build_object('at', ${isoText(sql`x.failed_at`)}, 'isFinal', x.is_final) from ${failing(whose)} x)` : sql`null`} as failed,
         ${isoText(sql`c.due_at`)} as "dueAt", z.time_zone as "timeZone", w.started_at as "startedAt", w.completed_at as "completedAt",
        p.passed_at as "passedAt", m.messages, x.waivers
      from users u join videos v on v.organization_id = u.organization_id join organizations z on z.id = u.organization_id
        left join (${cellsBy(signs(whose))}) c on true
        cross join lateral (select ${seen(sql`min(w.first_at) filter (where w.plays > 0 or w.covered_ms > 0)`)} as started_at,
            ${isoText(shows ? sql`min(w.completed_at)` : dayOnly(sql`min(w.completed_at)`))} as completed_at
          from viewer_videos w where ${own(sql`w`)}) w
        cross join lateral (select ${seen(sql`min(a.completed_at)`)} as passed_at from quiz_attempts a where ${own(sql`a`)} and a.passed) p
        cross join lateral (select coalesce(json_agg(json_build_object('transmissionId', t.id, 'subject', message_name(t),
            'at', ${isoText(sql`t.dated_at`)}, 'dueAt', ${isoText(sql`t.due_at`)}, 'state', ${stateOf('d')},
            'sentAt', ${isoText(sql`d.accepted_at`)}, 'openedAt', ${seen(sql`o.opened_at`)}) order by t.dated_at desc, t.id desc), '[]') as messages
          from deliveries d join transmissions t on t.id = d.transmission_id and t.state <> 'draft'
            left join delivery_viewing o on o.transmission_id = d.transmission_id and o.delivery_id = d.id
          where d.user_id = ${userId} and d.organization_id = ${organizationId} and t.video_id = ${videoId}) m
        cross join lateral (select coalesce(json_agg(json_build_object('id', x.id, 'reason', x.reason, 'until', ${isoText(sql`x.until`)},
            'by', x.given_by_name, 'at', ${isoText(sql`x.given_at`)}, 'endedBy', x.ended_by_name,
            'endedAt', ${isoText(sql`coalesce(x.ended_at, case when x.until <= now() then x.until end)`)}) order by x.given_at desc, x.id desc), '[]') as waivers
          from training_waivers x where ${own(sql`x`)}) x
      where u.id = ${userId} and u.organization_id = ${organizationId} and v.id = ${videoId}`,
  )
  const obligations = await obligationsOf(tx, { orgId: organizationId, ...place })
  const { bits, failed, ...details } = found
  return {
    ...details,
    obligations: obligations.map(shown),
    completedAt: (bits & bitOf('completed')) === 0 ? null : (doneAtOf(obligations) ?? details.completedAt),
    failed: (bits & bitOf('completed')) === 0 ? failed : null,
    state: combinations[bits]?.state ?? null,
  }
}

/** The matrix shows the states of obligations as these. */
const states: Record<ObligationState, TrainingState | null> = {
  assigned: 'assigned',
  started: 'started',
  watched: 'started',
  unconfirmed: 'started',
  failed: 'failed',
  overdue: 'overdue',
  done: 'completed',
  expired: 'expired',
  waived: 'waived',
  ended: null,
}

const shown = ({ id, assignment, state, reason, dueAt, doneAt, validUntil }: Obligation) => ({
  id,
  assignment: { id: assignment.id, name: assignment.name },
  state: states[state],
  reason,
  dueAt,
  doneAt,
  validUntil,
})

/** Returns the instant at which the last obligation that stands was done. */
function doneAtOf(obligations: readonly Obligation[]): string | null {
  const standing = obligations.filter(({ assignment: { state } }) => state === 'active' || state === 'paused')
  return (
    standing
      .flatMap(({ doneAt }) => doneAt ?? [])
      .toSorted()
      .at(-1) ?? null
  )
}
