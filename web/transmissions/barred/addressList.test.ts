import { expect, test } from 'vitest'
import { readAddressList } from './addressList.ts'

const addressesOf = (text: string) => readAddressList(text).found.map(({ address }) => address)

test.each([
  ['a line each', 'a@x.test\nb@x.test'],
  ['the ends of Windows, blanks and empty lines', '\r\n  a@x.test \r\n\r\nb@x.test\r\n'],
  ['a heading', 'Address\na@x.test\nb@x.test'],
  ['the mark of UTF-8 and the separator of Excel', '\uFEFFsep=;\nMail;Why\na@x.test;\nb@x.test;'],
  ['capitals, and each once', 'A@X.test\nb@x.test\na@x.TEST'],
  ['several on a line', 'a@x.test, b@x.test'],
  ['several with semicolons', 'a@x.test; b@x.test;'],
])('reads %s', (_what, text) => {
  expect(readAddressList(text).faults).toEqual([])
  expect(addressesOf(text)).toEqual(['a@x.test', 'b@x.test'])
})

test.each([
  ['commas', 'a@x.test,Moved away'],
  ['semicolons, with commas in the words', 'a@x.test;"Moved, away";2026'],
  ['tabs', 'a@x.test\tMoved; away\tby Ada'],
  ['quotes', '"a@x.test","Moved ""away"""'],
])('takes the second cell for the reason: %s', (_what, text) => {
  expect(readAddressList(text).found).toMatchObject([
    { address: 'a@x.test', reason: expect.stringMatching(/^Moved/) },
  ])
})

test('reads what its own file holds, with what was made harmless for spreadsheets', () => {
  const file = `\uFEFFAddress,Why,By,Since,Until\r\n'+a@x.test,"'=SUM(1,2)",Ada,2026-01-02T03:04:05.000Z,\r\n`
  expect(readAddressList(file).found).toEqual([{ address: '+a@x.test', reason: '=SUM(1,2)', line: 2 }])
})

test('says which lines are no addresses, and why', () => {
  const { found, faults } = readAddressList(
    `Mail\na@x.test\nnobody\n"b@x.test\n${'x'.repeat(250)}@x.test\nc@x.test,${'y'.repeat(201)}\n,d@x.test`,
  )
  expect(found.map(({ line }) => line)).toEqual([2])
  expect(faults.map(({ line, problem }) => [line, problem])).toEqual([
    [3, 'invalid_email'],
    [4, 'invalid_email'],
    [5, 'too_long'],
    [6, 'too_long'],
    [7, 'invalid_email'],
  ])
  expect(readAddressList('nothing here')).toEqual({
    found: [],
    faults: [{ line: 1, text: 'nothing here', problem: 'invalid_email' }],
  })
  expect(readAddressList('')).toEqual({ found: [], faults: [] })
})

test('a long hostile text is read at once', () => {
  const begun = performance.now()
  readAddressList(`${'"'.repeat(20_001)}\n`.repeat(20) + '@,'.repeat(100_000))
  expect(performance.now() - begun).toBeLessThan(2_000)
})
