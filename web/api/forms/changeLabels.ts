import { language } from '#contract/platform/text/language.ts'
import { formatNumber } from '../../ui/format.ts'
import type { TheirChange } from './merge.ts'

/** Words a value of a field, or one thing in the list of a field; undefined leaves it to the usual wording. */
export type Wording = (field: string, value: unknown) => string | undefined

export function wordValue(field: string, value: unknown, words?: Wording): string {
  const own = Array.isArray(value) ? undefined : words?.(field, value)
  if (own !== undefined) return own
  if (value === null || value === undefined || value === '' || Number.isNaN(value)) return 'empty'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : nameAll(field, value, words)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatNumber(value)
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
}

/** What the other person did to a field: "now “x”", "Night shift added, Office taken out". */
export function wordTaken({ field, before, after }: TheirChange, words?: Wording): string {
  if (!Array.isArray(before) || !Array.isArray(after)) return `now ${wordValue(field, after, words)}`
  const added = after.filter((one) => !before.includes(one))
  const gone = before.filter((one) => !after.includes(one))
  return [
    added.length > 0 ? `${nameAll(field, added, words)} added` : '',
    gone.length > 0 ? `${nameAll(field, gone, words)} taken out` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Those whose names are not at hand are counted. */
function nameAll(field: string, ids: readonly unknown[], words?: Wording): string {
  const names = ids.flatMap((id) => words?.(field, id) ?? [])
  const unnamed = ids.length - names.length
  const counted =
    unnamed > 0 ? [names.length > 0 ? `${formatNumber(unnamed)} more` : formatNumber(unnamed)] : []
  return new Intl.ListFormat(language).format([...names, ...counted])
}

/** Longer texts are cut to where the two versions part. */
const most = 240
const lead = 60

/** Both texts from a little before their first difference on, so that it can be seen. */
export function around(mine: string, theirs: string): { mine: string; theirs: string } {
  if (Math.max(mine.length, theirs.length) <= most) return { mine, theirs }
  let at = 0
  while (at < mine.length && mine[at] === theirs[at]) at += 1
  const from = at > lead ? at - lead : 0
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + most)}${text.length > from + most ? '…' : ''}`
  return { mine: cut(mine), theirs: cut(theirs) }
}
