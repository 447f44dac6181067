import { describe, expect, it } from 'vitest'
import { spanFlags, trackLimits } from '#contract/tracking/track-limits.ts'
import type { Span } from '#contract/tracking/tracks.ts'
import { fakeMedia } from './fake-media.ts'
import { createRecorder } from './recorder.ts'

function record(durationMs = 60_000) {
  const player = fakeMedia(durationMs)
  const state = { flags: 0 }
  const moments: string[] = []
  const recorder = createRecorder({
    media: player.media,
    now: player.now,
    flags: () => state.flags,
    onMoment: (moment) => moments.push(moment),
  })
  return { ...player, recorder, state, moments }
}

const types = (recorder: { events: () => readonly (readonly unknown[])[] }) =>
  recorder.events().map(([, type]) => type)

const starts = (spans: readonly Span[]) => spans.map(([, start]) => start)
const ends = (spans: readonly Span[]) => spans.map(([, , end]) => end)

describe('the recorder', () => {
  it('writes down what is played, from the first frame to the pause', () => {
    const { recorder, play, pass, pause, moments } = record()
    expect(recorder.spans()).toEqual([])
    play()
    pass(5_000)
    expect(recorder.spans()).toEqual([[0, 0, 5_000, 5_000, 100, 0]])
    expect(recorder.playing()).toBe(true)
    pass(1_234)
    pause()
    pass(3_000)
    expect(recorder.spans()).toEqual([[0, 0, 6_234, 6_234, 100, 0]])
    expect(recorder.playing()).toBe(false)
    expect(types(recorder)).toEqual(['play', 'pause'])
    expect(moments).toEqual(['play', 'pause'])
  })

  it('says when each stretch began, so that the server can place it in time', () => {
    const { recorder, play, pass, pause } = record()
    play()
    pass(2_000)
    pause()
    pass(4_000)
    play()
    pass(1_000)
    expect(recorder.events()).toEqual([
      [0, 'play', 1_000, 0, { span: 0 }],
      [1, 'pause', 3_000, 2_000, null],
      [2, 'play', 7_000, 2_000, { span: 1 }],
    ])
  })

  it.each([0, 7, 40, 160])('ends a span where the time was before a seek that is told %i ms late', (late) => {
    const { recorder, play, pass, seek } = record()
    play()
    pass(5_130)
    seek(40, late)
    pass(2_000)
    const [first, second] = recorder.spans()
    expect(first?.[2]).toBeGreaterThanOrEqual(5_130)
    expect(first?.[2]).toBeLessThanOrEqual(5_130 + late)
    expect(second?.slice(0, 3)).toEqual([1, 40_000, 42_000])
    expect(recorder.events().filter(([, type]) => type === 'seek')).toMatchObject([
      [1, 'seek', expect.any(Number), 40_000, { to: 40_000, from: first?.[2] }],
    ])
  })

  it('records nothing while somebody looks for a place', () => {
    const { recorder, play, pass, pause, seek } = record()
    seek(10)
    seek(20)
    play()
    pass(1_000)
    pause()
    seek(30)
    seek(50)
    seek(5)
    play()
    pass(1_000)
    pause()
    expect(recorder.spans().map(([, start, end]) => [start, end])).toEqual([
      [20_000, 21_000],
      [5_000, 6_000],
    ])
  })

  it('takes in the first frames when the news of playing comes late, and leaves no hole after a pause', () => {
    const { recorder, playUnheard, pass, pause } = record()
    playUnheard(80)
    pass(1_000)
    pause()
    playUnheard(50)
    pass(1_000)
    expect(recorder.spans()).toEqual([
      [0, 0, 1_080, 1_080, 100, 0],
      [1, 1_080, 2_130, 1_050, 100, 0],
    ])
  })

  it('keeps rates apart, and counts the wall time', () => {
    const { recorder, play, pass, rate } = record()
    play()
    pass(2_000)
    rate(2)
    pass(3_000)
    rate(0.5)
    pass(2_000)
    expect(recorder.spans()).toEqual([
      [0, 0, 2_000, 2_000, 100, 0],
      [1, 2_000, 8_000, 3_000, 200, 0],
      [2, 8_000, 9_000, 2_000, 50, 0],
    ])
    expect(recorder.events().filter(([, type]) => type === 'rate')).toHaveLength(2)
  })

  it('does not count a stall as time of watching', () => {
    const { recorder, play, pass, stall } = record()
    play()
    pass(3_000)
    stall(8_000)
    pass(1_000)
    expect(recorder.spans()).toEqual([
      [0, 0, 3_000, 3_000, 100, 0],
      [1, 3_000, 4_000, 1_000, 100, 0],
    ])
    expect(recorder.events()).toContainEqual([1, 'stall', 12_000, 3_000, { ms: 8_000 }])
  })

  it('leaves out stutters and sleep that nobody tells of, and loses nothing', () => {
    const { recorder, play, pass, freeze } = record()
    play()
    pass(3_000)
    freeze(900)
    pass(2_000)
    freeze(3_600_000)
    pass(2_000)
    const spans = recorder.spans()
    expect(spans.at(0)?.[1]).toBe(0)
    expect(spans.at(-1)?.[2]).toBe(7_000)
    expect(starts(spans).slice(1)).toEqual(ends(spans).slice(0, -1))
    for (const [, start, end, wall] of spans) expect(Math.abs(end - start - wall)).toBeLessThanOrEqual(750)
    expect(types(recorder)).toContain('sleep')
  })

  it('does not take the place of a seek for something played when the rate changes with it', () => {
    const { recorder, play, pass, rateAndSeek } = record()
    play()
    pass(3_000)
    rateAndSeek(2, 40)
    pass(1_000)
    expect(recorder.spans()).toEqual([
      [0, 0, 3_000, 3_000, 100, 0],
      [1, 40_000, 42_000, 1_000, 200, 0],
    ])
  })

  it('does not take the time before a late word of a stall for watching', () => {
    const { recorder, play, pass, lateStall } = record()
    play()
    pass(3_000)
    lateStall(5_000)
    pass(1_000)
    expect(recorder.spans()).toEqual([
      [0, 0, 3_000, 3_000, 100, 0],
      [1, 3_000, 4_000, 1_000, 100, 0],
    ])
  })

  it('never bridges a jump that is not announced', () => {
    const { recorder, play, pass, jump } = record()
    play()
    pass(3_000)
    jump(30)
    pass(2_000)
    jump(10)
    pass(2_000)
    const covered = recorder.spans().map(([, start, end]) => [start, end])
    expect(covered).toHaveLength(3)
    for (const [start = 0, end = 0] of covered) expect(end - start).toBeLessThanOrEqual(3_000)
  })

  it('keeps apart how it was watched: muted, hidden, in full screen', () => {
    const { recorder, state, play, pass, mute } = record()
    play()
    pass(1_000)
    mute(true)
    pass(1_000)
    state.flags = spanFlags.hidden
    recorder.refresh()
    pass(1_000)
    recorder.refresh()
    mute(false)
    state.flags = 0
    recorder.refresh()
    pass(1_000)
    expect(recorder.spans().map(([, start, end, , , flags]) => [start, end, flags])).toEqual([
      [0, 1_000, 0],
      [1_000, 2_000, spanFlags.muted],
      [2_000, 3_000, spanFlags.muted | spanFlags.hidden],
      [3_000, 4_000, 0],
    ])
  })

  it('ends with the video, and begins anew when it is played again', () => {
    const { recorder, play, pass, seek, moments } = record(5_000)
    play()
    pass(9_000)
    expect(recorder.spans()).toEqual([[0, 0, 5_000, 5_000, 100, 0]])
    expect(types(recorder)).toEqual(['play', 'ended'])
    expect(moments).toEqual(['play', 'ended'])
    seek(0)
    play()
    pass(1_000)
    expect(recorder.spans()[1]?.slice(0, 3)).toEqual([1, 0, 1_000])
  })

  it('starts a new span every ten minutes', () => {
    const { recorder, play, pass } = record(3_600_000)
    play()
    pass(1_500_000)
    const spans = recorder.spans()
    expect(spans).toHaveLength(3)
    expect(spans.at(-1)?.[2]).toBe(1_500_000)
    expect(starts(spans).slice(1)).toEqual(ends(spans).slice(0, -1))
    for (const [, , , wall] of spans) expect(wall).toBeLessThanOrEqual(trackLimits.spanMs)
  })

  it('never changes what it has closed', () => {
    const { recorder, play, pass, pause, seek, stall, rate } = record()
    const seen = new Map<number, string>()
    const steps = [
      () => play(90),
      () => pass(1_700),
      () => seek(30, 12),
      () => rate(1.5),
      () => stall(700),
      () => pass(900),
      () => pause(),
      () => seek(3),
      () => play(20),
      () => pass(2_300),
    ]
    for (const step of [...steps, ...steps, ...steps]) {
      step()
      const spans = recorder.spans()
      for (const span of spans.slice(0, -1)) {
        expect(span.join()).toBe(seen.get(span[0]) ?? span.join())
        seen.set(span[0], span.join())
      }
      expect(spans.map(([index]) => index)).toEqual(spans.map((_, index) => index))
    }
    expect(seen.size).toBeGreaterThan(5)
  })

  it('is quiet after it has been stopped', () => {
    const { recorder, play, pass } = record()
    play()
    pass(1_000)
    recorder.stop()
    pass(5_000)
    expect(recorder.spans()).toEqual([[0, 0, 1_000, 1_000, 100, 0]])
  })
})
