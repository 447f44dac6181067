import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { Caption, type CaptionFormat } from '#contract/videos/captions.ts'
import { CueList, type EditedCue } from '#contract/videos/cues.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import { requireRow, row, rows, type Tx } from '../../platform/db/client.ts'
import { isoText } from '../../platform/db/search.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import { Cue } from './cues.ts'
import type { CaptionText } from './read.ts'

const proofRead = sql`case when c.proof_read_at is not null then json_build_object('at', ${isoText(sql`c.proof_read_at`)}, 'by',
    (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = c.proof_read_by and u.name is not null)) end as "proofRead"`

const listed = sql`c.language, c.kind, c.is_default as "isDefault", c.cue_count as cues, c.format, c.file_name as "fileName",
    c.recognised_with as "recognisedWith", c.made_for as "madeFor", ${proofRead},
    ${isoText(sql`c.created_at`)} as "createdAt", ${isoText(sql`c.updated_at`)} as "updatedAt",
    (select json_build_object('cues', count(*), 'part', json_build_array(min((f->>'startMs')::int), max((f->>'endMs')::int)))
      from jsonb_array_elements(c.former) f having count(*) > 0) as former`

/** The version that plays, or the newest where none does yet. */
const playing = (videoId: string): SQL => sql`(select coalesce(v.current_version_id,
    (select x.id from video_versions x where x.video_id = v.id order by x.number desc limit 1)) from videos v where v.id = ${videoId})`

const Version = z.object({
  id: z.nullable(z.string()),
  organizationId: z.string(),
  number: z.nullable(z.number()),
  updatedAt: z.string(),
})

/** What captions of a video belong to; refused where there is no such video. */
export function readVersion(tx: Tx, videoId: string): Promise<z.infer<typeof Version>> {
  return requireRow(
    tx,
    Version,
    sql`select x.id, v.organization_id as "organizationId", x.number,
        ${isoText(sql`coalesce((select max(c.updated_at) from captions c where c.version_id = x.id), v.created_at)`)} as "updatedAt"
      from videos v left join video_versions x on x.id = ${playing(videoId)} where v.id = ${videoId} and v.deleted_at is null`,
  )
}

export function listOf(tx: Tx, versionId: string): Promise<Caption[]> {
  return rows(
    tx,
    Caption,
    sql`select ${listed} from captions c where c.version_id = ${versionId} order by c.is_default desc, c.language, c.kind`,
  )
}

export type CaptionPlace = { versionId: string; language: string; kind: CaptionKind }

const at = ({ versionId, language, kind }: CaptionPlace): SQL =>
  sql`version_id = ${versionId} and language = ${language} and kind = ${kind}`

export function findCaption(tx: Tx, place: CaptionPlace): Promise<Caption | undefined> {
  return row(tx, Caption, sql`select ${listed} from captions c where ${at(place)}`)
}

const Stored = z.object({
  head: z.string(),
  cues: z.array(Cue),
  former: z.array(Cue),
  fileName: z.nullable(z.string()),
  updatedAt: z.string(),
})

/** All of its text; refused where there is none. */
export function readStored(tx: Tx, place: CaptionPlace): Promise<z.infer<typeof Stored>> {
  return requireRow(
    tx,
    Stored,
    sql`select head, cues, former, file_name as "fileName", ${isoText(sql`updated_at`)} as "updatedAt" from captions where ${at(place)}`,
  )
}

/** Another address for other text, so that players may keep what they fetched. */
export function revisionOf({ head, cues }: CaptionText): string {
  // The database keeps fields in an order of its own.
  const told = cues.map(({ id, startMs, endMs, settings, text }) => [id, startMs, endMs, settings, text])
  const text = JSON.stringify([head, told])
  return hash('sha256', text, 'hex').slice(0, 16)
}

const Edited = z.extend(z.omit(CueList, { cues: true }), {
  cues: z.array(Cue),
  revision: z.string(),
  updatedAt: z.string(),
  editedBy: z.nullable(z.string()),
  /** Their author has changed them within the last quarter of an hour. */
  isSitting: z.boolean(),
})

