import type { captions } from '#contract/messages/en/captions.ts'
import type { Tell } from '#contract/platform/text/say.ts'
import { named } from './captions.module.css?adopted'
import type { ControlsParts } from './controls.ts'

type CaptionsOptions = { video: HTMLVideoElement; say: Tell<typeof captions> }

/** What a reader has chosen, kept by the browser alone; what is not there stands as usual. */
type Choice = {
  isOn?: boolean
  language?: string
  kind?: string
  described?: string
  size?: keyof typeof sizes
  colors?: keyof typeof colors
  place?: keyof typeof places
}

const memory = 'captions'
/** Of the size that the browser gives them. */
const sizes = { small: '75%', usual: '100%', large: '150%', largest: '200%' } as const
const colors = {
  lightOnDark: 'color:#fff;background:rgb(0 0 0 / .8)',
  darkOnLight: 'color:#000;background:#fff',
  yellowOnBlack: 'color:#ff0;background:#000',
  outlined: 'color:#fff;background:none;text-shadow:0 0 3px #000,0 0 3px #000,1px 1px 2px #000',
} as const
/** The line of the picture, counted from above or from below; null: as the captions themselves say. */
const places = { asGiven: null, below: -1, above: 0 } as const

/** Pixels between the panel and its button, or the edge of the window. */
const edge = 8

const look =
  'M4 18 8.500 6h2L15 18h-2.100l-1.100-3.100H7.200L6.100 18zM7.800 13.100h3.400L9.500 8.300zM16 18v-2h5v2zM16 14v-2h5v2z'

/**
 * Puts captions into controls that are there: the language or none, what they look like, and the key C; and descriptions, which are read
 * aloud. All of it as the reader chose it before. Gives what takes it away.
 */
