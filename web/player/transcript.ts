import type { transcript } from '#contract/messages/en/transcript.ts'
import type { Tell } from '#contract/platform/text/say.ts'
import { clockOf } from './clock.ts'
import { named } from './transcript.module.css?adopted'

/** Captions of a video as an element `track` has them. */
export type TranscriptTrack = { kind: string; language: string; label: string; src: string }

type TranscriptOptions = {
  video: HTMLVideoElement
  /** Of the video; it stands above the text on paper. */
  title: string
  /** One at least. */
  tracks: readonly TranscriptTrack[]
  say: Tell<typeof transcript>
  /** Plays from there. */
  playAt: (seconds: number) => void
  onClose: () => void
}

type Line = { seconds: number; item: HTMLLIElement; button: HTMLButtonElement; text: string; letters: string }

/** Milliseconds for which the text stays where a reader has moved it. */
const restMs = 5_000

/**
 * The text of a video, line by line: it goes along with what plays, each line leads to its moment, and it is searched, copied and printed.
 * It reads the files of captions that players read. Gives the panel, and what stops it.
 */
export function createTranscript(options: TranscriptOptions): { panel: HTMLElement; stop: () => void } {
  const { video, title, tracks, say, playAt, onClose } = options
  const end = new AbortController()
  const until = { signal: end.signal }
  const panel = element('section', { 'aria-label': say('title') })
  panel.className = named('panel')
  const heading = element('h2', { tabindex: '-1' }, say('title'))
  heading.append(element('span', {}, `: ${title}`))
  const status = element('p', { role: 'status' })
  const list = element('ol', {})
  const find = element('input', { type: 'search', 'aria-label': say('find'), placeholder: say('find') })
  const languages = element('select', { 'aria-label': say('language') })
  let lines: readonly Line[] = []
  let current: Line | undefined
  let reached: Line | undefined
  let movedAt = -restMs

  const shown = () => lines.filter(({ item }) => !item.hidden)
  const isSearched = () => find.value.trim() !== ''

  async function load(track: TranscriptTrack): Promise<void> {
    lines = []
    current = undefined
    reached = undefined
    list.replaceChildren()
    list.lang = track.language
    status.textContent = say('loading')
    const cues = await cuesOf(track.src).catch(() => undefined)
    if (end.signal.aborted || languages.value !== track.src) return
    if (!cues) {
      status.replaceChildren(
        say('failed'),
        ' ',
        press(say('again'), () => void load(track)),
      )
      return
    }
    status.textContent = ''
    lines = cues.map(lineOf)
    list.replaceChildren(...lines.map(({ item }) => item))
    search()
    follow()
  }

  function lineOf({ seconds, text }: SaidLine): Line {
    const item = element('li', {})
    const button = press('', () => {
      playAt(seconds)
      reach(line)
      mark(line)
    })
    button.tabIndex = -1
    button.append(element('span', {}, clockOf(seconds)), element('span', { dir: 'auto' }, text))
    item.append(button)
    const line = { seconds, item, button, text, letters: lettersOf(text) }
    return line
  }

  /** One line is reached by the Tab key, and from it the others by the arrows. */
  function reach(line: Line | undefined): void {
    if (reached) reached.button.tabIndex = -1
    reached = line
    if (line) line.button.tabIndex = 0
  }

  function mark(line: Line | undefined): void {
    current?.button.removeAttribute('aria-current')
    current = line
    line?.button.setAttribute('aria-current', 'true')
    // Whoever is in the list stays where they are.
    if (!list.contains(document.activeElement)) reach(line && !line.item.hidden ? line : shown()[0])
  }

  function follow(): void {
    // Elements do not stop to the millisecond.
    const now = video.currentTime + 0.001
    const line = lines.findLast(({ seconds }) => seconds <= now)
    if (line === current) return
    mark(line)
    if (line && !isSearched() && performance.now() - movedAt > restMs)
      list.scrollTop = line.item.offsetTop - list.offsetTop - list.clientHeight / 3
  }

  function search(): void {
    const words = lettersOf(find.value).split(/\s+/).filter(Boolean)
    for (const { item, letters } of lines) item.hidden = !words.every((word) => letters.includes(word))
    status.textContent = isSearched() ? say('places', { count: String(shown().length) }) : ''
    reach(current && !current.item.hidden ? current : shown()[0])
  }

  function move(event: KeyboardEvent): void {
    const all = shown()
    const at = all.findIndex(({ button }) => button === document.activeElement)
    const places: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    }
    const next = all[places[event.key] ?? -1]
    if (!(event.key in places)) return
    event.preventDefault()
    if (!next) return
    reach(next)
    next.button.focus()
  }

  async function copy(): Promise<void> {
    const text = shown()
      .map((line) => `${clockOf(line.seconds)} ${line.text}`)
      .join('\n')
    try {
      await navigator.clipboard.writeText(text)
      status.textContent = say('copied')
    } catch {
      getSelection()?.selectAllChildren(list)
      status.textContent = say('selected')
    }
  }

  /** The page prints this alone. */
  function print(): void {
    const root = document.documentElement
    root.dataset['prints'] = 'transcript'
    addEventListener('afterprint', () => delete root.dataset['prints'], { once: true })
    window.print()
  }

  const preferred = firstOf(tracks, video)
  for (const { label, src, language } of tracks) {
    const option = new Option(label, src, src === preferred?.src, src === preferred?.src)
    option.lang = language
    languages.append(option)
  }
  languages.addEventListener('change', () => {
    const track = tracks.find(({ src }) => src === languages.value)
    if (track) void load(track)
  })
  find.addEventListener('input', search)
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') shown()[0]?.button.click()
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      shown()[0]?.button.focus()
    }
  })
  list.addEventListener('keydown', move)
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    list.addEventListener(type, () => (movedAt = performance.now()), { passive: true })
  for (const type of ['timeupdate', 'seeking']) video.addEventListener(type, follow, until)

  const stop = () => {
    end.abort()
    panel.remove()
  }
  const tools = element('div', {})
  tools.append(
    find,
    languages,
    press(say('copy'), () => void copy()),
    press(say('print'), print),
    press(say('close'), onClose),
  )
  panel.append(heading, tools, status, list)
  if (preferred) void load(preferred)
  return { panel, stop }
}

