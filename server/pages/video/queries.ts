import * as z from 'zod/mini'
import { ShownCaption } from '#contract/videos/shown-captions.ts'
import { StoredChapters } from '#contract/videos/shown-chapters.ts'
import { videoStates, videoPrivacies } from '#contract/videos/videos.ts'
import { CustomFields } from '#contract/directory/fields.ts'
import { Policies } from '#contract/directory/organizations.ts'
import { finishedOf } from '#contract/quizzes/quiz-check.ts'
import { languages } from '#contract/platform/text/languages.ts'
import { QuizDraft } from '#contract/quizzes/quizzes.ts'
import { NamedField, namedFields } from '#server/directory/people/variables.ts'
import { type Database, row, rows } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import type { PlayClaims } from '#server/tracking/ingest/token.ts'
import { showsPersons } from '#server/directory/organizations/privacy.ts'
import { asksNothing } from '#server/tracking/completion.ts'
import { ConfirmationRequest, askedOf } from '../../duty/confirmations.ts'
import { isOfMessage, isReminder, owedPart } from '../../duty/of-messages.ts'
import { Step, stepOf } from '../../duty/steps.ts'
import { isOut } from '../../people.ts'

/** An address of the video page stands for this. Without a delivery the link is not (or not any more) a personal one. */
export const Watchable = z.object({
  videoId: z.string(),
  title: z.string(),
  description: z.nullable(z.string()),
  state: z.enum(videoStates),
  privacy: z.enum(videoPrivacies),
  organizationId: z.string(),
  organization: z.string(),
  accentColor: z.nullable(z.string()),
  /** These are the policies as they are stored, so what was added later may be missing. */
  policies: z.extend(
    z.partial(Policies),
    z.pick(Policies, { maxRate: true, completionThreshold: true }).shape,
  ),
  /** These are the key and the size of the organization's picture. */
  logo: z.nullable(z.object({ key: z.string(), width: z.number(), height: z.number() })),
  transmissionId: z.nullable(z.string()),
  deliveryId: z.nullable(z.string()),
  userId: z.nullable(z.string()),
  sender: z.nullable(z.string()),
  /** This is the name of the person whose personal link it is, and below it what the sender wrote to them. */
  recipient: z.nullable(z.string()),
  words: z.nullable(z.string()),
  /**
   * The words may name these: the address to which they were sent, what the organization keeps about the person, and its fields where a
   * word asks for one.
   */
  address: z.nullable(z.string()),
  fields: z.nullable(CustomFields),
  named: z.nullable(z.array(NamedField)),
  /** The personal link opens nothing any more for this reason; null means that it still does. */
  linkEnd: z.nullable(z.enum(['revoked', 'stopped', 'ended'])),
  linkRevokedReason: z.nullable(z.string()),
  /** This recipient is asked to have watched by this day, which is told in this time zone. */
  dueAt: z.nullable(z.string()),
  /** This recipient has completed it, and it is not asked of them again. */
  isDone: z.boolean(),
  timeZone: z.string(),
  /** This is the place in the path of its assignment; null means that it stands alone. */
  step: z.nullable(Step),
  /** This recipient is spoken to in this language; `usualLanguage` is that of people of the organization. */
  language: z.nullable(z.enum(languages)),
  usualLanguage: z.enum(languages),
  versionId: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  width: z.nullable(z.number()),
  height: z.nullable(z.number()),
  poster: z.nullable(z.string()),
  ready: z.boolean(),
  /** This recipient stopped here, in milliseconds; null for everybody else. */
  position: z.nullable(z.number()),
  /** They have watched some of it before. */
  watched: z.boolean(),
  /** A reminder has the parts that are still owed, where some but not all were seen; null for every other link. */
  missing: z.nullable(z.string()),
  /** This recipient is to confirm these sentences, or has confirmed them. */
  asked: z.nullable(z.array(ConfirmationRequest)),
  /** These are the chapters of the version that plays here, as they are kept. */
  chapters: StoredChapters,
  /** These are its captions, subtitles and descriptions; null means that it has none. */
  captions: z.nullable(z.array(ShownCaption)),
  /** The video asks something at these places; null means that it asks nothing. */
  quiz: z.nullable(
    z.object({
      id: z.string(),
      stops: z.array(z.object({ atMs: z.nullable(z.number()), gate: z.boolean() })),
    }),
  ),
})
export type Watchable = z.infer<typeof Watchable>

type Address = { videoId: string; linkHash: Buffer | null }

