import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import writeExcelFile from 'write-excel-file/node'
import { archive, said, sheetOf } from './archive.ts'
import { isOldWorkbook, isZip } from './signatures.ts'
import { readWorkbook } from './workbook.ts'

type Cells = (string | number | boolean | Date | null)[]

async function workbookOf(rows: Cells[]): Promise<Uint8Array> {
  const data = rows.map((cells) =>
    cells.map((value) =>
      value === null ? null : { value, ...(value instanceof Date ? { format: 'dd.mm.yyyy' } : {}) },
    ),
  )
  return new Uint8Array(await writeExcelFile(data as never).toBuffer())
}

test('a workbook is a table with its texts, numbers and days, and with the rows where they stand', async () => {
  const bytes = await workbookOf([
    ['Name', 'Email', 'Start', 'Hours', 'Here'],
    ['Łukasz "W"', 'l@pl.example', new Date('2026-01-31T00:00:00Z'), 12.5, true],
    [],
    ['=1+1', null, new Date('2026-02-28T08:30:00Z'), 1.125, false],
    ['a\tb\nc', null, null, 1250, null],
  ])
  expect(await readWorkbook(bytes)).toEqual({
    text: [
      'sep=\t',
      'Name\tEmail\tStart\tHours\tHere',
      '"Łukasz ""W"""\tl@pl.example\t2026-01-31\t12.5\tTRUE',
      '\t\t\t\t',
      "'=1+1\t\t2026-02-28 08:30\t1.1250\tFALSE",
      '"a\tb\nc"\t\t\t1250\t',
      '',
    ].join('\r\n'),
  })
})

test('a formula counts with its result, and without one is named', async () => {
  const counted = sheetOf(
    '<row r="1"><c r="A1" t="str"><f>B1</f><v>Ada</v></c><c r="B1"><f>1+1</f><v>2</v></c></row>',
  )
  expect(await readWorkbook(archive(counted))).toEqual({ text: 'sep=\t\r\nAda\t2\r\n' })
  const bare = sheetOf('<row r="1"><c r="A1" t="str"><f>B1</f></c></row>')
  expect(await readWorkbook(archive(bare))).toEqual({ fault: 'formula', cell: { row: 1, column: 1 } })
})

test.each([
  ['one row far below', said(900_000), 'too_large'],
  ['one row below everything', said(1, 'A1') + said(999_999_999), 'damaged'],
  ['one cell far to the right', said(1, 'XFD1'), 'too_large'],
  ['a column that no spreadsheet has', said(1, 'ZZZZZZ1'), 'damaged'],
  ['a row in disguise', `<row x=">" r="99999999999"><c r="A1"/></row>`, 'damaged'],
  [
    'a cell in disguise',
    `<row r="1"><c r="&#65;&#65;&#65;&#65;1" t="inlineStr"><is><t>x</t></is></c></row>`,
    'damaged',
  ],
  ['a cell without a place', `<row r="1"><c t="inlineStr"><is><t>x</t></is></c></row>`, 'damaged'],
])('%s is refused before it fills the memory', async (_what, rows, fault) => {
  expect(await readWorkbook(archive(sheetOf(rows)))).toEqual({ fault })
})

test('cells with a look and no words may stand far away', async () => {
  const rows = `<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c><c r="XFD1" s="0"/></row><row r="1048576"/>`
  expect(await readWorkbook(archive(sheetOf(rows)))).toEqual({ text: 'sep=\t\r\nx\r\n' })
})

test('entities of a document are not made longer and longer', async () => {
  const lol = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`
  const read = await readWorkbook(
    archive(lol + sheetOf('<row r="1"><c r="A1" t="inlineStr"><is><t>&b;</t></is></c></row>')),
  )
  expect(JSON.stringify(read)).not.toContain('aaaa')
})

test('other files are told from a workbook by their content', async () => {
  expect(await readWorkbook(zipSync({ 'content.xml': strToU8('<x/>') }))).toEqual({ fault: 'no_workbook' })
  const whole = archive(sheetOf(said(1)))
  expect(await readWorkbook(whole.slice(0, 300))).toMatchObject({
    fault: expect.stringMatching(/damaged|no_workbook/),
  })
  expect(
    await readWorkbook(archive('<worksheet><sheetData><row r="1"><c r="A1" t="zzz"><v>1</v></c>')),
  ).toEqual({
    fault: 'damaged',
  })
  expect([
    isZip(whole),
    isZip(strToU8('Name,Email')),
    isOldWorkbook(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0)),
  ]).toEqual([true, false, true])
})
