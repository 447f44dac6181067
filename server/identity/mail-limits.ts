import type { Tx } from '../platform/db/client.ts'
import { refuse } from '../platform/errors.ts'
import { ipPrefix } from '../platform/http/audit.ts'
import type { Keys } from '../platform/keys.ts'
import { keyOf, secondsLeft, takeEach, type Limits, type Visitor, type Window } from './limit.ts'

const code = { windowMinutes: 60, most: 5, waits: [30] }
const day = 24 * 60

/**
 * How many mails one address is sent because somebody asks for them, in any stretch of that length: by all organizations, at all doors
 * and at all processes together. What one share has used up is missing from no other, so that nobody is shut out by a flood elsewhere.
 */
const shares = {
  /** The way in of the person themselves: codes to sign in, for a new password, and for what an account is asked to prove. */
  signIn: code,
  /** To the owner of a personal link, who may have passed it on. */
  link: code,
  /** To an address that somebody signed in says is theirs. */
  claim: code,
  /** One is sent, and another one after a mistake. */
  invitation: { windowMinutes: day, most: 10 },
  /** All that people who are signed in can have sent to whom they name; enough for a few organizations that begin on the same day. */
  named: { windowMinutes: day, most: 20 },
} as const satisfies Record<string, Window>

type CodeShare = 'signIn' | 'link' | 'claim'
const codeWords = { signIn: 'code', link: 'code by link', claim: 'code of a claim' } as const

/** Mailed codes of one share; twenty an hour per network in all, and a browser that is known to be the owner's apart. */
export function codeLimits(asker: Visitor, share: CodeShare): Limits {
  const { identifier, known } = asker
  const own = `${codeWords[share]} for ${identifier}`
  if (known !== undefined)
    return { network: undefined, account: { ...shares[share], key: keyOf(asker, `${own} in ${known}`) } }
  return {
    network: { key: keyOf(asker, `code ${ipPrefix(asker.ip)}`), windowMinutes: 60, most: 20 },
    account: { ...shares[share], key: keyOf(asker, own) },
  }
}

type DayShare = 'invitation' | 'named'
const dayWords = { invitation: 'invitation to', named: 'mail to' } as const

type To = { keys: Keys; emails: readonly string[] }

const dayKey = (keys: Keys, share: DayShare, email: string) => keyOf({ keys }, `${dayWords[share]} ${email}`)

/** Counts one mail to each of these addresses that may have another one, and gives those. */
async function take(tx: Tx, share: DayShare, { keys, emails }: To): Promise<Set<string>> {
  const byKey = new Map(emails.map((email) => [dayKey(keys, share, email).toString('hex'), email]))
  const taken = await takeEach(tx, shares[share], [...byKey.keys()])
  return new Set(taken.flatMap((key) => byKey.get(key) ?? []))
}

/** Those of these addresses that may have another mail with an invitation, which is counted. */
export async function invitationMailsLeft(tx: Tx, { keys, emails }: To): Promise<Set<string>> {
  const invited = await take(tx, 'invitation', { keys, emails })
  return take(tx, 'named', { keys, emails: [...invited] })
}

const secondsUntil = (tx: Tx, share: DayShare, { keys, email }: { keys: Keys; email: string }) =>
  secondsLeft(tx, { ...shares[share], key: dayKey(keys, share, email) })

/** Seconds until this address may have another mail with an invitation. */
export async function untilInvitationMail(tx: Tx, to: { keys: Keys; email: string }): Promise<number> {
  return Math.max(await secondsUntil(tx, 'invitation', to), await secondsUntil(tx, 'named', to))
}

/** Before somebody is written to whom the caller has named: refuses with 429, and who it is, where an address has had its share. */
export async function takeNamed(tx: Tx, { keys, emails }: To): Promise<void> {
  const left = await take(tx, 'named', { keys, emails })
  const email = emails.find((one) => !left.has(one))
  if (email === undefined) return
  throw refuse('too_many_requests', {
    reason: { code: 'mailed_too_often', params: { email } },
    retryAfter: await secondsUntil(tx, 'named', { keys, email }),
  })
}
