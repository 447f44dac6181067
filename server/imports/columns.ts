import * as z from 'zod/mini'
import { fieldTypes } from '#contract/directory/fields.ts'
import type { ImportMapping } from '#contract/imports/imports.ts'
import { personFields } from '#contract/directory/person-fields.ts'
import { spellings } from './fields.ts'

/** A field of the organization's own, as far as a file may fill it. */
export const OwnField = z.object({
  key: z.string(),
  label: z.string(),
  type: z.enum(fieldTypes),
  options: z.array(z.string()),
})
export type OwnField = z.infer<typeof OwnField>

const known = new Map(
  Object.entries(spellings).flatMap(([target, words]) => words.split(' ').map((word) => [word, target])),
)

const exported = new Set(Object.values(personFields).map(({ export: heading }) => heading))

/** Letters and digits only, without accents: `E-Mail Adresse` is `emailadresse`. */
export function comparable(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * What each column probably is. Nothing is named twice, and a first or last name gives way to a whole one.
 */
export function guessMapping(header: readonly string[], fields: readonly OwnField[]): ImportMapping {
  const mapping: ImportMapping = {}
  const used = new Set<string>()
  for (const [index, title] of header.entries()) {
    const target = candidates(title, fields).find((one) => !used.has(one))
    if (target === undefined) continue
    used.add(target)
    mapping[String(index)] = target
  }
  const isSplit = used.has('firstName') && used.has('lastName')
  // Where both are there, `Name` is what some languages call the last or the first one's neighbour; the whole name wins.
  if (used.has('name') && isSplit) return without(mapping, ['firstName', 'lastName'])
  return used.has('name') && used.has('firstName') ? renamed(mapping) : mapping
}

/**
 * What a heading may mean, the likeliest first: a heading of our own lists, then fields of the organization, which are called as it calls
 * them. A field may be called like a heading of ours: then the second column of that name is the field.
 */
function candidates(title: string, fields: readonly OwnField[]): string[] {
  const word = comparable(title)
  const ownIf = (isMeant: (field: OwnField) => boolean) =>
    fields.filter(isMeant).map(({ key }) => `field:${key}`)
  const usual = known.get(word)
  return [
    ...(exported.has(title) && usual ? [usual] : []),
    ...ownIf(({ label }) => label === title),
    ...ownIf(({ label }) => word !== '' && comparable(label) === word),
    ...ownIf(({ key }) => word !== '' && comparable(key) === word),
    ...(usual ? [usual] : []),
  ]
}

/** `Vorname; Name`: beside a first name, a name is the last one. */
function renamed(mapping: ImportMapping): ImportMapping {
  return Object.fromEntries(
    Object.entries(mapping).map(([index, target]) => [index, target === 'name' ? 'lastName' : target]),
  )
}

function without(mapping: ImportMapping, targets: readonly string[]): ImportMapping {
  return Object.fromEntries(Object.entries(mapping).filter(([, target]) => !targets.includes(target)))
}
