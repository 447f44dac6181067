import { expect, test } from 'vitest'
import { openPlayhead } from './playhead.ts'

/** As much of a video element as a playhead looks at. */
class Video extends EventTarget {
  currentTime = 0
  readyState = 4
  seeking = false
  isPlaying = true
  pause(): void {
    this.isPlaying = false
  }
  report(seconds: number): void {
    this.currentTime = seconds
    this.dispatchEvent(new Event('timeupdate'))
  }
}

test('it follows what plays, and stops it', () => {
  const [playhead, video] = [openPlayhead(), new Video()]
  playhead.attach(video)
  video.report(1.25)
  expect(playhead.read()).toBe(1_250)
  playhead.pause()
  expect(video.isPlaying).toBe(false)
})

test('on the way to a moment it stands there already, whatever the video reports meanwhile', () => {
  const [playhead, video] = [openPlayhead(), new Video()]
  playhead.attach(video)
  playhead.seek(9_000)
  expect(video.currentTime).toBe(9)
  video.seeking = true
  video.report(0.5)
  expect(playhead.read()).toBe(9_000)
  video.seeking = false
  video.report(9.1)
  video.report(9.35)
  expect(playhead.read()).toBe(9_350)
})

test('a video that could not go yet is told again, once', () => {
  const [playhead, video] = [openPlayhead(), new Video()]
  playhead.seek(4_000)
  video.readyState = 0
  playhead.attach(video)
  video.report(0)
  expect(playhead.read()).toBe(4_000)
  video.readyState = 4
  video.report(0)
  expect([video.currentTime, playhead.read()]).toEqual([4, 4_000])
  video.report(2)
  expect(playhead.read()).toBe(2_000)
})
