import type { PersonDataPart } from '#contract/evidence/privacy.ts'

/** A column stands at this place in the file about a person. */
export type FilePlace = `${PersonDataPart}.${string}`

/**
 * This becomes of a column when a person is erased, 30 days after the removal: a pseudonym takes its place, it is emptied, or it goes with
 * its row. `evidence` stays under the pseudonym, and goes when the viewing evidence is erased too. `aged` goes by its own age.
 */
export type Fate = 'replaced' | 'cleared' | 'removed' | 'evidence' | 'aged'

/** The file about a person tells it in this place, or this is why not, although its row is told. */
export type Telling = { file?: FilePlace; untold?: string }

/** This column of the row says whose it is, where one does. The erasure of what is `replaced` or `cleared` then follows from this list. */
type Whose = { whose?: string }

export type PersonalField = (({ erased: Fate } & Whose) | { retained: string }) & Telling

/** The rows are told in these parts of the file about a person, or this is why in none. */
type Disclosure = { parts: readonly PersonDataPart[] } | { untold: string }

export type PersonalTable = Disclosure & {
  /** This column has the person whose erasure takes its rows along, which follows from this list too. */
  goesWith?: string
  /** These columns can hold words of or about a person. */
  fields?: Readonly<Record<string, PersonalField>>
  /** All other columns are named here: ids, instants, figures and codes, which name nobody once the row of the person is erased. */
  otherColumns: string
}
