import type { SearchPlace } from './places.ts'

/** How well a page or an action agrees with what was typed, the best first. */
export const agreements = ['exact', 'leading', 'label', 'words', 'slip'] as const
export type Agreement = (typeof agreements)[number]
export type Match = { place: SearchPlace; agreement: Agreement }

const most = 5

const plain = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/**
 * Every word that was typed begins one of theirs, or the address of the page was pasted; those that are called so come before those
 * of which it is another word. A slip is forgiven only when there are no others.
 */
export function matchingPlaces(places: readonly SearchPlace[], q: string): Match[] {
  const text = plain(q.trim())
  const words = wordsOf(text)
  const path = /^(?:https?:\/)?\/\S*$/.test(text) ? URL.parse(text, location.origin)?.pathname : undefined
  const found = places.flatMap((place): Match[] => {
    const agreement = place.to !== undefined && place.to === path ? 'exact' : agreementOf(place, text, words)
    return agreement ? [{ place, agreement }] : []
  })
  const matches = found.length > 0 ? found : slipped(places, words)
  const rank = ({ agreement }: Match) => agreements.indexOf(agreement)
  return matches.toSorted((one, other) => rank(one) - rank(other)).slice(0, most)
}

function agreementOf(place: SearchPlace, text: string, words: readonly string[]): Agreement | undefined {
  if (words.length === 0) return undefined
  const label = plain(place.label)
  if (label === text) return 'exact'
  if (text.length > 1 && label.startsWith(text)) return 'leading'
  if (isIn(label, words)) return 'label'
  return isIn(`${label} ${place.words}`, words) ? 'words' : undefined
}

function isIn(text: string, words: readonly string[]): boolean {
  const there = wordsOf(text)
  return words.every((word) => there.some((one) => one.startsWith(word)))
}

function slipped(places: readonly SearchPlace[], words: readonly string[]): Match[] {
  if (words.length === 0) return []
  return places
    .filter(({ label }) => {
      const there = wordsOf(plain(label))
      return words.every((word) => there.some((one) => one.startsWith(word) || isOneSlipAway(word, one)))
    })
    .map((place) => ({ place, agreement: 'slip' }))
}

/** As the server finds them (server/platform/db/similar.ts): the first six letters of both, but for one letter of each, are the same. */
function isOneSlipAway(one: string, other: string): boolean {
  if (one.length < 4 || other.length < 4) return false
  const keys = new Set(keysOf(one))
  return keysOf(other).some((key) => keys.has(key))
}

function keysOf(word: string): string[] {
  const letters = Array.from(word).slice(0, 6)
  return [letters.join(''), ...letters.map((_letter, at) => letters.toSpliced(at, 1).join(''))]
}
