import { expect, test } from 'vitest'
import { chaptersIn, timeOf, timeText } from './chapter-text.ts'

const hour = 3_600_000
const read = (text: string, durationMs = 10 * hour) => chaptersIn(text, durationMs)
const one = (startMs: number, title: string) => ({ chapters: [{ startMs, title }] })

test.each([
  ['3:10', 190_000],
  ['03:10', 190_000],
  ['63:10', 3_790_000],
  ['1:03:10', 3_790_000],
  ['0:00', 0],
  ['0:07.5', 7_500],
  ['0:07,25', 7_250],
  ['23:59:59.999', 86_399_999],
])('%s is a time', (text, ms) => {
  expect(timeOf(text)).toBe(ms)
  expect(timeOf(timeText(ms))).toBe(ms)
})

test.each(['', '10', '1:75', '1:60:00', '-1:00', '1:00:00:00', '1.5', 'one', '٣:١٠', '3:1', '99999:00'])(
  '“%s” is none',
  (text) => {
    expect(timeOf(text)).toBeUndefined()
  },
)

test.each([
  ['3:10 Lock out', one(190_000, 'Lock out')],
  ['  3:10\tLock out  ', one(190_000, 'Lock out')],
  ['3:10 - Lock out', one(190_000, 'Lock out')],
  ['3:10 – Lock – out', one(190_000, 'Lock – out')],
  ['(3:10) Lock out', one(190_000, 'Lock out')],
  ['[00:03:10] Lock out', one(190_000, 'Lock out')],
  ['3:10: Lock out', one(190_000, 'Lock out')],
  ['3:10. Lock out', one(190_000, 'Lock out')],
  ['3:10.5 Lock out', one(190_500, 'Lock out')],
  ['3:10 2:1 is the ratio', one(190_000, '2:1 is the ratio')],
  ['\uFEFF3:10 Lock out\r\n\r\n', one(190_000, 'Lock out')],
  ['3:10 اقفل الآلة', one(190_000, 'اقفل الآلة')],
  ['3:10 Lock\u202E out', one(190_000, 'Lock out')],
  ['', { chapters: [] }],
  ['\n \r\n', { chapters: [] }],
])('reads the line %j', (text, expected) => {
  expect(read(text)).toEqual(expected)
})

test('lines may come in any order, with any ends', () => {
  expect(read('2:00 Two\r0:00 Zero\n\n1:00 One\u20283:00 Three')).toEqual({
    chapters: ['Zero', 'One', 'Two', 'Three'].map((title, n) => ({ startMs: n * 60_000, title })),
  })
})

test.each([
  ['0:00 Start\nLock out', 2, 'no_time'],
  ['Chapters:\n0:00 Start', 1, 'no_time'],
  ['0:00 Start\n\n1:75 Lock out', 3, 'no_time'],
  ['0:00Start', 1, 'no_time'],
  ['0:00 Start\n1:00', 2, 'no_title'],
  ['0:00 Start\n1:00 -', 2, 'no_title'],
  ['0:00 Start\n0:00 Again', 2, 'same_time'],
  ['0:00 Start\n1:00:00 Late', 2, 'after_end'],
  [`0:00 ${'x'.repeat(121)}`, 1, 'long_title'],
  [
    Array.from({ length: 501 }, (_one, n) => `0:00.${String(n).padStart(3, '0')} x`).join('\n'),
    501,
    'too_many',
  ],
])('says what is wrong in the first line that is: %#', (text, line, fault) => {
  expect(chaptersIn(text, hour)).toEqual({ line, fault })
})

test('reads a WebVTT file: what is beside the cues is passed over, and tags are left out', () => {
  const file = `\uFEFFWEBVTT - Safety\r
Kind: chapters\r
\r
NOTE made by hand\r
\r
STYLE\r
::cue { color: red }\r
\r
1\r
00:00.000 --> 00:10.000 align:start\r
Start &amp; welcome\r
\r
00:03:10.250 --> 00:04:00.000\r
<v Ada><b>Lock</b>\r
out</v>\r
`
  expect(read(file)).toEqual({
    chapters: [
      { startMs: 0, title: 'Start & welcome' },
      { startMs: 190_250, title: 'Lock out' },
    ],
  })
})

test.each([
  ['WEBVTT\n\n3:10 --> 4:00\nLock out', 3, 'no_vtt_time'],
  ['WEBVTT\n\n00:03:10,000 --> 00:04:00,000\nLock out', 3, 'no_vtt_time'],
  ['WEBVTT\n\n00:10.000 -->\nLock out', 3, 'no_vtt_time'],
  ['WEBVTT\n\n00:10.000 --> 00:20.000\n\n00:30.000 --> 00:40.000\nLock out', 3, 'no_title'],
  ['WEBVTT\n\n01:00:00.000 --> 02:00:00.000\nLate', 3, 'after_end'],
  ['WEBVTT\n\n00:10.000 --> 00:20.000\nOne\n\n00:10.000 --> 00:20.000\nTwo', 6, 'same_time'],
])('and says which line of it is wrong: %#', (text, line, fault) => {
  expect(chaptersIn(text, hour)).toEqual({ line, fault })
})

test('a file without cues has no chapters', () => {
  expect(read('WEBVTT')).toEqual({ chapters: [] })
})

test('no text makes it slow', () => {
  const long = '1:'.repeat(50_000) + '[((' + ' -'.repeat(50_000)
  expect(chaptersIn(long, hour)).toEqual({ line: 1, fault: 'no_time' })
  expect(chaptersIn(`WEBVTT\n\n${'-->'.repeat(60_000)}`, hour)).toEqual({ line: 3, fault: 'no_vtt_time' })
})
