/** What people see as one sign: a letter with its accents, a flag, a family. */
const signs = new Intl.Segmenter('en', { granularity: 'grapheme' })
const halfAtEnd = /[\uD800-\uDBFF]$/
const halfAtStart = /^[\uDC00-\uDFFF]/

/**
 * The beginning of a text that halves no sign, of at most `most` UTF-16 units: what a browser counts, and never fewer than the
 * characters that a column of the database counts.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Whether a sign ends here is decided by what stands before and by one character behind, so nothing else is read.
  const whole = signs.segment(text.slice(0, most + 2)).containing(most)?.index ?? 0
  // A heap of accents that is longer than all there is room for is cut between its characters.
  return text.slice(0, whole > 0 ? whole : most).replace(halfAtEnd, '')
}

/** The same of the end of a text. */
export function ending(text: string, most: number): string {
  if (text.length <= most) return text
  const from = text.length - most
  const sign = signs.segment(text).containing(from)
  const next = sign && sign.index < from ? sign.index + sign.segment.length : from
  return text.slice(next < text.length ? next : from).replace(halfAtStart, '')
}

/** A text in at most so many UTF-16 units, with a sign for what was left out. */
export const shortened = (text: string, most: number): string =>
  text.length > most ? `${cut(text, most - 1).trimEnd()}…` : text

/** The first sign of a text; empty where there is none. */
export const firstSign = (text: string): string => signs.segment(text).containing(0)?.segment ?? ''

/** Lower-case letters, digits and dashes, 60 at most, as addresses and names of files have them: `Älmhult & Söner` becomes `almhult-soner`. */
export const plainName = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '')

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
export const uncapitalized = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/**
 * Text of others that is kept whatever it is: PostgreSQL takes no zero character, and no half of a pair in what is JSON. What nobody
 * could read stands as one sign for it.
 */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')

/** `JSON.parse` of what others wrote, with text that can be kept. */
export const storableJson = (json: string): unknown =>
  JSON.parse(json, (_name, value: unknown) => (typeof value === 'string' ? storable(value) : value))

/** Controls, what begins another line or turns the direction of what stands behind, and halves of pairs. */
const notInLine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u
const notInLines = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u

export const isOneLine = (text: string): boolean => !notInLine.test(text)
export const isText = (text: string): boolean => !notInLines.test(text)

/** Text of others in one line: a space for controls and the ends of lines, and nothing for what turns the direction. */
export const inOneLine = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()

/**
 * Whether a day or an instant in ISO 8601 lies where the database counts: in four digits, with room on either side for what is counted
 * from it in another time zone, or years on.
 */
export const isInTime = (iso: string): boolean => iso >= '1000' && iso < '9000'
