import type { player } from '#contract/messages/en/player.ts'
import type { Tell } from '#contract/platform/text/say.ts'
import { clockOf } from './clock.ts'
import { named } from './controls.module.css?adopted'
import type { Choose, EngineOptions } from './engine.ts'
import { createSeek, type Part, type Picture, type Seek } from './seek.ts'

export type ControlsOptions = {
  video: HTMLVideoElement
  /** Around the picture and the place of the controls; this goes to full screen. */
  film: HTMLElement
  /** Where the controls are put. */
  place: HTMLElement
  say: Tell<typeof player>
  durationMs: number
  /** Fastest playback that counts, where it counts at all: nothing faster is offered. */
  maxRate?: number
  /** Moments of questions in milliseconds. */
  stops?: readonly number[]
  /** The keys hold wherever the focus is, because the page is there for the video alone. */
  isAlone?: boolean
  pictureAt?: (ms: number) => Picture | undefined
  /** Plays for the first time, where nothing is loaded before. */
  play?: () => void
  /** Goes there, in seconds, where that is more than to move the element. */
  goTo?: (seconds: number) => void
}

export type Controls = {
  /** What the viewer has not watched, for the strip; null where nobody knows. */
  showMissing: (missing: readonly Part[] | null) => void
  /** Heights of the renditions to choose from, and what chooses. */
  showQuality: EngineOptions['onHeights']
  /** What chapters and captions are shown in, which come by scripts of their own where a video has some. */
  parts: ControlsParts
  remove: () => void
}

export type ControlsParts = {
  seek: Seek
  time: HTMLElement
  /** Around the picture and the place of the controls. */
  film: HTMLElement
  speed: HTMLElement
  /** A list to choose from. */
  pick: typeof picker
  press: typeof button
  /** What further keys do, in lower case. */
  keys: Map<string, () => void>
  /** Goes there, in seconds. */
  goTo: (seconds: number) => void
}

const shapes = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M7 5h3.5v14H7zM13.500 5H17v14h-3.500z',
  back: 'M12 5a7.500 7.500 0 1 1-7.200 5.400l1.900.55A5.500 5.500 0 1 0 12 7v3L7 6l5-4z',
  on: 'M12 5a7.500 7.500 0 1 0 7.200 5.400l-1.900.55A5.500 5.500 0 1 1 12 7v3l5-4-5-4z',
  sound: 'M4 9.500h3.500L12 5.500v13l-4.500-4H4zM14.500 8.500a5 5 0 0 1 0 7l1.400 1.400a7 7 0 0 0 0-9.800z',
  silent:
    'M4 9.500h3.500L12 5.500v13l-4.500-4H4zM14.500 9.900 16.600 12l-2.100 2.100 1.400 1.400 2.100-2.100 2.100 2.100 1.400-1.400-2.100-2.100 2.100-2.100-1.400-1.400-2.100 2.100-2.100-2.100z',
  fullScreen: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM20 15v5h-5v-2h3v-3zM9 20H4v-5h2v3h3z',
  leave: 'M9 4v5H4V7h3V4zM20 9h-5V4h2v3h3zM15 20v-5h5v2h-3v3zM4 15h5v5H7v-3H4z',
} as const

const everySpeed = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4]
const usualMost = 2
const idleMs = 3_000

/** Kept by the browser alone; what is not there stands as usual. */
const memory = 'player'
type StoredControls = { rate?: number; volume?: number }

/** On telephones of Apple only the element itself can be shown in full. */
type AppleVideo = HTMLVideoElement & { webkitEnterFullscreen?: () => void }

/** A control of the player: its name for everybody, and the key that does the same. */
type Label = { text: string; key?: string }

const space = 'http://www.w3.org/2000/svg'

/** Drawn on 24 by 24, in the color of the text. */
function drawn(path: string): SVGSVGElement {
  const picture = document.createElementNS(space, 'svg')
  picture.setAttribute('viewBox', '0 0 24 24')
  picture.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(space, 'path')
  line.setAttribute('d', path)
  picture.append(line)
  return picture
}

