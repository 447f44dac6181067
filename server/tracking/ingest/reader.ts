import type { Reply } from '#contract/endpoint.ts'
import type { nameReader } from '#contract/tracking/tracks.ts'
import { personBehind, type Caller } from '#server/platform/http/bearer.ts'
import type { Serving } from '#server/tracking/served/served.ts'
import { requirePlay, signPlay, startPlay, type PlayClaims } from '#server/tracking/ingest/token.ts'
import { sessionLimit } from './limits.ts'
import { requireTurn } from './pace.ts'

type Reader = { isRecipient: boolean; caller: Caller | undefined }

/**
 * Says who sits in front of a page. Whoever follows a personal link where the console is open is known. They count as its recipient when
 * they are, or when they say so: then the token keeps who said it. When a superadmin looks at the console through somebody's eyes, it is
 * the superadmin who sits there. Nobody says so where only signed-in people may watch: the page asks them to sign in as that person.
 */
export function readers({ keys, links }: Serving) {
  const limit = sessionLimit()
  return async (playToken: string, { isRecipient, caller }: Reader): Promise<Reply<typeof nameReader>> => {
    const claims = requirePlay(keys, playToken)
    requireTurn(limit(claims.session, Date.now()))
    await links.require(claims)
    const reader = caller && personBehind(caller)
    const userId = recipientOf(claims)
    if (!reader || !userId || reader.id === userId) return { playToken, counts: true }
    const saidBy = { id: reader.id, name: reader.name }
    if (isRecipient && claims.signedIn === undefined)
      return { playToken: signPlay(keys, { ...claims, saidBy }), counts: true }
    // The run is left out, so that nothing is written down of what this preview is handed.
    const { run: _run, signedIn: _signedIn, amr: _amr, ...facts } = claims
    return { playToken: startPlay(keys, { ...facts, kind: 'preview', userId }).token, counts: false }
  }
}

/** Returns whose link it is. Only a personal link is somebody's. */
const recipientOf = ({ kind, viewerKey }: PlayClaims) =>
  kind === 'recipient' ? viewerKey.slice('recipient:'.length) : undefined
