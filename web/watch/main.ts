import { spanFlags } from '#contract/track-limits.ts'
import type { Engine } from './engine.ts'
import { createRecorder } from './recorder.ts'
import { browserSpool } from './spool.ts'
import { createWire, replay } from './wire.ts'

type WatchData = { playToken: string; hls: string; durationMs: number; position: number }

const byId = (id: string) => document.getElementById(id)
const video = byId('video')
const start = byId('start')
const message = byId('message')
const source = byId('watch')?.textContent

if (video instanceof HTMLVideoElement && start && message && source) {
  // Written into the page by our own server.
  watch({ video, start, message }, JSON.parse(source) as WatchData)
}

type Parts = { video: HTMLVideoElement; start: HTMLElement; message: HTMLElement }

function watch({ video, start, message }: Parts, data: WatchData): void {
  const zero = performance.now()
  const now = () => performance.now() - zero
  const url = new URL(data.hls, location.href).href
  let engine: Promise<Engine> | undefined
  let current: Engine | undefined
  const recorder = createRecorder({
    media: video,
    now,
    flags: () => flagsOf(video),
    onMoment: (moment) => (moment === 'resume' ? wire.wake() : wire.flush()),
  })
  const spool = browserSpool()
  const wire = createWire({
    playToken: data.playToken,
    recorder,
    spool,
    now,
    visible: () => !document.hidden,
    height: () => current?.height() ?? video.videoHeight,
  })

  function say(text: string, action?: { label: string; run: () => void }): void {
    message.textContent = text
    if (!action) return
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = action.label
    button.addEventListener('click', action.run)
    message.append(button)
  }

  let isLost = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = () => {
    clearTimeout(timer)
    if (isLost) current?.retry()
  }
  const lost = () => {
    if (!isLost) recorder.note('error', { code: 'network' })
    isLost = true
    timer = setTimeout(again, 4_000)
    say('The connection is lost. The video goes on as soon as it is back.', {
      label: 'Try again',
      run: again,
    })
  }
  const back = () => {
    if (isLost) say('')
    isLost = false
  }
  const failed = () => {
    recorder.note('error', { code: 'media' })
    say('The video cannot be played right now.', { label: 'Reload the page', run: () => location.reload() })
  }

  /** Safari plays HLS itself; Chromium says "maybe" and is better served by the engine. */
  const isNative =
    video.canPlayType('application/vnd.apple.mpegurl') !== '' &&
    (navigator.vendor.startsWith('Apple') || !('MediaSource' in window))

  const fetchEngine = () => {
    if (!isNative) void import('./engine.ts').catch(ignore)
  }

  async function begin(): Promise<void> {
    engine ??= attach()
    start.setAttribute('aria-busy', 'true')
    try {
      current = await engine
      start.hidden = true
      video.focus()
      await video.play()
    } catch {
      engine = undefined
      start.removeAttribute('aria-busy')
      if (!video.error) say('The video could not be started. Please try again.')
    }
  }

  async function attach(): Promise<Engine> {
    if (data.position > 3_000 && data.position < data.durationMs - 5_000) resumeAt(data.position / 1000)
    if (!isNative) {
      const { startEngine } = await import('./engine.ts')
      return startEngine({ video, url, onLost: lost, onBack: back, onFailed: failed })
    }
    video.src = url
    video.addEventListener('playing', back)
    video.addEventListener('error', () => {
      if (video.error?.code === MediaError.MEDIA_ERR_NETWORK) lost()
      else failed()
    })
    return { height: () => video.videoHeight, retry: reload }
  }

  function reload(): void {
    resumeSilently(video.currentTime)
    video.load()
    void video.play().catch(ignore)
  }

  function resumeSilently(seconds: number): void {
    video.addEventListener('loadedmetadata', () => (video.currentTime = seconds), { once: true })
  }

  function resumeAt(seconds: number): void {
    resumeSilently(seconds)
    const run = () => {
      video.currentTime = 0
      say('')
    }
    say(`Continuing at ${clock(seconds)}, where you stopped.`, { label: 'Start from the beginning', run })
  }

  start.hidden = false
  start.addEventListener('click', () => void begin())
  // Somebody who saves data gets the engine with the press on play and not before.
  if (!savesData()) {
    for (const type of ['pointerenter', 'focus', 'touchstart'])
      start.addEventListener(type, fetchEngine, { once: true, passive: true })
  }
  window.addEventListener('online', again)
  for (const type of ['fullscreenchange', 'visibilitychange'])
    document.addEventListener(type, () => recorder.refresh())
  for (const type of ['enterpictureinpicture', 'leavepictureinpicture'])
    video.addEventListener(type, () => recorder.refresh())
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) wire.leave()
  })
  window.addEventListener('pagehide', () => wire.leave())
  noteImpression(video, () => {
    recorder.note('impression')
    wire.flush()
  })
  void replay(spool, data.playToken)
}

/** At least half of the player was in sight of somebody for a second. */
function noteImpression(video: HTMLVideoElement, seen: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let inSight = false
  const look = () => {
    clearTimeout(timer)
    if (inSight && !document.hidden)
      timer = setTimeout(() => {
        observer.disconnect()
        document.removeEventListener('visibilitychange', look)
        seen()
      }, 1_000)
  }
  const observer = new IntersectionObserver(
    ([entry]) => {
      inSight = entry?.isIntersecting === true
      look()
    },
    { threshold: 0.5 },
  )
  observer.observe(video)
  document.addEventListener('visibilitychange', look)
}

function flagsOf(video: HTMLVideoElement): number {
  return (
    (document.hidden ? spanFlags.hidden : 0) |
    (document.pictureInPictureElement === video ? spanFlags.pictureInPicture : 0) |
    (document.fullscreenElement === null ? 0 : spanFlags.fullscreen)
  )
}

function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } }
  return connection?.saveData === true
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

function ignore(): void {
  // What follows from it is told where it matters.
}
