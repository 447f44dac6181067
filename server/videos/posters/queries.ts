import * as z from 'zod/mini'
import { Poster } from '#contract/videos/posters.ts'
import { posterLimits } from '#contract/videos/poster-limits.ts'
import { row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'

/** `poster` and `posterSmall` are names of files of the version. */
const KeptPoster = z.extend(z.pick(Poster, { id: true, kind: true, atMs: true, at: true }), {
  poster: z.string(),
  posterSmall: z.string(),
})
export type KeptPoster = z.infer<typeof KeptPoster>

const Playing = z.object({
  organizationId: z.string(),
  videoId: z.string(),
  versionId: z.string(),
  durationMs: z.number(),
  poster: z.nullable(z.string()),
  posterSmall: z.nullable(z.string()),
  posters: z.array(KeptPoster),
  /** Names and widths of the renditions. */
  renditions: z.nullable(z.array(z.object({ name: z.string(), width: z.number() }))),
})
export type PlayingVersion = z.infer<typeof Playing>

/** The version that plays, with its posters; undefined while none does. `lock`: held until the transaction ends. */
export function findPlaying(tx: Tx, videoId: string, lock = false): Promise<PlayingVersion | undefined> {
  return row(
    tx,
    Playing,
    sql`select n.organization_id as "organizationId", n.video_id as "videoId", n.id as "versionId", n.duration_ms as "durationMs",
        n.poster, n.poster_small as "posterSmall", n.posters, n.renditions
      from videos v join video_versions n on n.id = v.current_version_id
      where v.id = ${videoId} and v.deleted_at is null and n.ready_at is not null and n.duration_ms > 0
      ${lock ? sql`for update of n` : sql``}`,
  )
}

/** All posters that can be had, newest first; the one that the conversion has made is among them always. */
export function postersOf({ posters, poster, posterSmall }: PlayingVersion): KeptPoster[] {
  if (posters.length > 0) return posters
  if (poster === null || posterSmall === null) return []
  return [{ id: 'made', kind: 'made', atMs: null, at: null, poster, posterSmall }]
}

/** Shows a poster, which is put at the head of the list where it is new. `bytes`: of its files. */
export async function showPoster(
  tx: Tx,
  version: PlayingVersion,
  { shown, bytes }: { shown: KeptPoster; bytes: number },
): Promise<void> {
  const before = postersOf(version)
  const isKnown = before.some(({ id }) => id === shown.id)
  const made = before.filter(({ kind }) => kind === 'made')
  const chosen = before.filter(({ kind }) => kind !== 'made')
  const list = isKnown ? before : [shown, ...chosen.slice(0, posterLimits.kept - 1), ...made]
  await tx.execute(
    sql`update video_versions set poster = ${shown.poster}, poster_small = ${shown.posterSmall},
        posters = ${JSON.stringify(list)}::jsonb,
        probe = jsonb_set(coalesce(probe, '{}'), '{bytes}', to_jsonb(coalesce((probe->>'bytes')::bigint, 0) + ${bytes}::bigint))
      where id = ${version.versionId}`,
  )
}
