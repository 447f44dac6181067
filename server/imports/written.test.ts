import { expect, test } from 'vitest'
import { noEvidence, noteWriting, plainText, writingOf, type Writing } from './written.ts'

const comma: Writing = { decimalSign: ',', dateOrder: 'day' }
const point: Writing = { decimalSign: '.', dateOrder: 'month' }
const untold: Writing = { decimalSign: null, dateOrder: null }
const twice = { number: 'ambiguous_number', date: 'ambiguous_date' } as const

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  // As written, with a decimal comma, with a decimal point, and when nothing is known; undefined: it could be two numbers.
  ['1250', '1250', '1250', '1250'],
  ['12.5', '12.5', '12.5', '12.5'],
  ['12,5', '12.5', '12.5', '12.5'],
  ['-0,125', '-0.125', '-0.125', '-0.125'],
  ['1.250', '1250', '1.250', undefined],
  ['1,250', '1.250', '1250', undefined],
  ['1250,125', '1250.125', '1250.125', '1250.125'],
  ['1.250,5', '1250.5', '1250.5', '1250.5'],
  ['1,250.5', '1250.5', '1250.5', '1250.5'],
  ['1.250.000', '1250000', '1250000', '1250000'],
  ['1 250 000,5', '1250000.5', '1250000.5', '1250000.5'],
  ['1\u202F250,5', '1250.5', '1250.5', '1250.5'],
  ["1'250.5", '1250.5', '1250.5', '1250.5'],
  ['−5', '-5', '-5', '-5'],
])('the number %s', (given, ...wantedTexts) => {
  const read = (writing: Writing) => plainText('number', given, writing)
  const wanted = (text: string | undefined) => (text === undefined ? { fault: twice.number } : { text })
  expect([read(comma), read(point), read(untold)]).toEqual(wantedTexts.map(wanted))
})

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  // As written, with the day first, with the month first, and when nothing is known.
  ['2026-01-31', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['2026/1/31', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['20260131', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['2026-01-31T00:00:00Z', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['31.01.2026 08:30', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['31.1.2026', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['3.4.2026', '2026-04-03', '2026-04-03', '2026-04-03'],
  ['3/4/2026', '2026-04-03', '2026-03-04', undefined],
  ['4/4/2026', '2026-04-04', '2026-04-04', '2026-04-04'],
  ['31/1/2026', '2026-01-31', '2026-31-01', '2026-01-31'],
  ['1/31/2026', '2026-31-01', '2026-01-31', '2026-01-31'],
  ['2026年1月31日', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['31. Januar 2026', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['31 de enero de 2026', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['1er février 2026', '2026-02-01', '2026-02-01', '2026-02-01'],
  ['31-Jan-2026', '2026-01-31', '2026-01-31', '2026-01-31'],
  ['January 31, 2026', '2026-01-31', '2026-01-31', '2026-01-31'],
])('the date %s', (given, ...wantedTexts) => {
  const read = (writing: Writing) => plainText('date', given, writing)
  const wanted = (text: string | undefined) => (text === undefined ? { fault: twice.date } : { text })
  expect([read(comma), read(point), read(untold)]).toEqual(wantedTexts.map(wanted))
})

test.each<[string, string, readonly string[], readonly string[], Writing]>([
  ['by what divides the cells', ';', ['1.250'], ['3/4/2026'], comma],
  [
    'by what divides the cells, of dates nothing',
    ',',
    ['1,250'],
    ['3/4/2026'],
    { decimalSign: '.', dateOrder: null },
  ],
  ['by nothing', '\t', ['1.250'], ['3/4/2026'], untold],
  ['by numbers that are clear', '\t', ['1.250', '12,5'], [], { decimalSign: ',', dateOrder: null }],
  ['by dates that are clear', ',', [], ['3/4/2026', '1/31/2026'], { decimalSign: '.', dateOrder: 'month' }],
  [
    'not by dates that contradict',
    ';',
    [],
    ['31/1/2026', '1/31/2026'],
    { decimalSign: ',', dateOrder: null },
  ],
  ['by what divides, where numbers contradict', ';', ['12.5', '12,5'], ['31.1.2026'], comma],
])('how a file is written is known %s', (_how, delimiter, ...[numbers, dates, writing]) => {
  const evidence = noEvidence()
  for (const number of numbers) noteWriting(evidence, 'number', number)
  for (const date of dates) noteWriting(evidence, 'date', date)
  expect(writingOf(evidence, delimiter)).toEqual(writing)
})
