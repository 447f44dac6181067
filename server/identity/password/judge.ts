import { readFileSync } from 'node:fs'
import path from 'node:path'
import { passwordLength } from '#contract/identity/auth.ts'
import type { FieldProblem } from '#contract/problems.ts'
import { refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { isBreached, isLookupOn } from './breach.ts'

const commonFile = path.join(import.meta.dirname, 'common-passwords.txt')
let loaded: ReadonlySet<string> | undefined

function common(): ReadonlySet<string> {
  loaded ??= new Set(
    readFileSync(commonFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('# ')),
  )
  return loaded
}

/** Names that the password must not consist of. */
type Identity = { name: string; email: string; product: string }

type PasswordOwner = { name: string; email: string }

/** Refuses with every reason at once. There are no rules of composition: length and rarity are what counts. */
export async function requireGoodPassword(
  services: Services,
  password: string,
  person: PasswordOwner,
): Promise<void> {
  const reasons = await judgeNewPassword(services, password, person)
  if (reasons.length > 0) throw refuse('password_rejected', { fields: { password: reasons } })
}

/** What speaks against a new password; a good one is also looked for among the leaked ones, where that is switched on. */
export async function judgeNewPassword(
  services: Services,
  password: string,
  person: PasswordOwner,
): Promise<FieldProblem[]> {
  const reasons = judgePassword(password, { ...person, product: services.env.productName })
  if (reasons.length > 0 || !(await isLookupOn(services))) return reasons
  return (await isBreached(services, password)) ? ['password_breached'] : []
}

function judgePassword(password: string, identity: Identity): FieldProblem[] {
  const length = Array.from(password).length
  const reasons: FieldProblem[] = []
  if (length < passwordLength.least) reasons.push('password_too_short')
  if (length > passwordLength.most) reasons.push('password_too_long')
  const lower = password.toLowerCase()
  if (isCommonPassword(password)) reasons.push('password_too_common')
  if (isIdentity(lower, identity)) reasons.push('password_contains_identity')
  return reasons
}

/**
 * The common ones are nearly all shorter than our minimum; what people do then is to repeat them or to fill them up. Both
 * are caught, while a sentence that has a common word in it is a good password and stays one.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  return isTrivial(lower) || isPadded(lower)
}

function isTrivial(text: string): boolean {
  if (text === '' || common().has(text)) return true
  const unit = repeatedUnit(text)
  return new Set(text).size <= 3 || isStairs(text) || (unit !== text && common().has(unit))
}

/** Shortest beginning that makes the whole text when written again and again. */
function repeatedUnit(text: string): string {
  for (let size = 1; size < text.length; size += 1) {
    const unit = text.slice(0, size)
    if (unit.repeat(Math.ceil(text.length / size)).startsWith(text)) return unit
  }
  return text
}

/** `abcdefghijklmno`, `987654321`: every character is the neighbour of the one before. */
function isStairs(text: string): boolean {
  const step = text.charCodeAt(1) - text.charCodeAt(0)
  if (Math.abs(step) !== 1) return false
  return Array.from(text).every(
    (_char, at) => at === 0 || text.charCodeAt(at) - text.charCodeAt(at - 1) === step,
  )
}

function isPadded(text: string): boolean {
  const core = text.replace(/^[^\p{L}]+/u, '').replace(/[^\p{L}]+$/u, '')
  if (core === '' || core === text || !common().has(core)) return false
  const padding = text.replace(core, '')
  return padding.length <= 8 || isTrivial(padding)
}

/** Nothing but the person's or the product's words, give or take a few characters. */
function isIdentity(lower: string, { name, email, product }: Identity): boolean {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const words = [name, product, local, domain]
    .flatMap((word) => word.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length >= 2)
    .toSorted((a, b) => b.length - a.length)
  let remaining = lower
  for (const word of words) remaining = remaining.replaceAll(word, '')
  return remaining !== lower && remaining.replaceAll(/[^\p{L}\p{N}]/gu, '').length < 6
}
