import { expect, test } from 'vitest'
import { typedText } from '#contract/videos/cue-text.ts'
import type { EditedCue } from '#contract/videos/cues.ts'
import {
  addCue,
  changeCue,
  cueAt,
  cutAtCursor,
  cutAtMoment,
  faultsOf,
  findAll,
  mendOverlap,
  mergeWithNext,
  removeCue,
  replaceAll,
  shiftCues,
  speedOf,
  splitCue,
  timeOf,
  timeText,
  type Cues,
} from './cues.ts'
import { cueDrafts, fromStorage, toStorage } from './draft.ts'

const cue = (key: string, startMs: number, more: Partial<EditedCue> = {}): EditedCue => ({
  key,
  id: '',
  startMs,
  endMs: startMs + 2_000,
  settings: '',
  text: `Words ${key}`,
  ...more,
})
const told = (cues: Cues | null) => cues?.map(({ startMs, endMs, text }) => `${startMs}-${endMs} ${text}`)

test('a caption is split at the cursor, its time as far along as its text', () => {
  const one = cue('a', 1_000, { text: 'Switch it off. Then lock it.' })
  const cut = cutAtCursor(one, 14)
  expect(cut).toEqual({ at: 14, ms: 2_000 })
  expect(told(splitCue([one], 'a', { ...(cut ?? { at: 0, ms: 0 }), second: 'b' }))).toEqual([
    '1000-2000 Switch it off.',
    '2000-3000 Then lock it.',
  ])
  expect(cutAtCursor(one, 0)).toBeNull()
  expect(cutAtCursor(one, one.text.length)).toBeNull()
  expect(cutAtCursor({ ...one, endMs: 1_150 }, 14)).toBeNull()
})

test('a caption is split where the video stands, between two words', () => {
  const one = cue('a', 1_000, { text: 'One two three four' })
  expect(cutAtMoment(one, 2_000)).toEqual({ at: 7, ms: 2_000 })
  expect(cutAtMoment(one, 1_050)).toBeNull()
  expect(cutAtMoment(one, 3_000)).toBeNull()
  expect(cutAtMoment({ ...one, text: 'Word' }, 2_000)).toEqual({ at: 4, ms: 2_000 })
})

test('both halves of what is in italics are', () => {
  const one = cue('a', 0, { text: '<i>One <b>two</b> three</i>' })
  expect(told(splitCue([one], 'a', { at: 12, ms: 1_000, second: 'b' }))).toEqual([
    '0-1000 <i>One <b>tw</b></i>',
    '1000-2000 <i><b>o</b> three</i>',
  ])
  expect(told(splitCue([one], 'a', { at: 9, ms: 1_000, second: 'b' }))).toEqual([
    '0-1000 <i>One <b></b></i>',
    '1000-2000 <i><b>two</b> three</i>',
  ])
})

test('two captions become one', () => {
  const cues = [
    cue('a', 0, { text: 'Short' }),
    cue('b', 2_000, { text: 'words' }),
    cue('c', 9_000, { text: 'x'.repeat(40) }),
  ]
  expect(told(mergeWithNext(cues, 'a'))).toEqual(['0-4000 Short words', `9000-11000 ${'x'.repeat(40)}`])
  expect(told(mergeWithNext(cues, 'b'))?.[1]).toBe(`2000-11000 words\n${'x'.repeat(40)}`)
  expect(mergeWithNext(cues, 'c')).toBeNull()
  expect(
    mergeWithNext([cue('a', 0, { text: 'x'.repeat(1_500) }), cue('b', 1, { text: 'x'.repeat(1_500) })], 'a'),
  ).toBeNull()
})

test('all are shifted, or those from one on, and none before the video begins', () => {
  const cues = [cue('a', 1_000), cue('b', 4_000)]
  expect(told(shiftCues(cues, 250))).toEqual(['1250-3250 Words a', '4250-6250 Words b'])
  expect(told(shiftCues(cues, -3_500, 'b'))).toEqual(['500-2500 Words b', '1000-3000 Words a'])
  expect(shiftCues(cues, -1_001)).toBeNull()
  expect(shiftCues(cues, 500 * 3_600_000)).toBeNull()
})