function button(path: string, label: Label, press: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.append(drawn(path))
  made.addEventListener('click', press)
  name(made, label)
  return made
}

/** Read aloud, and shown to the pointer with its key. */
function name(control: HTMLElement, { text, key }: Label): void {
  control.setAttribute('aria-label', text)
  control.title = key === undefined ? text : `${text} (${key})`
  if (key !== undefined) control.setAttribute('aria-keyshortcuts', key)
}

/** Another picture on a button that changes its meaning. */
function redraw(control: HTMLElement, path: string): void {
  control.querySelector('path')?.setAttribute('d', path)
}

type Choice = readonly [value: string, text: string]

/** One of several: the list of the browser itself, which is right for fingers, keys and ears; hidden without a choice. */
function picker(
  label: Label,
  choices: readonly Choice[],
  onChoose: (value: string) => void,
): HTMLSelectElement {
  const made = document.createElement('select')
  name(made, label)
  made.addEventListener('change', () => onChoose(made.value))
  offer(made, choices)
  return made
}

function offer(list: HTMLSelectElement, choices: readonly Choice[]): void {
  const { value } = list
  list.replaceChildren(...choices.map(([key, text]) => new Option(text, key, false, key === value)))
  list.hidden = choices.length < 2
}

/** What the keys of the player do; J, K and L as everywhere, arrows for smaller steps. */
type Moves = {
  toggle: () => void
  /** By so many seconds. */
  step: (seconds: number) => void
  /** To this share of the video. */
  jump: (share: number) => void
  /** Slower or faster by one of the speeds. */
  faster: (by: 1 | -1) => void
  louder: (by: number) => void
  mute: () => void
  fullScreen: () => void
}

const actions: Readonly<Record<string, (moves: Moves) => void>> = {
  k: ({ toggle }) => toggle(),
  ' ': ({ toggle }) => toggle(),
  j: ({ step }) => step(-10),
  l: ({ step }) => step(10),
  ArrowLeft: ({ step }) => step(-5),
  ArrowRight: ({ step }) => step(5),
  ArrowUp: ({ louder }) => louder(0.1),
  ArrowDown: ({ louder }) => louder(-0.1),
  Home: ({ jump }) => jump(0),
  End: ({ jump }) => jump(1),
  '<': ({ faster }) => faster(-1),
  '>': ({ faster }) => faster(1),
  m: ({ mute }) => mute(),
  f: ({ fullScreen }) => fullScreen(),
}

/** Whoever types, chooses or answers a question needs the key for that. */
const taken = 'input:not([type=range]), textarea, select, [contenteditable], [role=dialog], a[href]'

type Listening = {
  /** Around the picture and its controls. */
  film: HTMLElement
  /** Nothing can be done while a question makes them inert. */
  controls: HTMLElement
  /** Where nothing else has keys of its own, they hold wherever the focus is. */
  isAlone: boolean
  /** What further keys do. */
  keys: ReadonlyMap<string, () => void>
  until: AbortSignal
}

function listenToKeys({ film, controls, isAlone, keys, until }: Listening, moves: Moves): void {
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event
    if (controls.inert || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (!(target instanceof Element) || target.closest(taken)) return
    const isHere = film.contains(target)
    if (!isHere && !(isAlone && target === document.body)) return
    // A button is pressed by it.
    if (key === ' ' && target.closest('button')) return
    // A slider of the volume is moved by them.
    if (key.startsWith('Arrow') && target instanceof HTMLInputElement) return
    // They scroll the page where nobody has chosen the player.
    if (!isHere && (key.startsWith('Arrow') || key === 'Home' || key === 'End')) return
    const name = key.length === 1 ? key.toLowerCase() : key
    const act = actions[name] ?? keys.get(name) ?? digit(key)
    if (!act) return
    event.preventDefault()
    act(moves)
  }
  document.addEventListener('keydown', onKey, { signal: until })
}

const digit = (key: string) => (/^\d$/.test(key) ? ({ jump }: Moves) => jump(Number(key) / 10) : undefined)

