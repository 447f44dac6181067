import type { Media } from './recorder.ts'

/** In seconds, disjoint, in no order. */
type Parts = [start: number, end: number][]

/** Puts what has just been played with what was played before. */
function addPart(parts: Parts, from: number, to: number): void {
  const touching = parts.filter(([start, end]) => start <= to && end >= from)
  const others = parts.filter((one) => !touching.includes(one))
  const start = Math.min(from, ...touching.map((one) => one[0]))
  parts.splice(0, parts.length, ...others, [start, Math.max(to, ...touching.map((one) => one[1]))])
}

/** A media element with a clock of its own: plays, stalls and seeks as browsers do, with their late events. */
export function fakeMedia(durationMs: number) {
  const target = new EventTarget()
  const played: Parts = []
  /** What of it was played at no more than twice the normal speed. */
  const slowly: Parts = []
  /** What waits for its turn while the page is held up; undefined: nothing has to. */
  let waiting: string[] | undefined
  let now = 1_000
  let nextUpdate = 0
  /** True between `playing` and whatever stops the picture. */
  let moving = false
  /** Where the picture is, and where the element still says that it is. */
  let position = 0
  let reported: number | undefined

  const element = {
    duration: durationMs / 1000,
    playbackRate: 1,
    paused: true,
    ended: false,
    seeking: false,
    muted: false,
    readyState: 4,
    played: {
      get length() {
        return played.length
      },
      start: (n: number) => played[n]?.[0] ?? 0,
      end: (n: number) => {
        const end = played[n]?.[1] ?? 0
        return end === position ? (reported ?? end) : end
      },
    },
  }
  const time = { get: () => reported ?? position, set: (seconds: number) => (position = seconds) }
  const media: Media & EventTarget = Object.defineProperty(
    Object.assign(target, element),
    'currentTime',
    time,
  ) as never

  function fire(type: string): void {
    // An element tells of its time once, however long nobody listens.
    if (!waiting) target.dispatchEvent(new Event(type))
    else if (type !== 'timeupdate' || waiting.at(-1) !== type) waiting.push(type)
  }

  /** Lets time pass; the element tells of its time every 250 ms. */
  function pass(ms: number): void {
    for (let passed = 0; passed < ms; passed++) {
      now += 1
      if (!moving) continue
      playTo(Math.min(media.duration, position + media.playbackRate / 1000))
      if (position >= media.duration) return finish()
      if (now >= nextUpdate) {
        nextUpdate = now + 250
        fire('timeupdate')
      }
    }
  }

  function playTo(to: number): void {
    addPart(played, position, to)
    if (media.playbackRate <= 2) addPart(slowly, position, to)
    position = to
  }

  function finish(): void {
    moving = false
    reported = undefined
    media.ended = true
    media.paused = true
    for (const type of ['timeupdate', 'pause', 'ended']) fire(type)
  }

  function go(): void {
    moving = true
    nextUpdate = now + 250
    fire('playing')
  }

  function release(): void {
    const types = waiting ?? []
    waiting = undefined
    for (const type of types) fire(type)
  }

  return {
    media,
    now: () => now,
    played,
    slowly,
    pass,
    /** The page is held up: the media goes on with whatever `meanwhile` does, and all that it tells is heard afterwards. */
    hold: (meanwhile: () => void) => {
      waiting = []
      meanwhile()
      release()
    },
    /** The element says where it was for so long, although it plays on; where the page is held up meanwhile, until it is heard. */
    stale: (ms: number, isHeld = false) => {
      reported = position
      if (isHeld) waiting = []
      pass(ms)
      if (isHeld) release()
      reported = undefined
    },
    play: (lateMs = 0) => {
      media.paused = false
      media.ended = false
      pass(lateMs)
      go()
    },
    /** The media plays for long before anything is said about it. */
    playUnheard: (ms: number) => {
      media.paused = false
      media.ended = false
      waiting = []
      moving = true
      pass(ms)
      // Of its time it tells only once it has told that it plays.
      waiting = ['playing', ...waiting.filter((type) => type !== 'timeupdate')]
      release()
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
      if (media.playbackRate === rate) return
      media.playbackRate = rate
      fire('ratechange')
    },
    mute: (muted: boolean) => {
      media.muted = muted
      fire('volumechange')
    },
  }
}
