import type { FieldType } from '#contract/directory/fields.ts'
import type { ImportReason } from '#contract/imports/import-reasons.ts'
import type { ImportOptions } from '#contract/imports/imports.ts'
import { comparable } from './columns.ts'

/** How numbers and dates are written in a file; null: it does not tell. */
export type Writing = Pick<ImportOptions, 'decimalSign' | 'dateOrder'>

type Read = { text: string } | { fault: ImportReason }

/** A cell as the product writes it: numbers with a decimal point, dates as 2026-01-31. */
export function plainText(type: FieldType, given: string, writing: Writing): Read {
  if (type === 'number') return plainNumber(given, writing)
  return type === 'date' ? plainDate(given, writing) : { text: given }
}

const space = String.raw`[\s'’]`
const grouped = new RegExp(String.raw`^([+-]?\d{1,3})((?:${space}\d{3})+)(?!\d)`, 'u')

function plainNumber(given: string, { decimalSign }: Writing): Read {
  const text = given
    .replace(/^[−–]/, '-')
    .replace(
      grouped,
      (_all, first: string, more: string) => first + more.replaceAll(new RegExp(space, 'gu'), ''),
    )
  const signs = text.replaceAll(/[^.,]/g, '')
  const decimal = decimalOf(text, signs, decimalSign)
  if (decimal === undefined) return { fault: 'ambiguous_number' }
  const group = decimal === ',' ? '.' : ','
  const isGrouped = new RegExp(String.raw`^[+-]?\d{1,3}(?:[${group}]\d{3})+(?:[${decimal}]\d+)?$`).test(text)
  const plain = isGrouped ? text.replaceAll(group, '') : text
  return { text: plain.replace(decimal, '.') }
}

/** The sign before the decimals; undefined: it could be that, or stand between thousands. */
function decimalOf(text: string, signs: string, decimalSign: Writing['decimalSign']): ',' | '.' | undefined {
  const last = signs.at(-1) === ',' ? ',' : '.'
  const isOnce = signs.indexOf(last) === signs.length - 1
  if (!isOnce) return last === ',' ? '.' : ','
  const isEither = signs.length === 1 && /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text)
  return isEither ? (decimalSign ?? undefined) : last
}

const time = /[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:[ap]\.?m\.?|Z|[+-]\d{2}:?\d{2})?$/i
const yearFirst = /^(\d{4})(?:[-/.年] ?(\d{1,2})[-/.月] ?(\d{1,2})[.日]?|(\d{2})(\d{2}))$/
const yearLast = /^(\d{1,2})([-/.]) ?(\d{1,2})\2 ?(\d{4})\.?$/
const named = /^(\d{1,2})(?:\.|er|º)?[ -](?:de |of )?(\p{L}+)\.?,?[ -](?:de |del )?(\d{4})$/u
const namedFirst = /^(\p{L}+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u

function plainDate(given: string, { dateOrder }: Writing): Read {
  const text = given.replace(time, '').trim()
  const [, year, month = '', day = '', shortMonth = '', shortDay = ''] = yearFirst.exec(text) ?? []
  if (year) return iso(year, month || shortMonth, day || shortDay)
  const [, first, sign, second = '', lastYear = ''] = yearLast.exec(text) ?? []
  if (first) return inOrder({ first, second, year: lastYear }, sign === '.' ? 'day' : dateOrder)
  const [, namedDay = '', name = '', namedYear = ''] = named.exec(text) ?? []
  if (name) return iso(namedYear, monthOf(name), namedDay)
  const [, nameFirst = '', dayBehind = '', yearBehind = ''] = namedFirst.exec(text) ?? []
  return nameFirst ? iso(yearBehind, monthOf(nameFirst), dayBehind) : { text: given }
}

type Parts = { first: string; second: string; year: string }

function inOrder({ first, second, year }: Parts, order: Writing['dateOrder']): Read {
  const meant = order ?? onlyOrder(Number(first), Number(second))
  if (!meant) return { fault: 'ambiguous_date' }
  return meant === 'month' ? iso(year, first, second) : iso(year, second, first)
}

/** Where only one of the two can be the month, or both are the same; undefined: it may be either. */
function onlyOrder(first: number, second: number): 'day' | 'month' | undefined {
  if (first > 12 || first === second) return 'day'
  return second > 12 ? 'month' : undefined
}

const iso = (year: string, month: string, day: string): Read => ({
  text: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
})

/** Languages in which months are written out in files. */
const written = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb']
const months = new Map(
  written.flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, at) => {
        return [comparable(format.format(new Date(Date.UTC(2026, at, 15)))), String(at + 1)] as const
      })
    }),
  ),
)

const monthOf = (name: string): string => months.get(comparable(name)) ?? ''

/** What the cells of a column tell about how the file is written. */
type Evidence = { decimalSigns: Set<',' | '.'>; dateOrders: Set<'day' | 'month'> }

export const noEvidence = (): Evidence => ({ decimalSigns: new Set(), dateOrders: new Set() })

/** Notes what can be read in one way only. */
export function noteWriting(evidence: Evidence, type: FieldType, given: string): void {
  const text = given.trim()
  if (type === 'number') {
    const signs = text.replaceAll(/[^.,]/g, '')
    const sign = signs === '' ? undefined : decimalOf(text, signs, null)
    if (sign && /^[+-]?[\d.,]+$/.test(text)) evidence.decimalSigns.add(sign)
  }
  if (type !== 'date') return
  const [, first, sign, second] = yearLast.exec(text.replace(time, '').trim()) ?? []
  const order = sign === '.' ? 'day' : onlyOrder(Number(first), Number(second))
  if (first && first !== second && order) evidence.dateOrders.add(order)
}

const one = <T>(found: ReadonlySet<T>): T | null => (found.size === 1 ? ([...found][0] ?? null) : null)

/**
 * How a file is written, by what its cells tell and else by what divides them: spreadsheets put semicolons where numbers have a decimal
 * comma, and there the day comes first.
 */
export function writingOf({ decimalSigns, dateOrders }: Evidence, delimiter: string): Writing {
  const usual = delimiter === ';' ? ',' : delimiter === ',' ? '.' : null
  return {
    decimalSign: one(decimalSigns) ?? usual,
    dateOrder: one(dateOrders) ?? (delimiter === ';' && dateOrders.size === 0 ? 'day' : null),
  }
}