/** The controls of a video below its picture, in place of those of the browser; these stay where the script of the page fails. */
export function createControls(options: ControlsOptions): Controls {
  const { video, film, place, say, durationMs, stops = [], isAlone = false, pictureAt } = options
  const speeds = speedsUpTo(options.maxRate ?? usualMost)
  const end = new AbortController()
  const until = { signal: end.signal }
  const go = options.goTo ?? ((seconds: number) => (video.currentTime = seconds))
  const goTo = (seconds: number) => go(Math.min(durationMs / 1000, Math.max(0, seconds)))
  const start = options.play ?? (() => void video.play().catch(ignore))
  const toggle = () => (video.paused ? start() : video.pause())
  const step = (seconds: number) => goTo(video.currentTime + seconds)

  const seek = createSeek({ video, durationMs, say, stops, goTo, pictureAt })
  const play = button(shapes.play, { text: say('play'), key: 'k' }, toggle)
  const mute = button(shapes.sound, { text: say('mute'), key: 'm' }, () => (video.muted = !video.muted))
  const whole = button(shapes.fullScreen, { text: say('fullScreen'), key: 'f' }, turnFullScreen)
  const volume = slider({ text: say('volume') }, (value) => {
    video.volume = value
    video.muted = value === 0
  })
  const speed = picker({ text: say('speed'), key: '< >' }, speeds.map(speedChoice), (value) =>
    setRate(Number(value)),
  )
  const keys: ControlsParts['keys'] = new Map()
  const quality = picker({ text: say('quality') }, [], (value) =>
    chooseQuality?.(value === '' ? null : Number(value)),
  )
  let chooseQuality: Choose | undefined
  const time = document.createElement('span')
  time.className = named('time')
  const root = document.createElement('div')
  root.className = named('player')
  root.dataset['controls'] = ''
  root.setAttribute('role', 'group')
  root.setAttribute('aria-label', say('player'))
  const row = document.createElement('div')
  row.className = named('row')
  row.append(
    play,
    button(shapes.back, { text: say('back'), key: 'j' }, () => step(-10)),
    button(shapes.on, { text: say('on'), key: 'l' }, () => step(10)),
    time,
    speed,
    quality,
    mute,
    volume,
    whole,
  )
  root.append(seek.root, row)

  function setRate(rate: number): void {
    video.playbackRate = rate
    video.defaultPlaybackRate = rate
  }

  function turnFullScreen(): void {
    const apple: AppleVideo = video
    if (document.fullscreenElement) void document.exitFullscreen().catch(ignore)
    else if (film.requestFullscreen) void film.requestFullscreen().catch(ignore)
    else apple.webkitEnterFullscreen?.()
  }

  const render = () => {
    const [shape, text] = video.paused ? ([shapes.play, 'play'] as const) : ([shapes.pause, 'pause'] as const)
    redraw(play, shape)
    name(play, { text: say(text), key: 'k' })
    redraw(mute, video.muted ? shapes.silent : shapes.sound)
    name(mute, { text: say(video.muted ? 'unmute' : 'mute'), key: 'm' })
    volume.value = String(video.muted ? 0 : video.volume)
    if (!speeds.some((one) => one === video.playbackRate))
      offer(speed, [...speeds, video.playbackRate].toSorted((a, b) => a - b).map(speedChoice))
    speed.value = String(video.playbackRate)
  }
  const tell = () => {
    const at = document.createElement('b')
    at.textContent = clockOf(video.currentTime)
    time.replaceChildren(at, ` / ${clockOf(Math.round(durationMs / 1000))}`)
  }
  const keep = () => remember({ rate: video.playbackRate, volume: video.volume })

  for (const type of ['play', 'pause', 'ended', 'volumechange', 'ratechange'])
    video.addEventListener(type, render, until)
  for (const type of ['volumechange', 'ratechange']) video.addEventListener(type, keep, until)
  for (const type of ['timeupdate', 'seeking', 'emptied']) video.addEventListener(type, tell, until)
  video.addEventListener('click', toggle, until)
  video.addEventListener('dblclick', turnFullScreen, until)
  document.addEventListener(
    'fullscreenchange',
    () => {
      const isWhole = document.fullscreenElement === film
      redraw(whole, isWhole ? shapes.leave : shapes.fullScreen)
      name(whole, { text: say(isWhole ? 'leaveFullScreen' : 'fullScreen'), key: 'f' })
    },
    until,
  )
  hideWhenIdle({ film, video, root, until: end.signal })
  listenToKeys(
    { film, controls: root, isAlone, keys, until: end.signal },
    {
      toggle,
      step,
      jump: (share) => goTo((share * durationMs) / 1000),
      faster(by) {
        const next = speeds[speeds.findIndex((one) => one >= video.playbackRate) + by]
        if (next !== undefined) setRate(next)
      },
      louder: (by) => (video.volume = Math.min(1, Math.max(0, video.volume + by))),
      mute: () => (video.muted = !video.muted),
      fullScreen: turnFullScreen,
    },
  )
  const { rate = 1, volume: loudness = 1 } = remembered()
  setRate(Math.min(rate, speeds.at(-1) ?? rate))
  video.volume = loudness
  render()
  tell()
  // A question that is on the screen has taken the controls of the browser away, and waits without these as well.
  root.inert = video.readyState > 0 && !video.controls
  video.controls = false
  // Who means the video gets its controls.
  video.tabIndex = -1
  video.addEventListener('focus', () => play.focus(), until)
  const hadFocus = document.activeElement === video
  place.replaceChildren(root)
  if (hadFocus) play.focus()
  return {
    showMissing: seek.showMissing,
    showQuality(heights, choose) {
      chooseQuality = choose
      offer(quality, heights.length < 2 ? [] : [['', say('auto')], ...heights.map(heightChoice)])
    },
    parts: { film, seek, time, speed, pick: picker, press: button, keys, goTo },
    remove() {
      end.abort()
      root.remove()
    },
  }
}