export function showCaptions(parts: ControlsParts, { video, say }: CaptionsOptions): () => void {
  const { film, speed, pick, press, keys } = parts
  const end = new AbortController()
  const until = { signal: end.signal }
  const choice = remembered()
  const sheet = new CSSStyleSheet()
  const live = document.createElement('p')
  live.className = named('live')
  live.setAttribute('role', 'status')
  const elements = [...video.querySelectorAll('track')]
  const tracks = (isDescription: boolean) => {
    const found = Array.from(video.textTracks).filter(({ kind }) =>
      isDescription ? kind === 'descriptions' : kind === 'captions' || kind === 'subtitles',
    )
    // Where the browser plays the playlist itself, it has those of the playlist beside those of the page.
    return [...new Map(found.toReversed().map((track) => [track.label, track])).values()].toReversed()
  }
  const texts = tracks(false)
  const described = tracks(true)

  /** The one that was chosen; else one in its language; else whichever comes first. */
  const preferred = () =>
    texts.find(({ language, kind }) => language === choice.language && kind === choice.kind) ??
    texts.find(({ language }) => language === choice.language) ??
    fromStart() ??
    texts.find(({ language }) =>
      navigator.languages.some((one) => one.split('-')[0] === language.split('-')[0]),
    ) ??
    texts[0]
  const fromStart = () => elements.find(({ dataset }) => 'shown' in dataset)?.track
  const first = () => {
    if (choice.isOn === undefined) return fromStart()
    return choice.isOn ? preferred() : undefined
  }
  let shown = first()
  let aloud = described.find(({ language }) => language === choice.described)

  function keep(change: Choice): void {
    Object.assign(choice, change)
    try {
      localStorage.setItem(memory, JSON.stringify(choice))
    } catch {
      // Without a memory of its own the browser begins anew each time.
    }
  }

  function draw(): void {
    for (const track of video.textTracks)
      if (track.kind !== 'metadata' && track.kind !== 'chapters')
        track.mode = track === shown ? 'showing' : track === aloud ? 'hidden' : 'disabled'
    list.value = shown?.label ?? ''
    opener.hidden = !shown
    sheet.replaceSync(
      `video::cue{font-size:${sizes[choice.size ?? 'usual']};${colors[choice.colors ?? 'lightOnDark']}}`,
    )
    if (shown) placeCues(shown)
  }

  function placeCues({ cues }: TextTrack): void {
    const line = places[choice.place ?? 'asGiven']
    for (const cue of cues ?? []) {
      if (!(cue instanceof VTTCue)) continue
      if (!given.has(cue)) given.set(cue, { line: cue.line, snapToLines: cue.snapToLines })
      Object.assign(cue, line === null ? given.get(cue) : { line, snapToLines: true })
    }
  }

  function choose(track: TextTrack | undefined): void {
    shown = track
    keep({ isOn: track !== undefined, ...(track && { language: track.language, kind: track.kind }) })
    draw()
  }

  function chosen(name: 'size' | 'colors' | 'place', of: object): HTMLLabelElement {
    const label = document.createElement('label')
    const usual = Object.keys(of)[name === 'size' ? 1 : 0]
    const made = document.createElement('select')
    for (const key of Object.keys(of)) made.append(new Option(say(key as keyof typeof captions), key))
    made.value = choice[name] ?? usual ?? ''
    made.addEventListener('change', () => {
      keep({ [name]: made.value })
      // What is on the picture right now is drawn anew by no browser otherwise.
      if (shown) shown.mode = 'hidden'
      draw()
    })
    label.append(say(name), made)
    return label
  }

  const list = pick(
    { text: say('captions'), key: 'c' },
    [['', say('off')], ...texts.map(({ label }) => [label, label] as const)],
    (label) => choose(texts.find((track) => track.label === label)),
  )
  const settings = document.createElement('div')
  settings.popover = 'auto'
  settings.className = named('settings')
  settings.setAttribute('role', 'dialog')
  settings.setAttribute('aria-label', say('settings'))
  settings.append(chosen('size', sizes), chosen('colors', colors), chosen('place', places))
  const opener = press(look, { text: say('settings') }, () => {
    settings.togglePopover()
    stand()
  })
  /** Above its button, and wholly in the window. */
  function stand(): void {
    const { right, top } = opener.getBoundingClientRect()
    const most = document.documentElement.clientWidth - settings.offsetWidth - edge
    settings.style.left = `${Math.max(edge, Math.min(most, right - settings.offsetWidth))}px`
    settings.style.top = `${Math.max(edge, top - settings.offsetHeight - edge)}px`
  }
  for (const type of ['scroll', 'resize'])
    addEventListener(type, stand, { ...until, capture: true, passive: true })
  const descriptions = pick(
    { text: say('descriptions') },
    described.length === 0
      ? []
      : [['', say('noDescription')], ...described.map(({ label }) => [label, label] as const)],
    (label) => {
      aloud = described.find((track) => track.label === label)
      keep({ described: aloud?.language ?? '' })
      draw()
    },
  )
  descriptions.value = aloud?.label ?? ''
  speed.after(list, opener, descriptions)
  film.append(settings, live)
  document.adoptedStyleSheets.push(sheet)

  keys.set('c', () => {
    choose(shown ? undefined : preferred())
    live.textContent = shown ? say('shown', { language: shown.label }) : say('hidden')
  })
  for (const { track } of elements)
    track.addEventListener('cuechange', () => shown && placeCues(shown), until)
  for (const element of elements) element.addEventListener('load', draw, until)
  for (const track of described)
    track.addEventListener(
      'cuechange',
      () => {
        const words = track === aloud ? Array.from(track.activeCues ?? [], wordsOf).join(' ') : ''
        if (words !== '') live.textContent = words
      },
      until,
    )
  // A playlist of the browser's own brings tracks along, one of which it may show by itself.
  video.textTracks.addEventListener('addtrack', draw, until)
  draw()
  return () => {
    end.abort()
    keys.delete('c')
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    for (const one of [list, opener, descriptions, settings, live]) one.remove()
  }
}

const given = new WeakMap<VTTCue, Pick<VTTCue, 'line' | 'snapToLines'>>()

const wordsOf = (cue: TextTrackCue) =>
  cue instanceof VTTCue ? (cue.getCueAsHTML().textContent ?? '').trim() : ''

function remembered(): Choice {
  try {
    const stored = JSON.parse(localStorage.getItem(memory) ?? '{}') as Record<string, unknown>
    const { isOn, language, kind, described, size, colors: color, place } = stored
    return {
      ...(typeof isOn === 'boolean' && { isOn }),
      ...(typeof language === 'string' && { language }),
      ...(typeof kind === 'string' && { kind }),
      ...(typeof described === 'string' && { described }),
      ...(isKeyOf(sizes, size) && { size }),
      ...(isKeyOf(colors, color) && { colors: color }),
      ...(isKeyOf(places, place) && { place }),
    }
  } catch {
    return {}
  }
}

const isKeyOf = <T extends object>(of: T, key: unknown): key is keyof T =>
  typeof key === 'string' && Object.hasOwn(of, key)
