import type { WatchData } from '#contract/watch-page.ts'
import type { Controls } from '#web/player/controls.ts'
import { flagsOf } from '#web/recorder/flags.ts'
import { createRecorder } from '#web/recorder/recorder.ts'
import { browserSpool } from '#web/recorder/spool.ts'
import { createWire, replay } from '#web/recorder/wire.ts'
import { createPlayer, say, type PlayerParts } from './player.ts'
import type { QuizParts } from './quiz.ts'
import { countingToken } from './reader.ts'
import type { ReceiptParts } from './receipt.ts'

const byId = (id: string) => document.getElementById(id)
const video = byId('video')
const start = byId('start')
const message = byId('message')
const source = byId('watch')?.textContent

if (video instanceof HTMLVideoElement && start && message && source) {
  // Written into the page by our own server.
  const data = JSON.parse(source) as WatchData
  countingToken(data)
    .then((playToken) => playToken && watch({ video, start, message }, { ...data, playToken }))
    .catch(() => {
      const { cannotPlay, reload } = data.texts
      say(message, cannotPlay, { label: reload, run: () => location.reload() })
    })
}

/** Ties the static page together: a player, a recorder of what it plays, and the wire that reports it. */
function watch(parts: PlayerParts, data: WatchData): void {
  const {
    playToken,
    hls,
    engine,
    controls: files,
    durationMs,
    position,
    quiz,
    chapters,
    captions,
    transcript,
    texts,
  } = data
  const linked = linkedMs()
  const isLinked = linked < durationMs
  const { video } = parts
  const zero = performance.now()
  const now = () => performance.now() - zero
  const spool = browserSpool()
  const recorder = createRecorder({
    media: video,
    now,
    flags: () => flagsOf(video),
    onMoment: (moment) => (moment === 'resume' ? wire.wake() : wire.flush()),
  })
  const player = createPlayer({
    ...parts,
    url: new URL(hls, location.href).href,
    engine,
    controls: files,
    onHeights: (heights, choose) => void controls().then((own) => own?.showQuality(heights, choose)),
    texts,
    resumeAt: isLinked
      ? linked / 1000
      : position > 3_000 && position < durationMs - 5_000
        ? position / 1000
        : 0,
    isLinked,
    onError: (code) => {
      recorder.note('error', { code })
      // The answer may know why nothing comes any more.
      wire.flush()
    },
  })
  let shown: Promise<Controls | undefined> | undefined
  /** Without them the browser's own stay. */
  const controls = () => {
    const fetched = import(/* @vite-ignore */ files[0] ?? '') as Promise<typeof import('./controls.ts')>
    return (shown ??= fetched
      .then((own) => own.startControls(data, { ...parts, playAt: player.playAt }))
      .catch(() => byId('controls')?.remove() as undefined))
  }
  const visible = () => !document.hidden
  const onEnded = () => {
    player.end()
    void shown?.then((own) => own?.remove())
    // It offers to play what is missing.
    byId('receipt')?.remove()
  }
  const { height } = player
  const wire = createWire({ playToken, recorder, spool, now, visible, height, onEnded })

  for (const type of ['fullscreenchange', 'visibilitychange'])
    document.addEventListener(type, recorder.refresh)
  for (const type of ['enterpictureinpicture', 'leavepictureinpicture'])
    video.addEventListener(type, recorder.refresh)
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) wire.leave()
  })
  // A page that the browser keeps may be shown again.
  window.addEventListener('pagehide', ({ persisted }) => wire.leave(!persisted))
  whenSeen(video, () => {
    recorder.note('impression')
    wire.flush()
  })
  void replay(spool, playToken)
  afterPaint(player.prepare)
  const { playAt } = player
  const receipt = () => void showReceipt(data, { video, playAt, controls, spans: recorder.spans })
  if (data.watched) afterPaint(receipt)
  else video.addEventListener('playing', receipt, { once: true })
  parts.start.addEventListener('click', () => void controls(), { once: true })
  if (captions) afterPaint(() => void withCaptions(captions, { video, controls }))
  if (chapters) afterPaint(() => void withChapters(chapters, { video, playAt, controls }))
  if (quiz) withQuestions({ video, playToken, quiz, note: recorder.note, flush: wire.flush })
  if (transcript !== undefined)
    onPress('transcript', texts.tryAgain, async (button) => {
      const own = (await import(/* @vite-ignore */ transcript)) as typeof import('./transcript.ts')
      own.showTranscript({ button, video, playAt })
    })
  withOwnData(data)
}