test('text is found and replaced, as it is written and not as a pattern', () => {
  const cues = [cue('a', 0, { text: 'Lock out. lock it (now)' }), cue('b', 1, { text: 'Nothing' })]
  expect(findAll(cues, { find: 'lock', isExact: false })).toEqual({ keys: ['a'], count: 2 })
  expect(findAll(cues, { find: 'lock', isExact: true })).toEqual({ keys: ['a'], count: 1 })
  expect(findAll(cues, { find: '(now)', isExact: true }).count).toBe(1)
  expect(findAll(cues, { find: '', isExact: true }).count).toBe(0)
  const replaced = replaceAll(cues, { find: 'lock', replacement: '$& block', isExact: false })
  expect(replaced?.[0]?.text).toBe('$& block out. $& block it (now)')
  expect(replaced?.[1]).toBe(cues[1])
  expect(replaceAll(cues, { find: 'o', replacement: 'x'.repeat(1_999), isExact: false })).toBeNull()
})

test('what is hard to read is told, by what people see', () => {
  expect(speedOf(cue('a', 0, { text: '<i>12345</i>\n67890 &amp;' }))).toBe(6.5)
  expect(speedOf(cue('a', 0, { text: '👩‍👩‍👧‍👦👩‍👩‍👧‍👦' }))).toBe(1)
  const faults = faultsOf([
    cue('a', 0, { text: 'easy' }),
    cue('b', 1_500, { text: 'x'.repeat(36) }),
    cue('c', 4_000, { text: 'x'.repeat(43), endMs: 9_000 }),
    cue('d', 9_000, { text: 'a\nb\nc' }),
    cue('e', 12_000, { text: ' ' }),
    cue('f', 15_000, { text: 'x'.repeat(41) }),
  ])
  expect([...faults]).toEqual([
    [
      1,
      [
        { kind: 'speed', speed: 18, isTooFast: false },
        { kind: 'overlap', ms: 500 },
      ],
    ],
    [2, [{ kind: 'line', signs: 43 }]],
    [3, [{ kind: 'lines', lines: 3 }]],
    [4, [{ kind: 'empty' }]],
    [5, [{ kind: 'speed', speed: 20.5, isTooFast: true }]],
  ])
})

test('an overlap is mended without losing either caption', () => {
  const cues = [cue('a', 0), cue('b', 1_500)]
  expect(told(mendOverlap(cues, 'b'))).toEqual(['0-1500 Words a', '1500-3500 Words b'])
  const twins = [cue('a', 0), cue('b', 0)]
  expect(told(mendOverlap(twins, 'b'))).toEqual(['0-2000 Words a', '2000-2100 Words b'])
  const left = [...faultsOf(mendOverlap(twins, 'b')).values()].flat()
  expect(left.map(({ kind }) => kind)).toEqual(['speed'])
})

test('captions are added where there is room, changed, removed and found by their moment', () => {
  const cues = [cue('a', 1_000), cue('b', 3_500)]
  expect(told(addCue(cues, 3_000, 'n'))?.[1]).toBe('3000-3500 ')
  expect(told(addCue(cues, 8_000, 'n'))?.[2]).toBe('8000-10000 ')
  expect(told(changeCue(cues, 'a', { startMs: 9_000, endMs: 9_500 }))).toEqual([
    '3500-5500 Words b',
    '9000-9500 Words a',
  ])
  expect(changeCue(cues, 'none', { text: '' })).toBe(cues)
  expect(told(removeCue(cues, 'a'))).toEqual(['3500-5500 Words b'])
  expect([0, 1_000, 2_999, 3_000, 3_500, 5_500].map((ms) => cueAt(cues, ms)?.key)).toEqual([
    undefined,
    'a',
    'a',
    undefined,
    'b',
    undefined,
  ])
})

test.each([
  [0, '0:00.000'],
  [62_345, '1:02.345'],
  [3_723_004, '1:02:03.004'],
  [59_999, '0:59.999'],
])('%i milliseconds are %s, and read as the same', (ms, text) => {
  expect(timeText(ms)).toBe(text)
  expect(timeOf(text)).toBe(ms)
})