function findEdited(tx: Tx, place: CaptionPlace): Promise<z.infer<typeof Edited> | undefined> {
  return row(
    tx,
    Edited,
    sql`select c.cues, c.revision, ${proofRead}, ${isoText(sql`c.updated_at`)} as "updatedAt", c.edited_by as "editedBy",
        coalesce(c.edited_at > now() - interval '15 minutes', false) as "isSitting",
        (select json_build_object('id', u.id, 'name', u.name) from users u where u.id = c.edited_by and u.name is not null) as "updatedBy"
      from captions c where ${at(place)}`,
  )
}

/** Whether this person has changed them a moment ago, so that going on is the same sitting. */
export async function isSitting(tx: Tx, place: CaptionPlace, userId: string | null): Promise<boolean> {
  const found = await findEdited(tx, place)
  return found !== undefined && found.isSitting && found.editedBy === userId
}

/** One by one, each with a name: what came by a file gets one that means the same as long as the file does. */
export async function readEdited(tx: Tx, place: CaptionPlace): Promise<CueList> {
  const found = await findEdited(tx, place)
  if (!found) return { cues: [], proofRead: null, updatedAt: null, updatedBy: null }
  const { revision, updatedAt, updatedBy } = found
  const cues = found.cues.map((cue, index): EditedCue => ({ ...cue, key: cue.key ?? `${revision}-${index}` }))
  return { cues, proofRead: found.proofRead, updatedAt, updatedBy }
}

type EditedCaption = CaptionPlace & {
  organizationId: string
  videoId: string
  madeFor: number
  cues: readonly Cue[]
  by: string | null
}

/** What somebody has typed takes the place of the cues alone; the styles above them stay. */
export async function storeEdited(tx: Tx, edited: EditedCaption): Promise<void> {
  const { organizationId, videoId, versionId, language, kind, madeFor, cues, by } = edited
  const head =
    (await row(tx, z.object({ head: z.string() }), sql`select head from captions where ${at(edited)}`))
      ?.head ?? ''
  await tx.execute(
    sql`insert into captions (organization_id, video_id, version_id, language, kind, format, made_for, head, cues, cue_count, revision,
        edited_at, edited_by)
      values (${organizationId}, ${videoId}, ${versionId}, ${language}, ${kind}, 'vtt', ${madeFor}, ${head}, ${JSON.stringify(cues)}::jsonb,
        ${cues.length}, ${revisionOf({ head, cues: [...cues] })}, now(), ${by})
      on conflict (version_id, language, kind) do update set cues = excluded.cues, cue_count = excluded.cue_count,
        revision = excluded.revision, updated_at = now(), proof_read_at = null, proof_read_by = null, edited_at = now(),
        edited_by = excluded.edited_by`,
  )
}

/** Nothing is left of a former version where somebody says that all of it is right. */
export async function storeProofRead(
  tx: Tx,
  place: CaptionPlace,
  by: { id: string | null } | null,
): Promise<void> {
  await tx.execute(
    by
      ? sql`update captions set proof_read_at = now(), proof_read_by = ${by.id}, former = '[]', updated_at = now() where ${at(place)}`
      : sql`update captions set proof_read_at = null, proof_read_by = null, updated_at = now() where ${at(place)}`,
  )
}

type NewCaption = CaptionPlace & {
  organizationId: string
  videoId: string
  format: CaptionFormat
  fileName: string | null
  madeFor: number
  /** The model that has heard it. */
  recognisedWith?: string
}

/** In place of what is there of the same language and kind; whether it is shown from the start stays. */
export async function storeCaption(tx: Tx, made: NewCaption, text: CaptionText): Promise<void> {
  const {
    organizationId,
    videoId,
    versionId,
    language,
    kind,
    format,
    fileName,
    madeFor,
    recognisedWith = null,
  } = made
  await tx.execute(
    sql`insert into captions (organization_id, video_id, version_id, language, kind, format, file_name, made_for, recognised_with, head, cues, cue_count, revision)
      values (${organizationId}, ${videoId}, ${versionId}, ${language}, ${kind}, ${format}, ${fileName}, ${madeFor}, ${recognisedWith}, ${text.head},
        ${JSON.stringify(text.cues)}::jsonb, ${text.cues.length}, ${revisionOf(text)})
      on conflict (version_id, language, kind) do update set format = excluded.format, file_name = excluded.file_name,
        made_for = excluded.made_for, recognised_with = excluded.recognised_with, head = excluded.head, cues = excluded.cues,
        cue_count = excluded.cue_count, former = '[]', revision = excluded.revision, updated_at = now(), proof_read_at = null,
        proof_read_by = null, edited_at = null, edited_by = null`,
  )
}

