import { Unzip, UnzipInflate, zipSync } from 'fflate'
import { readSheet } from 'read-excel-file/universal'
import { csvLine } from '#contract/platform/csv.ts'
import { importLimits } from '#contract/imports/imports.ts'

/** Why a workbook cannot be read. */
type Fault = 'too_large' | 'no_workbook' | 'damaged' | 'formula'
export type Workbook = { text: string } | { fault: Fault; cell?: { row: number; column: number } }

/** What all parts of a workbook may have, unpacked: several times the text of the largest list. */
const mostUnpacked = 200_000_000
const mostParts = 500
/** Of a spreadsheet, whose last rows may have a look and no words. */
const lastRow = 1_048_576

/** The first sheet as the text of a table, divided by tabs, with the values that formulas had when it was saved. */
export async function readWorkbook(bytes: Uint8Array): Promise<Workbook> {
  const parts = unpack(bytes)
  if (typeof parts === 'string') return { fault: parts }
  const sheet = firstSheet(parts)
  if (sheet === undefined) return { fault: 'no_workbook' }
  const fault = faultOf(sheet)
  if (fault) return { fault }
  const cell = uncounted(sheet)
  if (cell) return { fault: 'formula', cell }
  // The reader starts workers to unpack, which no page of ours may: it gets what is unpacked already.
  const plain = zipSync(parts, { level: 0 })
  try {
    const rows = await readSheet(plain.buffer, { trim: false, parseNumber: numberText })
    if (rows.length > importLimits.rows + 1) return { fault: 'too_large' }
    return { text: `sep=\t\r\n${rows.map((cells) => csvLine(cells.map(cellOf), '\t')).join('')}` }
  } catch {
    return { fault: 'damaged' }
  }
}

/** The one that is shown first, of which the parts of a workbook say where it is. */
function firstSheet(parts: Record<string, Uint8Array>): string | undefined {
  const textOf = (name: string) => new TextDecoder().decode(parts[name])
  const [, id] = /<(?:[\w.-]+:)?sheet\s[^<>]*\b[\w.-]+:id="([^"]*)"/.exec(textOf('xl/workbook.xml')) ?? []
  const related = textOf('xl/_rels/workbook.xml.rels').match(/<(?:[\w.-]+:)?Relationship\s[^<>]*>/g) ?? []
  const [, target] = /\bTarget="([^"]*)"/.exec(related.find((one) => one.includes(`Id="${id}"`)) ?? '') ?? []
  const name = target?.startsWith('/') ? target.slice(1) : `xl/${target}`
  return parts[name] && textOf(name)
}

/** The first formula of which the file has no result: an empty cell in its place would be a loss without a word. */
function uncounted(sheet: string): { row: number; column: number } | undefined {
  const formulas = /<(?:[\w.-]+:)?c\s[^<>]*?\br="([A-Za-z]+)(\d+)"[^<>]*>\s*<(?:[\w.-]+:)?f[\s/>]/g
  for (const found of sheet.matchAll(formulas)) {
    const [all, letters = '', digits] = found
    const end = sheet.indexOf('c>', found.index + all.length)
    if (!/<(?:[\w.-]+:)?v[\s/>]/.test(sheet.slice(found.index, end < 0 ? undefined : end)))
      return { row: Number(digits), column: columnOf(letters) }
  }
  return undefined
}

/** The parts of a workbook that hold words, unpacked a piece at a time, so that none can swell beyond what is taken. */
function unpack(bytes: Uint8Array): Record<string, Uint8Array> | Fault {
  const found = new Map<string, Uint8Array[]>()
  let size = 0
  let isBroken = false
  const unzip = new Unzip((file) => {
    if (!/\.(?:xml|rels)$/.test(file.name)) return
    const pieces: Uint8Array[] = []
    found.set(file.name, pieces)
    file.ondata = (error, piece) => {
      if (error) isBroken = true
      if (!piece) return
      size += piece.length
      if (size <= mostUnpacked) pieces.push(piece)
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  const step = 32_768
  try {
    for (let at = 0; at < bytes.length; at += step) {
      unzip.push(bytes.subarray(at, at + step), at + step >= bytes.length)
      if (size > mostUnpacked || found.size > mostParts) return 'too_large'
    }
  } catch {
    isBroken = true
  }
  if (isBroken) return 'damaged'
  return Object.fromEntries([...found].map(([name, pieces]) => [name, joined(pieces)]))
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

const attributes = /^(?:\s+[\w:.-]+\s*=\s*(?:"[^"&]*"|'[^'&]*'))*\s*\/?$/

/** The reader fills every gap between rows and columns: a sheet with one cell far away would fill the memory. */
function faultOf(sheet: string): Fault | undefined {
  for (const [, kind, given = ''] of sheet.matchAll(/<(?:[\w.-]+:)?(row|c)(?=[\s/>])([^<>]*)>/g)) {
    if (!attributes.test(given)) return 'damaged'
    const [, at = ''] = /\sr\s*=\s*["']([^"']*)["']/.exec(given) ?? []
    const [, letters = '', digits] = /^([A-Za-z]{0,3})(\d{1,7})$/.exec(at) ?? []
    if (kind === 'row' && at === '') continue
    if (!digits || (kind === 'c') !== (letters !== '')) return 'damaged'
    const isEmpty = kind === 'row' || given.endsWith('/')
    if (Number(digits) > (isEmpty ? lastRow : importLimits.rows + 1)) return 'too_large'
    if (!isEmpty && columnOf(letters) > importLimits.columns) return 'too_large'
  }
  return undefined
}

const columnOf = (letters: string): number =>
  Array.from(letters.toUpperCase()).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)

/**
 * A number as it can be read in one way only, wherever the list is from: with a point, and with a zero more where there would be three
 * decimals, which look like thousands.
 */
function numberText(given: string): string {
  const text = String(Number(given))
  return /^-?[1-9]\d{0,2}\.\d{3}$/.test(text) ? `${text}0` : text
}

function cellOf(value: unknown): string {
  if (value instanceof Date) {
    const [, day = '', time] = /^(.+)T(\d\d:\d\d)/.exec(value.toISOString()) ?? []
    return time === '00:00' ? day : `${day} ${time}`
  }
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
