import * as z from 'zod/mini'
import { Recognition, type RecognitionFailure } from '#contract/videos/speech.ts'
import { hasSound } from '../../directory/organizations/captions.ts'
import { notify } from '../../notifications/notify.ts'
import { asSystem, hasRow, row, rows, type Database, type Tx } from '../../platform/db/client.ts'
import { insertedId } from '../../platform/db/rows.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'

/** One recognition, as its job names it. */
export const RecognitionKey = z.object({ organizationId: z.string(), recognitionId: z.string() })
export type RecognitionKey = z.infer<typeof RecognitionKey>

const told = sql`r.id, r.language, r.state, r.progress::float8 as progress, r.failure,
    case when r.made_cues is null then null else json_build_object('language', r.made_language, 'cues', r.made_cues) end as made,
    ${isoText(sql`r.created_at`)} as "createdAt", ${isoText(sql`r.updated_at`)} as "updatedAt"`

const isOpen = sql`r.state in ('waiting', 'working')`

/** The newest one of a version. */
export function lastOf(tx: Tx, versionId: string): Promise<Recognition | undefined> {
  return row(
    tx,
    Recognition,
    sql`select ${told} from recognitions r where r.version_id = ${versionId} order by r.created_at desc, r.id desc limit 1`,
  )
}

export function findRecognition(tx: Tx, id: string): Promise<Recognition | undefined> {
  return row(tx, Recognition, sql`select ${told} from recognitions r where r.id = ${id}`)
}

/** Holds where a version is known to have no sound; of one that was made before that was noted, the recognition finds it out. */
export const isSilent = (tx: Tx, versionId: string): Promise<boolean> =>
  hasRow(tx, sql`select 1 from video_versions x where x.id = ${versionId} and ${hasSound('x')} is false`)

export function isRunning(tx: Tx, versionId: string): Promise<boolean> {
  return hasRow(tx, sql`select 1 from recognitions r where r.version_id = ${versionId} and ${isOpen}`)
}

type Wanted = {
  organizationId: string
  videoId: string
  versionId: string
  language: string
  mayReplace: boolean
  askedBy: string | null
}

export function addRecognition(tx: Tx, wanted: Wanted): Promise<string> {
  const { organizationId, videoId, versionId, language, mayReplace, askedBy } = wanted
  return insertedId(
    tx,
    sql`insert into recognitions (organization_id, video_id, version_id, language, may_replace, asked_by)
      values (${organizationId}, ${videoId}, ${versionId}, ${language}, ${mayReplace}, ${askedBy}) returning id`,
  )
}

/** Returns whether there was one that could be stopped. Whoever works on it sees that by itself. */
export function stopRecognition(tx: Tx, versionId: string): Promise<boolean> {
  return hasRow(
    tx,
    sql`update recognitions r set state = 'cancelled', updated_at = now() where r.version_id = ${versionId} and ${isOpen} returning r.id`,
  )
}

const Begun = z.object({
  videoId: z.string(),
  versionId: z.string(),
  language: z.string(),
  mayReplace: z.boolean(),
  askedBy: z.nullable(z.string()),
  durationMs: z.number(),
  number: z.number(),
  askedAt: z.string(),
})
export type Begun = z.infer<typeof Begun>

const plays = (id: SQL): SQL =>
  sql`exists (select 1 from videos v where v.id = r.video_id and v.deleted_at is null and v.state <> 'archived'
    and v.current_version_id = ${id})`

/** What is to be done; undefined when nobody waits for it any more. */
export function beginRecognition(tx: Tx, { recognitionId }: RecognitionKey): Promise<Begun | undefined> {
  return row(
    tx,
    Begun,
    sql`update recognitions r set state = 'working', progress = 0, updated_at = now() from video_versions x
      where r.id = ${recognitionId} and ${isOpen} and x.id = r.version_id and x.duration_ms is not null
      returning r.video_id as "videoId", r.version_id as "versionId", r.language, r.may_replace as "mayReplace",
        r.asked_by as "askedBy", x.duration_ms as "durationMs", x.number, ${isoText(sql`r.created_at`)} as "askedAt"`,
  )
}

