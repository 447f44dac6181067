import type { ImportChange } from '#contract/imports.ts'
import { Wanted } from './judge.ts'

/** What a row has left behind, for taking it back. */
export type Kept = {
  person: Wanted
  /** Groups into which the row has put the person. */
  groupIds: string[]
  /** Those of them that came into being with this row. */
  newGroups: string[]
  changes: ImportChange[]
}

/** A person as the audit log has them. */
export function factsOf(person: Wanted) {
  const { custom, ...facts } = Wanted.parse(person)
  return { ...facts, customFields: custom }
}
