import * as z from 'zod/mini'
import type { ParsedBody, Reply } from '#contract/endpoint.ts'
import type { changeObligations, leftOutReasons, ManyChange } from '#contract/duty/obligations.ts'
import { mostDecided } from '#contract/duty/obligations.ts'
import { requireRow, type Database, type Scope, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { Refusal, refuse } from '../platform/errors.ts'
import { lockVideo } from '../tracking/video-lock.ts'
import { decideObligation, note, type ActingCaller } from './decide.ts'
import { sendByHand } from './messages.ts'
import { type Place } from './queries.ts'
import { findPeople, type ChosenPeople } from '../duty/owed.ts'

type Answer = Reply<typeof changeObligations>
type LeftOut = Answer['leftOut'][number]
type Who = LeftOut['user']
type Doing = { db: Database; scope: Scope; by: ActingCaller }
type BulkDecision = ChosenPeople & Pick<ParsedBody<typeof changeObligations>, 'do' | 'expected'>

/** One transaction takes as many people as this. */
const atOnce = 50

/** Decides for each person as if somebody had pressed their own button. A refusal leaves that person out, and the others go on. */
export async function decideMany({ db, scope, by }: Doing, asked: BulkDecision): Promise<Answer> {
  const { do: change, expected, orgId, assignmentId } = asked
  const place = { orgId, assignmentId }
  const people = await db.as(scope, async (tx) => {
    await requireRow(tx, Video, videoOf(place))
    return findPeople(tx, { ...asked, sort: 'name', after: undefined, limit: mostDecided + 1 })
  })
  if (people.length !== expected)
    throw refuse('conflict', {
      reason: { code: 'people_changed', params: { found: people.length, expected } },
    })
  const leftOut: LeftOut[] = []
  for (let at = 0; at < people.length; at += atOnce) {
    const users = people
      .slice(at, at + atOnce)
      .map(({ user }) => ({ id: user.id, name: user.name || user.email }))
    leftOut.push(...(await db.as(scope, (tx) => chunk(tx, by, { place, users, change }))))
  }
  return { changed: people.length - leftOut.length, leftOut }
}

const Video = z.object({ videoId: z.string() })
const videoOf = ({ orgId, assignmentId }: Place) =>
  sql`select video_id as "videoId" from assignments where id = ${assignmentId} and organization_id = ${orgId}`

type Chunk = { place: Place; users: Who[]; change: ManyChange }

/**
 * The results of the video are held first, and then the assignment: whoever else changes many of its obligations holds one of them, so
 * that no two wait for each other's rows.
 */
async function chunk(tx: Tx, by: ActingCaller, { place, users, change }: Chunk): Promise<LeftOut[]> {
  const { videoId } = await requireRow(tx, Video, videoOf(place))
  await lockVideo(tx, videoId)
  await requireRow(tx, Video, sql`${videoOf(place)} for no key update`)
  if (change.action === 'remind') return remindThese(tx, by, { place, users, reason: change.reason })
  const leftOut: LeftOut[] = []
  for (const user of users) {
    const reason = await unlessRefused(() => decideObligation(tx, by, { ...place, userId: user.id, change }))
    if (reason) leftOut.push({ user, reason })
  }
  return leftOut
}

/** A decision is refused before it has written anything, so the transaction goes on. */
async function unlessRefused(work: () => Promise<void>): Promise<(typeof leftOutReasons)[number] | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Refusal && error.fault.code === 'conflict') return 'obligation_moved_on'
    if (error instanceof Refusal && error.fault.code === 'forbidden') return 'own_waiver'
    throw error
  }
}

type Reminded = { place: Place; users: Who[]; reason: string }

async function remindThese(
  tx: Tx,
  { by }: ActingCaller,
  { place, users, reason }: Reminded,
): Promise<LeftOut[]> {
  const { orgId, assignmentId } = place
  const userIds = users.map(({ id }) => id)
  const reminded = new Set(await sendByHand(tx, { id: assignmentId, organizationId: orgId }, { userIds }))
  for (const userId of reminded) await note(tx, by, { ...place, userId, as: 'obligation.reminded', reason })
  return users
    .filter(({ id }) => !reminded.has(id))
    .map((user) => ({ user, reason: 'not_reminded' as const }))
}
