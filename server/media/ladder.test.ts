import { expect, test } from 'vitest'
import { ladder } from './ladder.ts'

const sizes = (width: number, height: number) =>
  ladder(width, height).map((rung) => `${rung.name} ${rung.width}x${rung.height}`)

test.each([
  [
    'full HD',
    1920,
    1080,
    ['240p 426x240', '360p 640x360', '480p 852x480', '720p 1280x720', '1080p 1920x1080'],
  ],
  [
    '4K stops at 1080p',
    3840,
    2160,
    ['240p 426x240', '360p 640x360', '480p 852x480', '720p 1280x720', '1080p 1920x1080'],
  ],
  [
    'portrait, by its short side',
    720,
    1280,
    ['240p 240x426', '360p 360x640', '480p 480x852', '720p 720x1280'],
  ],
  ['square', 480, 480, ['240p 240x240', '360p 360x360', '480p 480x480']],
  ['never enlarged', 640, 400, ['240p 384x240', '360p 576x360']],
  [
    'nearly a step',
    1912,
    1074,
    ['240p 426x240', '360p 640x360', '480p 854x480', '720p 1282x720', '1080p 1912x1074'],
  ],
  ['smaller than every step', 160, 90, ['90p 160x90']],
  ['odd sides', 427, 241, ['240p 424x240']],
  [
    'wider than cinema',
    3840,
    1080,
    ['240p 576x162', '360p 864x242', '480p 1152x324', '720p 1728x486', '1080p 2592x728'],
  ],
  ['a strip', 8192, 20, ['2p 576x2']],
])('%s', (...[, width, height, expected]) => {
  expect(sizes(width, height)).toEqual(expected)
})

test('caps and quality rise with the picture', () => {
  const rungs = ladder(1920, 1080)
  expect(rungs.map((rung) => rung.maxBitrate)).toEqual([350_000, 750_000, 1_300_000, 2_800_000, 4_500_000])
  for (const rung of rungs) expect(rung.crf).toBeGreaterThanOrEqual(21)
  for (const rung of rungs) expect(rung.crf).toBeLessThanOrEqual(23)
})
