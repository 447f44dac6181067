import * as z from 'zod/mini'
import type { startPreview } from '#contract/audience/audience.ts'
import type { Reply } from '#contract/endpoint.ts'
import { Policies } from '#contract/directory/organizations.ts'
import { requireRow, type Tx } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import type { Keys } from '#server/platform/keys.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'

const Playable = z.object({
  organizationId: z.string(),
  versionId: z.string(),
  durationMs: z.number(),
  policies: Policies,
})
type Playable = z.infer<typeof Playable>
type PreviewRequest = { videoId: string; userId: string }

/** What administrators play is taken like any other viewing, and nothing of it is written down: the token says so. */
export async function previewOf(
  tx: Tx,
  keys: Keys,
  { videoId, userId }: PreviewRequest,
): Promise<Reply<typeof startPreview>> {
  const found = await requireRow(
    tx,
    Playable,
    sql`select v.organization_id as "organizationId", n.id as "versionId", n.duration_ms as "durationMs", o.policies
      from videos v join organizations o on o.id = v.organization_id
      join video_versions n on n.id = v.current_version_id
      where v.id = ${videoId} and v.deleted_at is null and o.deleted_at is null and n.ready_at is not null and n.duration_ms > 0`,
  )
  const { organizationId, versionId, durationMs, policies } = found
  const { maxRate, completionThreshold } = policies
  const { token } = startPlay(keys, {
    org: organizationId,
    video: videoId,
    version: versionId,
    durMs: durationMs,
    kind: 'preview',
    userId,
    maxRate,
    theta: completionThreshold,
  })
  return { playToken: token, durationMs, maxRate, completes: completionThreshold }
}