test('times are read as people write them', () => {
  expect(['63.4', '1:3', ' 2:03,45 ', '0', '1:00:00'].map(timeOf)).toEqual([
    63_400, 63_000, 123_450, 0, 3_600_000,
  ])
  expect(['', 'x', '1:', '1.2345', '-1', '1:2:3:4', '999:00:00'].map(timeOf)).toEqual(
    Array(7).fill(undefined),
  )
})

test('text is typed as it is read, and escaped only where it would mean something else', () => {
  expect(typedText('Fish &amp; chips &lt; 3 &gt; 2')).toBe('Fish & chips < 3 > 2')
  expect(typedText('&lt;b&gt; is a tag, <b>bold</b>')).toBe('&lt;b> is a tag, <b>bold</b>')
  expect(typedText('&amp;lt; and &amp;#60; and AT&amp;T')).toBe('&amp;lt; and &amp;#60; and AT&T')
})

test('what two people have changed becomes one, caption by caption', () => {
  const base = { cues: [cue('a', 0), cue('b', 2_000), cue('c', 4_000), cue('d', 6_000)] }
  const mine = { cues: changeCue(removeCue(addCue(base.cues, 9_000, 'm'), 'd'), 'a', { text: 'mine' }) }
  const theirs = {
    cues: changeCue(changeCue(removeCue(base.cues, 'c'), 'a', { endMs: 1_000 }), 'b', { text: 'theirs' }),
  }
  const { draft, taken, conflicts } = cueDrafts.merge({ base, mine, theirs })
  expect(told(draft.cues)).toEqual(['0-1000 mine', '2000-4000 theirs', '9000-11000 '])
  expect(conflicts).toEqual([])
  expect(taken).toEqual([
    { label: 'Caption at 0:00.000: times', change: 'now 0:00.000 to 0:01.000' },
    { label: 'Caption at 0:02.000: words', change: 'now “theirs”' },
    { label: 'Caption at 0:04.000', change: 'removed' },
  ])
})

test('where both changed the same words, they are asked, and times go together', () => {
  const base = { cues: [cue('a', 0)] }
  const mine = { cues: changeCue(base.cues, 'a', { text: 'mine', startMs: 1_500 }) }
  const theirs = { cues: changeCue(base.cues, 'a', { text: 'theirs', endMs: 1_000 }) }
  const { draft, conflicts } = cueDrafts.merge({ base, mine, theirs })
  expect(told(draft.cues)).toEqual(['1500-2000 mine'])
  expect(conflicts.map(({ place }) => place.part)).toEqual(['text', 'times'])
  const [, times] = conflicts
  const chosen = times && cueDrafts.withValueAt(draft, times.place, times.theirs)
  expect(told(chosen?.cues ?? [])).toEqual(['0-1000 mine'])
})

test('of thousands, storage has those that are not saved, and merges them when others have saved meanwhile', () => {
  const all = Array.from({ length: 4_000 }, (_, at) => cue(`c${at}`, at * 2_000))
  const base = { cues: all }
  const draft = { cues: removeCue(changeCue(addCue(all, 10_001, 'new'), 'c7', { text: 'mine' }), 'c9') }
  const stored = toStorage({ base, version: 'one', draft })
  expect([stored.were.length, stored.are.length]).toEqual([2, 2])
  const again = fromStorage(JSON.parse(JSON.stringify(stored)), base)
  expect(again?.version).toBe('one')
  expect(cueDrafts.isSame(again?.draft ?? base, draft)).toBe(true)
  const theirs = { cues: changeCue(all, 'c3', { text: 'theirs' }) }
  const meanwhile = fromStorage(stored, theirs)
  const merged = cueDrafts.merge({ base: meanwhile?.base ?? base, mine: meanwhile?.draft ?? base, theirs })
  expect(merged.conflicts).toEqual([])
  expect(merged.draft.cues.find(({ key }) => key === 'c3')?.text).toBe('theirs')
  expect(merged.draft.cues.find(({ key }) => key === 'c7')?.text).toBe('mine')
  expect(fromStorage({ anything: 1 }, base)).toBeNull()
})
