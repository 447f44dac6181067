import type { UserInput } from '#contract/directory/users.ts'
import { refuse } from '../../platform/errors.ts'

const isKnown = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Returns whether a name is a zone by its place. An offset is none: it does not follow the clocks, and databases read its sign the other
 * way round.
 */
export const isPlaceZone = (name: string): boolean =>
  /^(UTC|[A-Z][A-Za-z_]+(\/[A-Z][A-Za-z_-]+)+)$/.test(name) && isKnown(name)

export function requirePlaceZone({ timeZone }: UserInput): void {
  if (timeZone && !isPlaceZone(timeZone))
    throw refuse('validation_failed', { fields: { timeZone: ['invalid'] } })
}
