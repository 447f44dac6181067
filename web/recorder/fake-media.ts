import type { Media } from './recorder.ts'

/** A media element with a clock of its own: plays, stalls and seeks as browsers do, with their late events. */
export function fakeMedia(durationMs: number) {
  const target = new EventTarget()
  const fire = (type: string) => target.dispatchEvent(new Event(type))
  let now = 1_000
  let nextUpdate = 0
  /** True between `playing` and whatever stops the picture. */
  let moving = false

  const media: Media & EventTarget = Object.assign(target, {
    currentTime: 0,
    duration: durationMs / 1000,
    playbackRate: 1,
    paused: true,
    ended: false,
    seeking: false,
    muted: false,
    readyState: 4,
  })

  /** Lets time pass; the element tells of its time every 250 ms. */
  function pass(ms: number): void {
    for (let passed = 0; passed < ms; passed++) {
      now += 1
      if (!moving) continue
      media.currentTime = Math.min(media.duration, media.currentTime + media.playbackRate / 1000)
      if (media.currentTime >= media.duration) return finish()
      if (now >= nextUpdate) {
        nextUpdate = now + 250
        fire('timeupdate')
      }
    }
  }

  function finish(): void {
    moving = false
    media.ended = true
    media.paused = true
    for (const type of ['timeupdate', 'pause', 'ended']) fire(type)
  }

  function go(): void {
    moving = true
    nextUpdate = now + 250
    fire('playing')
  }

  return {
    media,
    now: () => now,
    pass,
    play: (lateMs = 0) => {
      media.paused = false
      media.ended = false
      pass(lateMs)
      go()
    },
    pause: () => {
      moving = false
      media.paused = true
      fire('timeupdate')
      fire('pause')
    },
    /** The time jumps at once; the event comes `lateMs` later, and before it perhaps a `timeupdate` with the new time. */
    seek: (seconds: number, lateMs = 0) => {
      media.seeking = true
      moving = false
      media.currentTime = seconds
      now += lateMs
      if (lateMs > 0) fire('timeupdate')
      fire('seeking')
      if (!media.paused) fire('waiting')
      now += 120
      media.seeking = false
      fire('timeupdate')
      fire('seeked')
      if (!media.paused) go()
    },
    stall: (ms: number) => {
      moving = false
      fire('waiting')
      pass(ms)
      go()
    },
    /** Rate and time are set in one breath; the element tells of the rate first. */
    rateAndSeek: (rate: number, seconds: number) => {
      moving = false
      media.playbackRate = rate
      media.currentTime = seconds
      media.seeking = true
      for (const type of ['ratechange', 'seeking']) fire(type)
      now += 120
      media.seeking = false
      fire('seeked')
      go()
    },
    /** The picture stands still for long before anything is said about it. */
    lateStall: (ms: number) => {
      moving = false
      now += ms
      fire('waiting')
      now += ms
      go()
    },
    /** The picture stands still and nothing is said about it. */
    freeze: (ms: number) => {
      moving = false
      now += ms
      moving = true
    },
    /** The time is set by something that fires no event. */
    jump: (seconds: number) => {
      media.currentTime = seconds
    },
    rate: (rate: number) => {
      media.playbackRate = rate
      fire('ratechange')
    },
    mute: (muted: boolean) => {
      media.muted = muted
      fire('volumechange')
    },
  }
}
