import { expect, test } from 'vitest'
import { drawn, moved, scrolledTo, spanOf } from './window.ts'

test('draws what is in sight and a little beyond, however much there is', () => {
  expect(spanOf({ start: 0, length: 400, size: 40, count: 1_000 })).toEqual({ from: 0, until: 13 })
  expect(spanOf({ start: 4_010, length: 400, size: 40, count: 1_000 })).toEqual({ from: 97, until: 114 })
  expect(spanOf({ start: 39_600, length: 400, size: 40, count: 1_000 })).toEqual({ from: 987, until: 1_000 })
  expect(spanOf({ start: 9_000, length: 400, size: 40, count: 5 })).toEqual({ from: 5, until: 5 })
})

test('keeps what has the focus', () => {
  expect(drawn({ from: 10, until: 13 }, 11, 100)).toEqual([10, 11, 12])
  expect(drawn({ from: 10, until: 12 }, 2, 100)).toEqual([2, 10, 11])
  expect(drawn({ from: 10, until: 12 }, 99, 100)).toEqual([10, 11, 99])
  expect(drawn({ from: 10, until: 12 }, -1, 100)).toEqual([10, 11])
  expect(drawn({ from: 0, until: 2 }, 7, 2)).toEqual([0, 1])
})

test('scrolls no further than needed', () => {
  const visibleCells = { start: 400, length: 200, size: 40 }
  expect(scrolledTo(visibleCells, 12)).toBe(400)
  expect(scrolledTo(visibleCells, 3)).toBe(120)
  expect(scrolledTo(visibleCells, 20)).toBe(640)
})

test('moves as a grid does, and never over its edge', () => {
  const bounds = { rows: 100, columns: 20, page: 10 }
  const at = { row: 5, column: 5 }
  const go = (key: string, isFar = false, from = at) => moved(from, { key, isFar }, bounds)
  expect(go('ArrowDown')).toEqual({ row: 6, column: 5 })
  expect(go('ArrowUp', false, { row: -1, column: 0 })).toEqual({ row: -1, column: 0 })
  expect(go('ArrowLeft', false, { row: 0, column: -1 })).toEqual({ row: 0, column: -1 })
  expect(go('Home')).toEqual({ row: 5, column: -1 })
  expect(go('End')).toEqual({ row: 5, column: 19 })
  expect(go('Home', true)).toEqual({ row: -1, column: -1 })
  expect(go('End', true)).toEqual({ row: 99, column: 19 })
  expect(go('PageDown')).toEqual({ row: 15, column: 5 })
  expect(go('PageUp')).toEqual({ row: -1, column: 5 })
  expect(go('a')).toBeUndefined()
})
