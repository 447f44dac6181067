import type { ImportChange } from '#contract/imports.ts'
import type { Wanted } from './judge.ts'

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
export function factsOf({ name, email, role, state, phone, externalId, custom }: Wanted) {
  return { name, email, role, state, phone, externalId, customFields: custom }
}
