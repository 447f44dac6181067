import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Receipt } from '#contract/evidence/certificates.ts'
import { evidenceStates } from '#contract/tracking/evidence-states.ts'
import type { Language } from '#contract/platform/text/languages.ts'
import { defaultPolicies, Policies } from '#contract/directory/organizations.ts'
import { Failed } from '#contract/quizzes/failed.ts'
import { arrayOf, requireRow, type Tx } from '#server/platform/db/client.ts'
import { parseRanges } from '#server/platform/db/multirange.ts'
import { isoText } from '#server/platform/db/search.ts'
import { refuse } from '#server/platform/errors.ts'
import type { Services } from '#server/platform/http/services.ts'
import { requirePlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { insistedOn } from '#server/tracking/completion.ts'
import { requirements } from '#contract/assignments/assignments.ts'
import { failedOf } from '#server/quizzes/failing.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'
import { sql } from '../../platform/db/sql.ts'
import { lengthOf } from '../../tracking/credit.ts'
import { isInDoubt } from '../../tracking/served/doubt.ts'
import { owedPart } from '../../duty/of-messages.ts'
import { saidIn, saidWithin } from '../../duty/said.ts'
import { nextOf } from '../../duty/steps.ts'
import { isUnconfirmed } from '../../duty/unconfirmed.ts'
import { sessionLimit } from '../../tracking/ingest/limits.ts'
import { requireTurn } from '../../tracking/ingest/pace.ts'
import { minus } from '../../tracking/ranges.ts'
import { hundredths } from './facts.ts'
import { issue } from './issue.ts'
import { drawn } from './pdf.ts'
import { readStored } from './queries.ts'

type Taking = { playToken: string; language?: Language | undefined }

/** Returns what the viewer of a play token may know, which is their own record. The token is the right to it. */
export function receipts(services: Services) {
  const { db, keys } = services
  const [asked, taken] = [sessionLimit(), sessionLimit()]

  async function read({ playToken, language = 'en' }: Taking): Promise<Receipt> {
    const claims = requirePlay(keys, playToken)
    requireTurn(asked(claims.session, Date.now()))
    return db.as({ organizationId: claims.org }, async (tx) => {
      const receipt = await receiptOf(tx, claims)
      return { ...receipt, unheard: await unheardIn(tx, receipt, { claims, language }) }
    })
  }

  async function take({ playToken, language }: Taking, request: FastifyRequest) {
    const claims = requirePlay(keys, playToken)
    const userId = recipientOf(claims)
    if (userId === undefined) throw refuse('forbidden')
    requireTurn(taken(claims.viewerKey, Date.now()))
    const visibility = { organizationId: claims.org, groupIds: undefined }
    const stored = await db.as({ organizationId: claims.org }, async (tx) => {
      const { completedAt, mustPass } = await recordedFor(tx, claims)
      if (completedAt === null)
        throw refuse('conflict', {
          reason: { code: mustPass ? 'questions_not_passed' : 'video_not_completed' },
        })
      const by = { caller: { userId }, request }
      const about = { visibility, userId, videoId: claims.video }
      const id = await issue(tx, { keys, by, about, isOwn: true })
      return readStored(tx, { of: { visibility, userId }, id })
    })
    return drawn(services, { ...stored, language: language ?? stored.language })
  }

  return { read, take }
}

function recipientOf({ kind, viewerKey }: PlayClaims): string | undefined {
  return kind === 'recipient' ? viewerKey.slice('recipient:'.length) : undefined
}

const ReceiptRow = z.object({
  tells: z.boolean(),
  coverage: z.nullable(z.string()),
  completedAt: z.nullable(z.string()),
  evidence: z.nullable(z.enum(evidenceStates)),
  least: Policies.shape.certificateEvidence,
  openQuestions: z.number(),
  mustPass: z.boolean(),
  failed: z.nullable(Failed),
  isBehind: z.boolean(),
  isDoubted: z.boolean(),
  toConfirm: z.array(z.string()),
  next: z.nullable(z.string()),
  /** The message asks for this, while its assignment is open for this person. */
  owed: z.nullable(
    z.object({ coverage: z.string(), requirement: z.enum(requirements), passed: z.boolean() }),
  ),
})

function recordedFor(tx: Tx, claims: PlayClaims): Promise<z.infer<typeof ReceiptRow>> {
  const userId = /^(?:recipient|user):(.+)$/.exec(claims.viewerKey)?.[1] ?? null
  const theirs = userId === null ? sql`a.viewer_key = ${claims.viewerKey}` : sql`a.user_id = ${userId}::uuid`
  return requireRow(
    tx,
    ReceiptRow,
    sql`with ${insistedOn(claims.video, arrayOf([claims.viewerKey], 'text'))},
      known as (select distinct i.key from quiz_attempts a join quiz_answers w on w.attempt_id = a.id
        join quiz_items i on i.id = w.item_id where a.video_id = ${claims.video} and a.viewer_key = ${claims.viewerKey})
    select ${showsPersons(sql`o.id`)} as tells, w.coverage::text as coverage, ${isoText(sql`w.completed_at`)} as "completedAt",
      w.evidence, coalesce(o.policies->>'certificateEvidence', ${defaultPolicies.certificateEvidence}) as least,
      (select count(*)::int from gates where key not in (select key from known)) as "openQuestions",
      exists (select from tests) and not exists (select from passed) as "mustPass",
      ${failedOf(sql`a.organization_id = ${claims.org} and a.video_id = ${claims.video} and ${theirs}`)} as failed,
      exists (select 1 from track_batches b where b.session_id = ${claims.session} and not b.folded) as "isBehind",
      exists (select 1 from play_sessions p where p.id = ${claims.session} and ${isInDoubt('p')}) as "isDoubted",
      array(select p.id from obligations p join assignments a on a.id = p.assignment_id and a.state in ('active', 'paused')
        where p.organization_id = ${claims.org} and p.user_id = ${recipientOf(claims) ?? null}::uuid and p.video_id = ${claims.video}
          and p.state = 'open' and ${isUnconfirmed('p')} order by p.since desc, p.id) as "toConfirm",
      (select json_build_object('coverage', owed.coverage::text, 'requirement', owed.requirement, 'passed', exists (select from quiz_attempts q
          where q.video_id = ${claims.video} and q.passed and q.completed_at >= owed.answers_from and q.user_id = d.user_id))
        from deliveries d join transmissions t on t.id = d.transmission_id, ${owedPart(sql`${claims.version}::uuid`)} owed
        where d.transmission_id = ${claims.transmission ?? null}::uuid and d.id = ${(claims.kind === 'preview' ? null : claims.delivery) ?? null}::uuid) as owed,
      (select ${nextOf} from deliveries d join transmissions t on t.id = d.transmission_id
        where d.transmission_id = ${claims.transmission ?? null}::uuid and d.id = ${claims.delivery ?? null}::uuid) as next
    from organizations o left join viewer_videos w on w.version_id = ${claims.version} and w.viewer_key = ${claims.viewerKey}
    where o.id = ${claims.org} and o.deleted_at is null`,
  )
}

/**
 * Reads the receipt. Whoever came by a message of an assignment is told what is missing of that, however often they have seen the video
 * before.
 */
async function receiptOf(tx: Tx, claims: PlayClaims): Promise<Omit<Receipt, 'unheard'>> {
  const found = await recordedFor(tx, claims)
  const { tells, openQuestions, failed, isBehind, isDoubted, toConfirm, next, evidence, least, owed } = found
  const completedAt = owed ? null : found.completedAt
  const covered = parseRanges(owed?.coverage ?? found.coverage ?? '')
  const isFounded = evidence === 'proven' || (evidence === 'likely' && least === 'likely')
  const isEnough = lengthOf(covered) >= claims.theta * claims.durMs
  return {
    share: tells ? Math.min(10_000, hundredths(lengthOf(covered) / Math.max(1, claims.durMs))) : null,
    missing: tells ? minus([[0, claims.durMs]], covered) : null,
    completedAt,
    evidence: tells ? (evidence ?? 'none') : null,
    isChecking: tells && completedAt === null && isEnough && evidence === 'checking',
    openQuestions: completedAt === null ? openQuestions : 0,
    mustPass: owed ? owed.requirement === 'passed' && !owed.passed : found.mustPass,
    failed,
    isBehind,
    isDoubted,
    toConfirm,
    next,
    mayCertify: found.completedAt !== null && isFounded && recipientOf(claims) !== undefined,
  }
}

type Reading = { claims: PlayClaims; language: Language }

/** Nothing of it is told before something was seen: it would be the whole video. */
async function unheardIn(
  tx: Tx,
  { share, missing }: Pick<Receipt, 'share' | 'missing'>,
  { claims, language }: Reading,
): Promise<string[]> {
  if (share === null || share === 0 || missing === null || missing.length === 0) return []
  const track = await saidIn(tx, { organizationId: claims.org, versionId: claims.version, language })
  return track ? missing.map((part) => saidWithin(track.cues, [part]).text) : []
}
