import { expect, test } from 'vitest'
import type { Delimiter } from '#contract/imports/imports.ts'
import { csvLine, readCell } from '#contract/platform/csv.ts'
import { guessDelimiter, parseCsv, readHead } from './parse.ts'

const cellsOf = (text: string, delimiter: Delimiter = ',') =>
  [...parseCsv(text, delimiter)].map(({ cells }) => cells)

test.each([
  ['CRLF', 'a,b\r\n1,2\r\n'],
  ['LF', 'a,b\n1,2\n'],
  ['CR of old spreadsheets', 'a,b\r1,2\r'],
  ['no end of the last line', 'a,b\n1,2'],
  ['lines with nothing on them', '\r\na,b\n\n   \n1,2\n\n\n'],
  ['rows of delimiters alone', ',,,\r\na,b\n , \n"",""\n1,2\n,\n'],
])('lines end with %s', (_what, text) => {
  expect(cellsOf(text)).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test.each([
  ['a delimiter', '"a,b",c', ['a,b', 'c']],
  ['quotes', '"say ""hi""",""""', ['say "hi"', '"']],
  ['lines', '"one\r\ntwo\nthree",x', ['one\r\ntwo\nthree', 'x']],
  ['nothing', '"","",x', ['', '', 'x']],
  ['blanks behind it', '"a"  ,b', ['a', 'b']],
  ['letters behind it', '"a"b,c', ['ab', 'c']],
])('a quoted cell may hold %s', (_what, text, cells) => {
  expect(cellsOf(text)).toEqual([cells])
})

test('a quote inside of a cell is a letter', () => {
  expect(cellsOf('5" pipe,a"b"\nx,y')).toEqual([
    ['5" pipe', 'a"b"'],
    ['x', 'y'],
  ])
})

test('empty cells count, also the last one', () => {
  expect(cellsOf(',,x\n1,,')).toEqual([
    ['', '', 'x'],
    ['1', '', ''],
  ])
})

test('numbers the rows as a spreadsheet does, whatever stands before them', () => {
  const numbered = [...parseCsv('a\n"b\nb\nb"\n\n,,\nc', ',')].map(({ row }) => row)
  expect(numbered).toEqual([1, 2, 5])
})

test('a quote that is never closed says where it was opened', () => {
  expect(() => cellsOf('a,b\nc,"d\ne,f\n')).toThrow('on line 2 is never closed')
  expect(() => cellsOf('a,b\nc,"d\ne,f\n')).toThrow(/line 2/)
})

test.each([
  ['comma', 'name,email\nA;B,a@b.c\n', ','],
  ['semicolon, with commas in the text', 'name;note;email\nA;1,5;x\nB;2,5;y', ';'],
  ['tab', 'name\temail\nA, B\tx', '\t'],
  ['bar', 'name|email\nA|x', '|'],
  ['one column', 'email\na@b.c', ','],
  ['delimiters within quotes', '"a;b;c",d\n"e;f;g",h', ','],
])('guesses the delimiter: %s', (_what, text, delimiter) => {
  expect(guessDelimiter(text)).toBe(delimiter)
})

test('the mark of UTF-8, the line sep= and characters without meaning are taken away', () => {
  expect(readHead('\uFEFFsep=;\r\na;b')).toEqual({ text: 'a;b', delimiter: ';' })
  expect(readHead('sep=%\na')).toEqual({ text: 'sep=%\na', delimiter: undefined })
  expect(readHead('a\0b\u0007\u0085\uD83D\tc\r\n').text).toBe('ab\uFFFD\tc\r\n')
})

const nasty = [
  '=1+1',
  '+49 30 1',
  '-x',
  '@a',
  '\t=x',
  "'=1",
  "''+1",
  "'plain",
  'a"b',
  'a\r\nb',
  'a;b',
  ' =x',
  '＝1+1',
  '＋49',
  '－x',
  '＠SUM(1)',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫a',
  '⁼1',
  '₋1',
  '−1',
  '\u3000＝1',
  '\u200B=1',
  "'＝1",
  '',
]

test.each(nasty)('%j comes back from a file as it was', (value) => {
  const line = csvLine([value, 'end'], ';')
  expect(cellsOf(line, ';')[0]?.map(readCell)).toEqual([value, 'end'])
})

test.each(nasty)('%j is no formula in a file', (value) => {
  const [cell = ''] = cellsOf(csvLine([value, 'end']))[0] ?? []
  expect(cell.replace(/^[\s\u200B]*/, '').normalize('NFKC')).not.toMatch(/^[=+\-@−]/)
})

test('two hundred thousand rows are read in a moment', () => {
  const text = 'name,email\n' + 'Ada Lovelace,"ada@example.test"\n'.repeat(200_000)
  let rows = 0
  for (const _record of parseCsv(text, ',')) rows += 1
  expect(rows).toBe(200_001)
})
