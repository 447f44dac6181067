import type { PlayerTexts } from '#contract/watch-page.ts'
import type { Engine, EngineOptions } from '#web/player/engine.ts'

export type PlayerParts = { video: HTMLVideoElement; start: HTMLElement; message: HTMLElement }

export type PlayerOptions = PlayerParts & {
  /** Absolute address of the playlist. */
  url: string
  /** The built engine and all its files. */
  engine: readonly string[]
  /** The same of the controls, to be fetched in the same moment. */
  controls: readonly string[]
  onHeights: EngineOptions['onHeights']
  texts: PlayerTexts
  /** Seconds at which somebody stopped before; 0 to begin at the beginning. */
  resumeAt: number
  /** The link leads there, so that nobody is told where they stopped. */
  isLinked: boolean
  onError: (code: 'network' | 'media') => void
}

export type Player = {
  /** Fetches the engine, and runs nothing of it; for a moment in which nobody waits for anything else. */
  prepare: () => void
  height: () => number
  /** Goes there and plays, the first time too. */
  playAt: (seconds: number) => void
  /** Plays nothing any more, and says why. */
  end: () => void
}

/** What gives the element its media; where the browser does it, nothing can be chosen. */
type Source = Pick<Engine, 'height' | 'retry'>
type Action = { label: string; run: () => void }

/** Loads nothing before the press on play but the engine, which runs when somebody is about to press it. Says what goes wrong. */
export function createPlayer(options: PlayerOptions): Player {
  const { video, start, message, url, texts } = options
  const trouble = troubles(options, () => engine?.retry())
  let attached: Promise<Source> | undefined
  let engine: Source | undefined

  async function press(): Promise<void> {
    start.setAttribute('aria-busy', 'true')
    try {
      attached ??= attach()
      engine = await attached
      start.hidden = true
      // Until ours are there, or where they do not come.
      video.controls = !document.getElementById('controls')?.firstChild
      video.focus()
      await video.play()
    } catch {
      attached = engine ? attached : undefined
      start.hidden = engine !== undefined
      start.removeAttribute('aria-busy')
      if (!engine) say(message, texts.notStarted)
    }
  }

  async function attach(): Promise<Source> {
    const found = isNative(video)
      ? nativeEngine(video, url, trouble)
      : (await fetchEngine(options.engine[0])).startEngine({
          video,
          url,
          ...trouble,
          onHeights: options.onHeights,
        })
    if (options.resumeAt > 0) resume(options)
    return found
  }

  function playAt(seconds: number): void {
    if (engine) {
      video.currentTime = seconds
      void video.play().catch(ignore)
    } else {
      options.resumeAt = seconds
      // It was not there that they stopped.
      void press().then(() => engine && say(message, ''))
    }
  }

  // Before that there is one way to play, and nobody sees another behind it.
  video.controls = false
  start.hidden = false
  start.addEventListener('click', () => void press())
  // Somebody who saves data gets the engine with the press on play and not before.
  const isWanted = !isNative(video) && !savesData()
  if (isWanted) {
    const hurry = () => void fetchEngine(options.engine[0]).catch(ignore)
    for (const type of ['pointerenter', 'focus', 'touchstart'])
      start.addEventListener(type, hurry, { once: true, passive: true })
  }
  return {
    prepare() {
      if (savesData()) return
      for (const file of [...(isWanted ? options.engine : []), ...options.controls]) preload(file)
    },
    height: () => engine?.height() ?? video.videoHeight,
    playAt,
    end() {
      trouble.stop()
      video.pause()
      // What has been loaded could still be played.
      video.removeAttribute('src')
      video.load()
      video.remove()
      start.hidden = true
      say(message, texts.linkStopped, { label: texts.reload, run: () => location.reload() })
    },
  }
}

function preload(file: string): void {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = file
  document.head.append(link)
}

/** By its address, which the page knows: an import by name would bring the bundler's preloading along, a sixth of the island. */
function fetchEngine(url = ''): Promise<typeof import('#web/player/engine.ts')> {
  return import(/* @vite-ignore */ url)
}

type Troubles = { onLost: () => void; onBack: () => void; onFailed: () => void; stop: () => void }

/** A lost network is told at once and tried again by itself until it is back. */
function troubles({ message, texts, onError }: PlayerOptions, retry: () => void): Troubles {
  let isLost = false
  let isStopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => {
    clearTimeout(timer)
    if (isLost) retry()
  }
  window.addEventListener('online', again)
  return {
    onLost() {
      if (isStopped) return
      if (!isLost) onError('network')
      isLost = true
      timer = setTimeout(again, 4_000)
      say(message, texts.lost, { label: texts.tryAgain, run: again })
    },
    onBack() {
      if (isLost) say(message, '')
      isLost = false
    },
    onFailed() {
      if (isStopped) return
      onError('media')
      say(message, texts.cannotPlay, { label: texts.reload, run: () => location.reload() })
    },
    stop() {
      isStopped = true
      isLost = false
      clearTimeout(timer)
    },
  }
}

/** Safari plays HLS itself; Chromium says "maybe" and is better served by the engine. */
function isNative(video: HTMLVideoElement): boolean {
  const able = video.canPlayType('application/vnd.apple.mpegurl') !== ''
  return able && (navigator.vendor.startsWith('Apple') || !('MediaSource' in window))
}

function nativeEngine(video: HTMLVideoElement, url: string, { onLost, onBack, onFailed }: Troubles): Source {
  video.src = url
  video.addEventListener('playing', onBack)
  video.addEventListener('error', () => {
    if (video.error?.code === MediaError.MEDIA_ERR_NETWORK) onLost()
    else onFailed()
  })
  return {
    height: () => video.videoHeight,
    retry() {
      const seconds = video.currentTime
      video.addEventListener('loadedmetadata', () => (video.currentTime = seconds), { once: true })
      video.load()
      void video.play().catch(ignore)
    },
  }
}

function resume(options: PlayerOptions): void {
  const { video, message, resumeAt, texts } = options
  // Asked for only then: whoever presses the button before the video is there does not want to go on.
  video.addEventListener('loadedmetadata', () => (video.currentTime = options.resumeAt), { once: true })
  if (options.isLinked) return
  const run = () => {
    options.resumeAt = 0
    video.currentTime = 0
    say(message, '')
    video.focus()
  }
  const whole = Math.floor(resumeAt)
  const clock = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
  say(message, texts.continuing.replace('{time}', clock), { label: texts.fromBeginning, run })
}

export function say(message: HTMLElement, text: string, action?: Action): void {
  message.textContent = text
  if (!action) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = action.label
  button.addEventListener('click', action.run)
  message.append(button)
}

function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}

function ignore(): void {
  // The press on play tries again and says what is wrong.
}