/** False when nobody waits for the result any more, or what it is of does not play any more. */
export function showHeard(
  db: Database,
  { recognitionId }: RecognitionKey,
  fraction: number,
): Promise<boolean> {
  return hasRow(
    db.single,
    sql`update recognitions r set progress = ${fraction}, updated_at = now()
      where r.id = ${recognitionId} and r.state = 'working' and ${plays(sql`r.version_id`)} returning r.id`,
  )
}

/** Holds it until the transaction ends; false when nobody waits for its result any more. */
export function claimHeard(tx: Tx, { recognitionId }: RecognitionKey): Promise<boolean> {
  return hasRow(
    tx,
    sql`select 1 from recognitions r where r.id = ${recognitionId} and r.state = 'working' and ${plays(sql`r.version_id`)} for update`,
  )
}

export async function noteMade(
  tx: Tx,
  { organizationId, recognitionId }: RecognitionKey,
  { language, cues }: { language: string; cues: number },
): Promise<void> {
  const asked = await row(
    tx,
    Asked,
    sql`update recognitions r set state = 'done', progress = 1, made_language = ${language}, made_cues = ${cues}, updated_at = now()
      where r.id = ${recognitionId} returning ${asker}`,
  )
  await tellAsker(tx, { organizationId, asked, kind: 'video.recognised', cause: recognitionId })
}

export async function noteFailed(
  tx: Tx,
  { organizationId, recognitionId }: RecognitionKey,
  failure: RecognitionFailure,
): Promise<void> {
  const asked = await row(
    tx,
    Asked,
    sql`update recognitions r set state = 'failed', failure = ${failure}, updated_at = now()
      where r.id = ${recognitionId} and ${isOpen} returning ${asker}`,
  )
  await tellAsker(tx, { organizationId, asked, kind: 'video.not_recognised', cause: recognitionId })
}

const Asked = z.object({ askedBy: z.nullable(z.string()), videoId: z.string() })
const asker = sql`r.asked_by as "askedBy", r.video_id as "videoId"`

type Told = {
  organizationId: string
  asked: z.infer<typeof Asked> | undefined
  kind: 'video.recognised' | 'video.not_recognised'
  cause: string
}

async function tellAsker(tx: Tx, { organizationId, asked, kind, cause }: Told): Promise<void> {
  if (!asked || asked.askedBy === null) return
  await notify(tx, [{ organizationId, userId: asked.askedBy, kind, entityId: asked.videoId, cause }])
}

const Orphan = z.extend(RecognitionKey, { usedUp: z.boolean() })

/** Those for which no job will come any more, and whether theirs were tried to the end. */
export function orphans(tx: Tx): Promise<z.infer<typeof Orphan>[]> {
  return rows(
    tx,
    Orphan,
    sql`select r.organization_id as "organizationId", r.id as "recognitionId",
        exists (select 1 from pgboss.job j where j.name = 'captions.recognise' and j.state = 'failed'
          and j.data->>'recognitionId' = r.id::text and j.completed_on > r.created_at) as "usedUp"
      from recognitions r where ${isOpen} and r.updated_at < now() - interval '10 seconds'
        and not exists (select 1 from pgboss.job j where j.name = 'captions.recognise' and j.state in ('created', 'retry', 'active')
          and j.data->>'recognitionId' = r.id::text)
      limit 100`,
  )
}

/** Takes it out of the line, where it has not begun. */
export async function leaveQueue(tx: Tx, recognitionId: string): Promise<void> {
  const leave = sql`delete from pgboss.job where name = 'captions.recognise' and state < 'active'
    and data->>'recognitionId' = ${recognitionId}`
  // The right to the video was looked at; jobs belong to the system.
  await asSystem(tx, () => tx.execute(leave))
}