const speedChoice = (rate: number): Choice => [
  String(rate),
  `${rate.toLocaleString(document.documentElement.lang)}×`,
]

/** The fastest of them is the limit itself, however odd it is. */
const speedsUpTo = (most: number) => [...everySpeed.filter((one) => one < most), most]

const heightChoice = (height: number): Choice => [String(height), `${height}p`]

function slider(label: { text: string }, onMove: (value: number) => void): HTMLInputElement {
  const made = document.createElement('input')
  Object.assign(made, { type: 'range', min: '0', max: '1', step: '0.05' })
  name(made, label)
  made.addEventListener('input', () => onMove(Number(made.value)))
  return made
}

type Idle = { film: HTMLElement; video: HTMLVideoElement; root: HTMLElement; until: AbortSignal }

/** In full screen they lie over the picture, and go while it plays and nobody moves; never from under the focus of the keyboard. */
function hideWhenIdle({ film, video, root, until }: Idle): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = () => {
    clearTimeout(timer)
    delete film.dataset['idle']
    timer = setTimeout(() => {
      if (!video.paused && !root.querySelector(':focus-visible')) film.dataset['idle'] = 'yes'
    }, idleMs)
  }
  for (const type of ['pointermove', 'pointerdown', 'keydown', 'focusin'])
    film.addEventListener(type, show, { signal: until, passive: true })
  for (const type of ['play', 'pause']) video.addEventListener(type, show, { signal: until })
}

function remembered(): StoredControls {
  try {
    const stored = JSON.parse(localStorage.getItem(memory) ?? '{}') as Record<string, unknown>
    const { rate, volume } = stored
    return {
      ...(everySpeed.some((one) => one === rate) && { rate: Number(rate) }),
      ...(typeof volume === 'number' && volume >= 0 && volume <= 1 && { volume }),
    }
  } catch {
    return {}
  }
}

function remember(stored: StoredControls): void {
  try {
    localStorage.setItem(memory, JSON.stringify(stored))
  } catch {
    // Without a memory of its own the browser begins anew each time.
  }
}

function ignore(): void {
  // The browser decides whether it plays and fills the screen; the controls say what it does.
}