/** What nobody waits for leaves the line to the page and its picture: on a busy machine both are there long after they have arrived. */
function afterPaint(run: () => void): void {
  const idle = () => ('requestIdleCallback' in window ? requestIdleCallback(run) : setTimeout(run, 200))
  const look = () => (isPainted() ? idle() : requestAnimationFrame(look))
  if (document.readyState === 'complete') look()
  else window.addEventListener('load', look, { once: true })
}

/** Whoever does not tell of it has painted it after five seconds. */
const isPainted = () =>
  performance.getEntriesByName('first-contentful-paint').length > 0 || performance.now() > 5_000

/** The moment that a link leads to (`#t=190`, in seconds), in milliseconds; not a number where it names none. */
const linkedMs = () => Number(/^#t=(\d+(\.\d+)?)$/.exec(location.hash)?.[1] ?? NaN) * 1000

type Chaptered = Pick<ReceiptParts, 'video' | 'playAt' | 'controls'>

/** By its address, like the engine, and only where there are some. Without it the list of the page is there all the same. */
async function withChapters(
  chapters: NonNullable<WatchData['chapters']>,
  { controls, ...parts }: Chaptered,
): Promise<void> {
  const { startChapters } = (await import(
    /* @vite-ignore */ chapters.script
  )) as typeof import('./chapters.ts')
  startChapters(chapters, { ...parts, controls: await controls() })
}

/** By its address as well. */
async function withCaptions(script: string, { video, controls }: Pick<Chaptered, 'video' | 'controls'>) {
  const { startCaptions } = (await import(/* @vite-ignore */ script)) as typeof import('./captions.ts')
  const own = await controls()
  if (own) startCaptions(own, video)
}

/** Few ask for it, so it is fetched with the press. */
function onPress(id: string, again: string, open: (button: HTMLElement) => Promise<void>): void {
  const button = byId(id)
  if (!button) return
  button.hidden = false
  const retry = () => (button.textContent = again)
  button.addEventListener('click', () => void open(button).catch(retry))
}

function withOwnData({ own, playToken, texts }: WatchData): void {
  if (!own) return
  onPress('own', texts.ownDataAgain, async (button) => {
    const { showOwnData } = (await import(/* @vite-ignore */ own.script)) as typeof import('./own.ts')
    showOwnData({ ...own, button, playToken })
  })
}

/** Fetched by its address when the video plays for the first time; where that fails, at the next time. */
function withQuestions(parts: QuizParts): void {
  const fetched = () => import(/* @vite-ignore */ parts.quiz.script) as Promise<typeof import('./quiz.ts')>
  const begin = () =>
    fetched()
      .then(({ startQuiz }) => startQuiz(parts))
      .catch(() => withQuestions(parts))
  parts.video.addEventListener('playing', () => void begin(), { once: true })
}

/** By its address, like the engine: nothing of it is loaded before there is something to tell. */
async function showReceipt(data: WatchData, parts: ReceiptParts): Promise<void> {
  const { startReceipt } = (await import(/* @vite-ignore */ data.receipt)) as typeof import('./receipt.ts')
  startReceipt(data, parts)
}

/** At least half of the player was in sight of somebody for a second. */
function whenSeen(video: HTMLVideoElement, seen: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let inSight = false
  const look = () => {
    clearTimeout(timer)
    if (inSight && !document.hidden) timer = setTimeout(finish, 1_000)
  }
  const finish = () => {
    observer.disconnect()
    document.removeEventListener('visibilitychange', look)
    seen()
  }
  const report = ([entry]: IntersectionObserverEntry[]) => {
    inSight = entry?.isIntersecting === true
    look()
  }
  const observer = new IntersectionObserver(report, { threshold: 0.5 })
  observer.observe(video)
  document.addEventListener('visibilitychange', look)
}
