import { randomUUIDv7 } from 'node:crypto'
import * as z from 'zod/mini'
import { refuse } from '#server/platform/errors.ts'
import type { Keys } from '#server/platform/keys.ts'

/** These are the signed facts about one viewing, which decide whose number changes. Times are epoch milliseconds. */
export const PlayClaims = z.object({
  org: z.string(),
  video: z.string(),
  version: z.string(),
  durMs: z.number(),
  transmission: z.optional(z.string()),
  delivery: z.optional(z.string()),
  /** The key is `recipient:<user>`, `user:<user>` or `visitor:<session>`. */
  viewerKey: z.string(),
  kind: z.enum(['recipient', 'user', 'visitor', 'preview']),
  session: z.string(),
  iat: z.number(),
  exp: z.number(),
  /** This is the fastest playback that earns credit; 2 is twice the usual speed. */
  maxRate: z.number(),
  /** This share of the duration, between 0 and 1, completes the video. */
  theta: z.number(),
  /** This is the SHA-256 (hexadecimal) of the text of the organization that the page showed; it is left out where there was none. */
  consent: z.optional(z.string()),
  /** This run of the server kept a record of what it hands out when the viewing began; it is left out where none was kept. */
  run: z.optional(z.string()),
  /** Somebody else was signed in to the console in the same browser, and said that they are the recipient. */
  saidBy: z.optional(z.object({ id: z.string(), name: z.string() })),
  /** The recipient had signed in to the console with this session, without which the viewing ends; left out where a link alone is enough. */
  signedIn: z.optional(z.string()),
  /** By what they had signed in. */
  amr: z.optional(z.array(z.string())),
})
export type PlayClaims = z.infer<typeof PlayClaims>

export type NewPlay = Omit<PlayClaims, 'session' | 'iat' | 'exp' | 'viewerKey' | 'saidBy'> & {
  userId?: string
}

/** A person watches under these keys: by a personal link, and signed in. */
export const viewerKeysOf = (userId: string): string[] => [`recipient:${userId}`, `user:${userId}`]

const life = 24 * 3_600_000
/** This names the key that signed. A second key may stand beside it while keys are changed. */
const keyId = '1'

/** Starts a session of viewing, and returns its claims and the token `keyId.claims.signature` that the page hands back with every batch. */
export function startPlay(
  keys: Keys,
  play: NewPlay,
  now = Date.now(),
): { claims: PlayClaims; token: string } {
  const { userId, ...facts } = play
  const session = randomUUIDv7()
  const viewerKey = userId === undefined ? `visitor:${session}` : `${facts.kind}:${userId}`
  const claims: PlayClaims = { ...facts, viewerKey, session, iat: now, exp: now + life }
  return { claims, token: signPlay(keys, claims) }
}

export function signPlay(keys: Keys, claims: PlayClaims): string {
  const signed = `${keyId}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${signed}.${keys.sign('play', signed)}`
}

/** `forged` stands for everything that this installation has not signed as it is. */
export function readPlay(keys: Keys, token: string, now = Date.now()): PlayClaims | 'forged' | 'expired' {
  const cut = token.lastIndexOf('.')
  const signed = token.slice(0, Math.max(cut, 0))
  if (!signed.startsWith(`${keyId}.`) || !keys.verify('play', signed, token.slice(cut + 1))) return 'forged'
  // The signature fits, so the text is what signPlay wrote.
  const claims = JSON.parse(Buffer.from(signed.slice(keyId.length + 1), 'base64url').toString()) as PlayClaims
  return claims.exp <= now ? 'expired' : claims
}

/** Returns the claims of a token that holds. Refuses `unauthenticated` for a forged one, and `link_expired` for one that has ended. */
export function requirePlay(keys: Keys, token: string, now = Date.now()): PlayClaims {
  const claims = readPlay(keys, token, now)
  if (claims === 'forged') throw refuse('unauthenticated', { reason: { code: 'play_token_invalid' } })
  if (claims === 'expired') throw refuse('link_expired', { reason: { code: 'play_token_ended' } })
  return claims
}
