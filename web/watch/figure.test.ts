import { expect, it } from 'vitest'
import { spanFlags } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { without } from '#contract/tracking/missing-parts.ts'
import { createFigure } from './figure.ts'

const played = (index: number, [start, end]: [number, number], { rate = 100, flags = 0 } = {}): Span => {
  return [index, start, end, ((end - start) * 100) / rate, rate, flags]
}

function figureOver(spans: Span[]) {
  return createFigure({ durationMs: 110_000, maxRate: 1.5, spans: () => spans })
}
const unseen = { share: 0, missing: [[0, 110_000]] as [number, number][] }

it('says at once what plays, as the strip shows it', () => {
  const spans = [played(0, [0, 11_000])]
  expect(figureOver(spans).of(unseen)).toEqual({ share: 1_000, missing: [[11_000, 110_000]] })
})

it('takes what was played too fast, or out of sight, for nothing', () => {
  const spans = [
    played(0, [0, 11_000], { rate: 200 }),
    played(1, [20_000, 31_000], { flags: spanFlags.hidden }),
  ]
  const figure = figureOver(spans)
  expect(figure.of(unseen)).toEqual(unseen)
  expect(figure.fastMs()).toBe(11_000)
})

it('leaves the last word to the server once that knows all', () => {
  const spans = [played(0, [0, 11_000])]
  const figure = figureOver(spans)
  figure.settle()
  expect(figure.of(unseen)).toEqual(unseen)
  spans[0] = played(0, [0, 12_000])
  spans.push(played(1, [50_000, 51_000]))
  expect(figure.of(unseen).missing).toEqual([
    [0, 11_000],
    [12_000, 50_000],
    [51_000, 110_000],
  ])
})

it('knows no share where only completions are kept', () => {
  const untold = { share: null, missing: null }
  expect(figureOver([played(0, [0, 11_000])]).of(untold)).toBe(untold)
})

it('takes parts away to the instant', () => {
  const whole: [number, number][] = [
    [0, 10],
    [20, 30],
  ]
  expect(without(whole, [])).toEqual(whole)
  expect(without(whole, [[0, 10]])).toEqual([[20, 30]])
  expect(without(whole, [[10, 20]])).toEqual(whole)
  expect(
    without(whole, [
      [0, 1],
      [5, 25],
      [29, 99],
    ]),
  ).toEqual([
    [1, 5],
    [25, 29],
  ])
})
