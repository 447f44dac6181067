import { expect, test } from 'vitest'
import { spoken } from '#contract/videos/moments.ts'
import { chance, type Chance } from '../testing/viewing/viewers.ts'
import { saidWithin, type SaidCue } from './said.ts'

/** Cues as files have them: some close together, some over one another, some with silence between them. */
function cuesOf({ between, pick }: Chance): SaidCue[] {
  let at = between(0, 200)
  return Array.from({ length: between(5, 40) }, (_nothing, n) => {
    const startMs = at
    const endMs = startMs + between(1, 300)
    at = Math.max(startMs, endMs + pick([-40, 0, 0, 0, 150]))
    const text = pick(['Lock it out', '<b>Never</b> reach in', 'A &amp; B', '♪', ' ', 'long '.repeat(20)])
    return { startMs, endMs, text: `${text}${text.trim() === '' ? '' : ` ${n}`}` }
  })
}

/** Sorted parts that do not touch. */
function gapsOf({ between }: Chance): [number, number][] {
  let at = 0
  return Array.from({ length: 20 }, () => {
    const from = at + between(1, 400)
    at = from + between(1, 400)
    return [from, at]
  })
}

/** Millisecond by millisecond: a cue is missing when at least half of it is. */
function byHand(cues: readonly SaidCue[], gaps: readonly (readonly [number, number])[]): string[] {
  return cues.flatMap(({ startMs, endMs, text }) => {
    const all = Array.from({ length: endMs - startMs }, (_nothing, n) => startMs + n)
    const inside = all.filter((ms) => gaps.some(([from, to]) => ms >= from && ms < to)).length
    const words = spoken(text)
    return inside > 0 && inside * 2 >= all.length && words !== '' ? [words] : []
  })
}

test('what 200 people have not heard, in each of 20 gaps and in all of them, is what the cues within say', () => {
  const luck = chance(20)
  let [told, cut] = [0, 0]
  for (let person = 0; person < 200; person += 1) {
    const cues = cuesOf(luck)
    const gaps = gapsOf(luck)
    for (const parts of [...gaps.map((one) => [one]), gaps]) {
      const { text, isAll } = saidWithin(cues, parts)
      const wanted = byHand(cues, parts)
      const kept = isAll ? text : text.replace(/ …$/, '')
      // Whole cues from the first on, and all of them unless it is too long.
      const words = kept.replaceAll('… ', '')
      const count = wanted.findIndex((_one, n) => wanted.slice(0, n + 1).join(' ') === words) + 1
      expect(wanted.slice(0, count).join(' ')).toBe(words)
      expect(isAll).toBe(count === wanted.length)
      expect(isAll || `${kept} ${wanted[count]}`.length > 295).toBe(true)
      expect(kept.length <= 300 || count === 1).toBe(true)
      told += count
      cut += isAll ? 0 : 1
    }
  }
  expect(told).toBeGreaterThan(2_000)
  expect(cut).toBeGreaterThan(50)
})

test('cues between which something was heard are set apart, and a long first one is there in whole', () => {
  const cue = (at: number, text: string) => ({ startMs: at * 1_000, endMs: at * 1_000 + 900, text })
  const cues = [
    cue(0, 'Good morning'),
    cue(1, '<v Ann>Lock out\nthe machine'),
    cue(2, 'before'),
    cue(3, 'you go'),
  ]
  expect(saidWithin(cues, [[1_000, 2_900]])).toEqual({ text: 'Lock out the machine before', isAll: true })
  expect(
    saidWithin(cues, [
      [0, 1_000],
      [3_000, 9_000],
    ]),
  ).toEqual({ text: 'Good morning … you go', isAll: true })
  const long = 'x'.repeat(1_999)
  expect(saidWithin([cue(0, long), cue(1, 'y')], [[0, 9_000]])).toEqual({ text: `${long} …`, isAll: false })
  expect(saidWithin(cues, [])).toEqual({ text: '', isAll: true })
})
