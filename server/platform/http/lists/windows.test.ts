import { describe, expect, test } from 'vitest'
import { sliceOf, untilRoom, type Slice } from './windows.ts'

const window = { length: 3_600, most: 20 }

/** With one more, counted in the slice that is running. */
function withOneMore(slices: readonly Slice[], length: number, now: number): Slice[] {
  const began = Math.floor(now / sliceOf(length)) * sliceOf(length)
  const running = slices.find((one) => one.began === began)
  return [...slices.filter((one) => one !== running), { began, count: (running?.count ?? 0) + 1 }]
}

/** Takes a try at each of these moments where there is room, and tells when they were taken. */
function taken(moments: readonly number[]): number[] {
  let slices: Slice[] = []
  return moments.filter((now) => {
    if (untilRoom(slices, window, now) > 0) return false
    slices = withOneMore(slices, window.length, now)
    return true
  })
}

/** Most of them in any stretch as long as the window. */
const mostTogether = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + window.length).length))

describe('a window holds', () => {
  test.each([
    ['a burst just before an hour begins, and one just after', [3_599, 3_601]],
    ['bursts ten minutes apart', Array.from({ length: 20 }, (_, n) => n * 600 + 599)],
    ['a burst, then one try a second', [3_599, ...Array.from({ length: 7_200 }, (_, n) => 3_600 + n)]],
  ])('no more than it may: %s', (_, moments) => {
    const bursts = moments.flatMap((at) => Array.from({ length: 30 }, () => at))
    const times = taken(bursts)
    expect(mostTogether(times)).toBe(window.most)
  })

  test('what it may again at the moment that it names, and not before', () => {
    for (const began of [0, 1, 299, 300, 1_777, 3_599]) {
      let slices: Slice[] = []
      for (let n = 0; n < window.most; n++) slices = withOneMore(slices, window.length, began + n * 30)
      const now = began + 20 * 30
      const wait = untilRoom(slices, window, now)
      expect(wait).toBeGreaterThan(window.length - 20 * 30 - 1)
      expect(wait).toBeLessThanOrEqual(window.length - 20 * 30 + sliceOf(window.length))
      expect(untilRoom(slices, window, now + wait - 1)).toBe(1)
      expect(untilRoom(slices, window, now + wait)).toBe(0)
    }
  })
})
