import { expect, test } from 'vitest'
import { peaksOf, peaksPerSecond, segmentsOf, soundOf } from './sound.ts'

test('the sound of a video is found in its playlists, with the times of its pieces', () => {
  const base = 'https://a.test/m/token/v/master.m3u8'
  const master = '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",URI="audio/index.m3u8"\n'
  expect(soundOf(master, base)).toBe('https://a.test/m/token/v/audio/index.m3u8')
  expect(soundOf('#EXTM3U\n', base)).toBeUndefined()
  const list =
    '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:5.994667,\nseg_000.m4s\n#EXTINF:2.5,\n#EXT-X-BITRATE:1\nseg_001.m4s\n#EXT-X-ENDLIST\n'
  const found = segmentsOf(list, 'https://a.test/audio/index.m3u8')
  expect(found?.init).toBe('https://a.test/audio/init.mp4')
  expect(
    found?.segments.map(({ url, fromMs, toMs }) => [
      url.split('/').at(-1),
      Math.round(fromMs),
      Math.round(toMs),
    ]),
  ).toEqual([
    ['seg_000.m4s', 0, 5_995],
    ['seg_001.m4s', 5_995, 8_495],
  ])
  expect(segmentsOf('#EXTM3U\n', base)).toBeUndefined()
})

test('of each fiftieth of a second the loudest moment stays', () => {
  const samples = new Float32Array(1_000)
  samples[25] = -0.5
  samples[999] = 0.25
  const peaks = peaksOf(samples, 1_000)
  expect(peaks).toHaveLength(peaksPerSecond)
  expect([peaks[0], peaks[1], peaks.at(-1)]).toEqual([0, 0.5, 0.25])
})
