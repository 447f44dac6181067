import * as z from 'zod/mini'
import { captionPolicies, mostSigns, readinessOf, type Readiness } from '#contract/videos/readiness.ts'
import { videoStates } from '#contract/videos/videos.ts'
import { requireRow, type Tx } from '../platform/db/client.ts'
import { sql } from '../platform/db/sql.ts'
import { captionPolicyOf, hasSound, toBeSent } from '../directory/organizations/captions.ts'

const Facts = z.object({
  state: z.enum(videoStates),
  policy: z.enum(captionPolicies),
  hasSound: z.nullable(z.boolean()),
  captions: z.array(
    z.object({
      language: z.string(),
      kind: z.enum(['captions', 'subtitles']),
      isProofRead: z.boolean(),
      isRecognised: z.boolean(),
      fastCues: z.number(),
    }),
  ),
})

/** Signs that somebody reads: a mark is none, and what stands for a sign is one. */
const signs = sql`length(regexp_replace(regexp_replace(e->>'text', '<[^>]*>', '', 'g'), '&[a-z]+;', '-', 'g'))`

const fastCues = sql`(select count(*)::int from jsonb_array_elements(c.cues) e
  where ${signs} * 1000 > ${mostSigns}::int * ((e->>'endMs')::int - (e->>'startMs')::int))`

/** What is missing of a video before people are sent it. */
export async function readReadiness(tx: Tx, videoId: string): Promise<Readiness> {
  const facts = await requireRow(
    tx,
    Facts,
    sql`select v.state, ${captionPolicyOf('o')} as policy, ${hasSound('x')} as "hasSound",
        coalesce((select jsonb_agg(jsonb_build_object('language', c.language, 'kind', c.kind, 'isProofRead', c.proof_read_at is not null,
            'isRecognised', c.recognised_with is not null, 'fastCues', ${fastCues}) order by c.language, c.kind)
          from captions c where c.version_id = x.id and c.cue_count > 0 and c.kind <> 'descriptions'), '[]') as captions
      from videos v join organizations o on o.id = v.organization_id left join ${toBeSent('v')} x on true where v.id = ${videoId}`,
  )
  return readinessOf(facts)
}