const lookUp = ({
  videoId,
  linkHash,
}: Address) => sql`select v.id as "videoId", v.title, v.description, v.state, v.privacy, o.id as "organizationId", o.name as organization, o.accent_color as "accentColor", o.policies,
      case when l.key is not null then json_build_object('key', l.key, 'width', l.width, 'height', l.height) end as logo,
      t.id as "transmissionId", case when t.id is null then null else d.id end as "deliveryId",
      case when t.id is null then null else d.user_id end as "userId", t.sender_name as sender,
      case when t.id is null then null else u.name end as recipient, t.body as words,
      case when t.id is null then null else d.address end as address, case when t.id is null then null else coalesce(u.custom_fields, '{}') end as fields,
      case when t.body like '%{{%' then (select json_agg(n) from (${namedFields(sql`o.id`)}) n) end as named,
      case when t.id is null then null when d.link_revoked_at is not null then 'revoked'
        when u.id is null or ${isOut('u')} then 'stopped'
        when t.links_end_at <= now() then 'ended' end as "linkEnd", d.link_revoked_reason as "linkRevokedReason",
      to_char(t.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "dueAt", w.completed_at is not null and owed.coverage is null as "isDone", o.time_zone as "timeZone", ${stepOf(sql`t.assignment_id`)} as step,
      case when t.id is null then null else u.language end as language, o.language as "usualLanguage",
      r.id as "versionId", r.duration_ms as "durationMs", r.width, r.height, coalesce(r.poster_small, r.poster) as poster,
      r.ready_at is not null as ready, w.position, coalesce(w.plays > 0, false) as watched,
      case when ${isReminder} and ${showsPersons(sql`o.id`)}
        then (int4multirange(int4range(0, r.duration_ms)) - nullif(case when owed.coverage is not null then case when not owed.is_unconfirmed then owed.coverage end
          when w.completed_at is null and (t.assignment_id is null or ${isOfMessage(sql`t.assignment_id`)}) then w.coverage end, '{}'))::text end as missing,
      case when t.id is not null then ${askedOf(sql`d.user_id`, sql`v.id`)} end as asked,
      (select c.chapters from video_chapters c where c.version_id = r.id) as chapters,
      (select json_agg(json_build_object('id', c.id, 'language', c.language, 'kind', c.kind, 'isDefault', c.is_default, 'revision', c.revision)
        order by c.is_default desc, c.language, c.kind) from captions c where c.version_id = r.id and c.cue_count > 0) as captions,
      case when q.id is not null then json_build_object('id', q.id, 'stops', (
        select coalesce(json_agg(json_build_object('atMs', i.at_ms, 'gate', i.gate) order by i.at_ms, i.position), '[]')
        from quiz_items i where i.version_id = q.current_version_id)) end as quiz
    from videos v
    join organizations o on o.id = v.organization_id and o.deleted_at is null and o.state = 'active'
    left join pictures l on l.key = o.logo
    left join deliveries d on d.link_hash = ${linkHash}::bytea and d.organization_id = v.organization_id
    left join transmissions t on t.id = d.transmission_id and t.video_id = v.id
    left join users u on u.id = d.user_id and u.organization_id = d.organization_id
    left join video_versions r on r.id = coalesce(case when t.assignment_id is null then t.version_id end, v.current_version_id) and r.video_id = v.id
    left join ${owedPart(sql`r.id`)} owed on true
    left join quizzes q on q.video_id = v.id and q.current_version_id is not null and not ${sql.raw(asksNothing)}
    left join viewer_videos w on w.version_id = r.id and w.viewer_key = 'recipient:' || d.user_id and t.id is not null
    where v.id = ${videoId} and v.deleted_at is null limit 1`

const QuizRow = z.object({ id: z.string(), draft: QuizDraft })

/** Finds what a trial of the draft asks, and where; null where no question is finished. */
export async function findDraftStops(db: Database, { video, durMs }: PlayClaims): Promise<Watchable['quiz']> {
  const found = await rows(db.single, QuizRow, sql`select id, draft from quizzes where video_id = ${video}`)
  const [quiz] = found
  const stops = quiz ? finishedOf(quiz.draft, durMs).map(({ atMs, gate }) => ({ atMs, gate })) : []
  return quiz && stops.length > 0 ? { id: quiz.id, stops } : null
}

/**
 * Looks a video up by the id in the address and the SHA-256 of the personal secret, if there is one. The page is public, so no tenant is
 * known before.
 */
export function findWatchable(db: Database, address: Address): Promise<Watchable | undefined> {
  return row(db.single, Watchable, lookUp(address))
}