/** What is on the picture; else what is in the language of the page; else the first. */
function firstOf(
  tracks: readonly TranscriptTrack[],
  { textTracks }: HTMLVideoElement,
): TranscriptTrack | undefined {
  const showing = Array.from(textTracks).find(({ mode }) => mode === 'showing')
  const main = (tag: string) => tag.split('-')[0]
  const page = main(document.documentElement.lang)
  return (
    tracks.find(({ label }) => label === showing?.label) ??
    tracks.find(({ language }) => main(language) === page) ??
    tracks[0]
  )
}

type SaidLine = { seconds: number; text: string }

/** Read by the browser's own reader of captions, in a place of its own, so that what the player shows stays as it is. */
function cuesOf(src: string): Promise<SaidLine[]> {
  const reader = document.createElement('video')
  const track = document.createElement('track')
  return new Promise((resolve, reject) => {
    track.addEventListener('load', () =>
      resolve(
        Array.from(track.track.cues ?? [], (cue) => ({
          seconds: cue.startTime,
          text:
            cue instanceof VTTCue
              ? (cue.getCueAsHTML().textContent ?? '').replaceAll(/\s+/g, ' ').trim()
              : '',
        })).filter(({ text }) => text !== ''),
      ),
    )
    track.addEventListener('error', () => reject(new Error('no captions')))
    track.kind = 'captions'
    track.src = src
    reader.append(track)
    track.track.mode = 'hidden'
  })
}

const lettersOf = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  text = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  if (text !== '') made.textContent = text
  return made
}

function press(text: string, run: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text)
  made.addEventListener('click', run)
  return made
}
