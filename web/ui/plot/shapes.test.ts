import { expect, test } from 'vitest'
import { barsOf, crowdOf, roundMax, stepArea, stepLine, ticksOf } from './shapes.ts'
import { parseStoryboard, tileAt } from './storyboard.ts'

const box = { width: 100, height: 50, max: 1 }

test('a curve holds its value for the whole of its bin, and what is too high stays inside', () => {
  expect(stepLine([1, 0.5], box)).toBe('M0 0H50L50 25H100')
  expect(stepArea([0, 3], box)).toBe('M0 50H50L50 0H100V50H0Z')
  expect(stepArea([], box)).toBe('')
})

test('bars are never too thin or too low to be seen, and say when they were cut', () => {
  const values = Array.from({ length: 600 }, (_, index) => (index === 0 ? 0.001 : index === 599 ? 2 : 0))
  expect(barsOf(values, box)).toMatchObject([
    { index: 0, y: 48, width: 1, height: 2, isCut: false },
    { index: 599, y: 0, width: 1, height: 50, isCut: true },
  ])
})

test('a silhouette lies about the middle, is as high as its greatest value, and has nothing where nobody was', () => {
  expect(crowdOf([1, 0, 0.5, 3], box)).toBe('M0 0H25v50H0zM50 12.5H75v25H50zM75 0H100v50H75z')
})

test('the time axis has round moments, as many as have room', () => {
  expect(ticksOf(20_000, 720)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map((second) => second * 1_000))
  expect(ticksOf(3_600_000, 288)).toEqual([0, 15, 30, 45].map((minute) => minute * 60_000))
  expect(ticksOf(500, 720)).toEqual([0])
})

test('an axis ends at a round number', () => {
  expect([[3], [7], [0.4], [120], []].map((values) => roundMax(values, 1))).toEqual([5, 10, 1, 200, 1])
})

test('a storyboard is read, with the tile that shows a moment', () => {
  const text = `WEBVTT

00:00:00.000 --> 00:00:02.000
storyboard-001.jpg#xywh=0,0,160,90

01:00:02.000 --> 01:00:04.500
storyboard-002.jpg#xywh=160,90,160,90
`
  const tiles = parseStoryboard(text, 'http://localhost/m/token/v/r/storyboard.vtt')
  expect(tiles).toEqual([
    {
      startMs: 0,
      endMs: 2_000,
      src: 'http://localhost/m/token/v/r/storyboard-001.jpg',
      x: 0,
      y: 0,
      width: 160,
      height: 90,
    },
    {
      startMs: 3_602_000,
      endMs: 3_604_500,
      src: 'http://localhost/m/token/v/r/storyboard-002.jpg',
      x: 160,
      y: 90,
      width: 160,
      height: 90,
    },
  ])
  expect(tileAt(tiles, 3_000)?.x).toBe(0)
  expect(tileAt(tiles, 9_000_000)?.x).toBe(160)
  expect(tileAt([], 0)).toBeUndefined()
})