const Whole = z.object({ whole: z.record(z.string(), z.unknown()) })
/** All of a row but what the database works out of the rest by itself. */
const own = sql`id, organization_id, video_id, version_id, language, kind, is_default, format, file_name, made_for, head, cues, cue_count,
  former, revision, created_at, updated_at, proof_read_at, proof_read_by, recognised_with, edited_at, edited_by`

/** All that was there, to be put back; undefined where nothing was. */
export async function removeCaption(
  tx: Tx,
  place: CaptionPlace,
): Promise<Record<string, unknown> | undefined> {
  const found = await row(
    tx,
    Whole,
    sql`delete from captions c where ${at(place)} returning to_jsonb(c) - 'said' - 'said_words' as whole`,
  )
  return found?.whole
}

/** Puts back what was removed, unless others of its language and kind are there or another version plays; then false. */
export async function putBack(tx: Tx, videoId: string, whole: unknown): Promise<boolean> {
  const { rowCount } = await tx.execute(
    sql`insert into captions (${own}) select ${own} from jsonb_populate_record(null::captions, ${JSON.stringify(whole)}::jsonb
        || jsonb_build_object('updated_at', now(), 'is_default', ${isFirst(whole)}::boolean
          and not exists (select 1 from captions o where o.version_id = ${playing(videoId)} and o.is_default))) c
      where c.video_id = ${videoId} and c.version_id = ${playing(videoId)} on conflict do nothing`,
  )
  return rowCount === 1
}

const isFirst = (whole: unknown): boolean =>
  z.looseObject({ is_default: z.boolean() }).safeParse(whole).data?.is_default ?? false

/** One of them, or none, is shown from the start. */
export async function showFromStart(tx: Tx, versionId: string, shown: CaptionPlace | null): Promise<void> {
  await tx.execute(
    sql`update captions set is_default = false, updated_at = now() where version_id = ${versionId} and is_default`,
  )
  if (shown)
    await tx.execute(sql`update captions set is_default = true, updated_at = now() where ${at(shown)}`)
}

const Carried = z.extend(z.pick(Caption, { language: true, kind: true }), {
  id: z.string(),
  head: z.string(),
  cues: z.array(Cue),
  former: z.array(Cue),
})

export function captionsOf(tx: Tx, versionId: string): Promise<z.infer<typeof Carried>[]> {
  return rows(
    tx,
    Carried,
    sql`select id, language, kind, head, cues, former from captions where version_id = ${versionId}`,
  )
}

type Held = {
  id: string
  versionId: string
  head: string
  cues: readonly Cue[]
  former: readonly Cue[]
  /** Whoever has read them has read what holds now. */
  isProofRead: boolean
}

/** The same captions for another version, with what holds there. One that was given to it before stays. */
export async function carryCaption(tx: Tx, held: Held): Promise<void> {
  const { id, versionId, head, cues, former, isProofRead } = held
  const read = isProofRead ? sql`proof_read_at, proof_read_by` : sql`null, null`
  await tx.execute(
    sql`insert into captions (organization_id, video_id, version_id, language, kind, is_default, format, file_name, made_for,
        recognised_with, head, cues, cue_count, former, revision, proof_read_at, proof_read_by)
      select organization_id, video_id, ${versionId}, language, kind, is_default, format, file_name, made_for, recognised_with, head,
        ${JSON.stringify(cues)}::jsonb, ${cues.length}, ${JSON.stringify(former)}::jsonb, ${revisionOf({ head, cues: [...cues] })}, ${read}
      from captions where id = ${id} on conflict (version_id, language, kind) do nothing`,
  )
}
