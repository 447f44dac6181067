import type { AnswerResult, AskedQuestion, Attempt } from '#contract/quizzes/quizzes.ts'
import type { EventType } from '#contract/tracking/track-limits.ts'
import type { QuizData } from '#contract/watch-page.ts'
import { isPassing, quizApi } from './quiz/api.ts'
import { createBar } from './quiz/bar.ts'
import { dueAt, nearMs, nextStop, openQuestions, type Course } from './quiz/course.ts'
import { createStage } from './quiz/stage.ts'
import { messageView, outcomeView, questionView, resultView, type Action } from './quiz/views.ts'
import { clock, faultOf, noRetake, say } from './quiz/labels.ts'

export type QuizParts = {
  video: HTMLVideoElement
  playToken: string
  quiz: QuizData
  note: (type: EventType, data: Record<string, string>) => void
  /** Brings what was noted to the server. */
  flush: () => void
}

/** Questions are fetched this long before the first of them, so that somebody who never comes near one begins no attempt. */
const aheadMs = 10_000
/** So late may be the pause before a question, and with it the place where somebody goes on another time. */
const lateMs = 2 * nearMs + 250

/** Asks the questions of a video at their times and at its end, and holds it where one has to be answered first. */
export function startQuiz({ video, playToken, quiz, note, flush }: QuizParts): void {
  const api = quizApi(quiz.id, playToken)
  const stage = createStage(video)
  const bar = createBar(video, { onAnswer: () => askRest(), onResult: () => showOutcome() })
  const skipped = new Set<string>()
  const retrying = new Set<string>()
  let attempt: Attempt | undefined
  let isLoading = false
  /** Set while the video waits for the questions. */
  let held: { isPlayed: boolean; resumes: boolean } | undefined
  let isOver = false
  /** Where the last look was, and where the video was before it was sent elsewhere. */
  let last = beginningOf(video) - lateMs
  let timer: ReturnType<typeof setTimeout> | undefined

  const position = () => video.currentTime * 1000
  const course = (known: Attempt): Course => ({ attempt: known, skipped, retrying })

  /** `isPlayed`: what lies between the last look and now was played, not jumped over. */
  function look(isPlayed: boolean): void {
    clearTimeout(timer)
    if (stage.isOpen() || isOver) return
    const to = position()
    // Whoever jumps onto a question has come to it.
    const from = isPlayed && to >= last ? last : to - nearMs
    if (!attempt) return lookAhead({ from, to, isPlayed })
    const due = dueAt(course(attempt), { from, to })
    if (due) ask(due, { left: isPlayed ? undefined : last })
    else plan(nextStop(course(attempt), to) - to)
    last = to
  }

  /** Comes to the very moment of a question, which the events of the video would pass by a quarter of a second. */
  function plan(ms: number): void {
    if (video.paused || ms > 2_000) return
    timer = setTimeout(() => look(true), Math.max(0, ms - nearMs / 2) / video.playbackRate)
  }

  type Look = { from: number; to: number; isPlayed: boolean }

  /** While only the times are known. */
  function lookAhead({ from, to, isPlayed }: Look): void {
    const end = Number.isFinite(video.duration) ? video.duration * 1000 : Infinity
    const times = quiz.stops.map(({ atMs }) => atMs ?? end)
    const isStop = quiz.stops.some(
      ({ atMs, gate }) => atMs !== null && atMs <= to + nearMs && (gate || atMs > from),
    )
    if (isStop) hold(isPlayed)
    else last = to
    if (isStop || times.some((at) => at <= to + aheadMs)) void load()
    else plan(Math.min(...times) - to)
  }

  /** The video waits for the questions. */
  function hold(isPlayed: boolean): void {
    held ??= { isPlayed, resumes: !video.paused }
    video.pause()
  }

  async function load(): Promise<void> {
    if (isLoading) return
    isLoading = true
    const slow = setTimeout(() => {
      if (held) stage.show(messageView({ title: say('fetching') }))
    }, 700)
    const reply = await api.start()
    clearTimeout(slow)
    isLoading = false
    if (reply.ok) return begin(reply.body)
    if (!isPassing(reply.status)) return giveUp(reply.status)
    const again = () => void (attempt ?? load())
    whenBack(5_000, again)
    if (!held) return
    const actions = [{ label: say('tryNow'), run: again, isMain: true }]
    stage.show(messageView({ title: say('lostTitle'), text: say('lostText'), actions }))
  }

  function begin(known: Attempt): void {
    const { isPlayed, resumes } = held ?? { isPlayed: position() - last < 3_000, resumes: false }
    held = undefined
    take(known)
    stage.close(resumes)
    look(isPlayed)
    if (resumes && !stage.isOpen()) void video.play().catch(ignore)
  }

  /** The questions were withdrawn meanwhile, or the page is too old to answer them. */
  function giveUp(status: number): void {
    if (status === 401 || status === 410) {
      const run = () => location.reload()
      const actions = [{ label: say('reload'), run, isMain: true }]
      stage.show(messageView({ title: say('reloadTitle'), text: say('reloadText'), actions }))
      return
    }
    isOver = true
    const wasOpen = stage.isOpen()
    stage.close()
    bar.remove()
    if (wasOpen) void video.play().catch(ignore)
  }

  function take(known: Attempt): void {
    attempt = known
    bar.show(known, known.questions.filter(({ id }) => skipped.has(id)).length)
  }

  type Manner = {
    /** Where the video was before somebody jumped over the question. */
    left?: number | undefined
    /** The video is over, or stands still elsewhere: no way back to it. */
    isRest?: boolean
  }

  function ask(question: AskedQuestion, manner: Manner): void {
    if (!attempt) return
    const { id, atMs } = question
    const { left, isRest = false } = manner
    const isJump = left !== undefined && atMs !== null && left < atMs - 1_000 && position() > atMs + nearMs
    if (!isRest && atMs !== null && Math.abs(position() - atMs) > 250) video.currentTime = atMs / 1000
    const earlier = attempt.answered.find(({ itemId }) => itemId === id)
    const tries = (earlier?.try ?? 0) + 1
    const shown = stopwatch()
    const back = isJump ? left : Math.max(0, (atMs ?? 0) - 15_000)
    const number = String(attempt.questions.findIndex((one) => one.id === id) + 1)
    const all = String(attempt.questions.length)
    const view = questionView({
      question,
      step: say(tries > 1 ? 'stepAgain' : 'step', { number, all }),
      notice: isJump ? say('jumped') : undefined,
      onAnswer: (answer) => {
        const sending = { itemId: id, try: tries, answer, tookMs: shown() }
        void send(sending)
      },
      others: [
        question.gate && !isRest ? undefined : { label: say('skip'), run: () => skip(question) },
        isRest || atMs === null || back > atMs - lateMs
          ? undefined
          : { label: say('watchFrom', { time: clock(back) }), run: () => watchFrom(back) },
      ],
    })

    async function send(sending: Parameters<typeof api.answer>[1], failures = 0): Promise<void> {
      if (!attempt) return
      view.wait(say(failures === 0 ? 'saving' : 'lost'))
      const reply = await api.answer(attempt.id, sending)
      if (reply.ok) {
        retrying.delete(id)
        skipped.delete(id)
        take(reply.body.attempt)
        note('quiz.answered', { id, attemptId: reply.body.attempt.id })
        const detail = { hasPassed: reply.body.attempt.outcome?.passed === true }
        video.dispatchEvent(new CustomEvent('answered', { detail }))
        flush()
        // Put off while it was under way, it interrupts nobody.
        if (view.root.isConnected) showResult(question, { result: reply.body.result, isRest })
      } else if (isPassing(reply.status)) {
        view.wait(say('lost'))
        whenBack(2_000 * 2 ** Math.min(failures, 4), () => void send(sending, failures + 1))
      } else if (reply.status === 422) view.fault(faultOf(reply.problem?.fields?.['answer']?.[0]))
      else if (reply.status === 409) await catchUp()
      else giveUp(reply.status)
    }

    /** It was answered in another window. */
    async function catchUp(): Promise<void> {
      const reply = await api.start()
      if (!reply.ok) return giveUp(reply.status)
      take(reply.body)
      const result = reply.body.answered.find(({ itemId }) => itemId === id)
      if (result) showResult(question, { result, isRest })
      else goOn(isRest)
    }

    stage.show(view.root)
    note('quiz.shown', { id })
  }

  function skip({ id }: AskedQuestion): void {
    skipped.add(id)
    if (attempt) take(attempt)
    if (video.ended) stage.close()
    else goOn(false)
  }

  function watchFrom(ms: number): void {
    stage.close(true)
    video.currentTime = ms / 1000
    last = ms
    void video.play().catch(ignore)
  }

  type Shown = { result: AnswerResult; isRest: boolean }

  function showResult({ id }: AskedQuestion, { result, isRest }: Shown): void {
    const { backToMs, mayRetry } = result
    const again: Action | undefined =
      backToMs === null
        ? undefined
        : {
            label: say(mayRetry ? 'watchThenAnswer' : 'watchPart'),
            isMain: mayRetry,
            run: () => {
              if (mayRetry) retrying.add(id)
              watchFrom(backToMs)
            },
          }
    const on = {
      label: say(isRest && attempt?.outcome ? 'showResult' : 'goOn'),
      isMain: !mayRetry,
      run: () => goOn(isRest),
    }
    stage.show(resultView({ result, actions: mayRetry ? [again, on] : [on, again] }))
  }

  /** The next question of this moment, or the video. */
  function goOn(isRest: boolean): void {
    if (isRest || video.ended) return askRest()
    const at = position()
    const due = attempt && dueAt(course(attempt), { from: at - lateMs, to: at })
    if (due) return ask(due, {})
    stage.close(true)
    last = at
    void video.play().catch(ignore)
  }

  /** One by one what has not been answered; then how it went. */
  function askRest(): void {
    const [next] = attempt ? openQuestions(course(attempt)).filter(isReached) : []
    if (next) ask(next, { isRest: true })
    else if (attempt?.outcome) showOutcome()
    else stage.close()
  }

  /** Before the end of the video only what was put off may be asked elsewhere than at its time. */
  function isReached({ id }: AskedQuestion): boolean {
    return video.ended || skipped.has(id)
  }

  function showOutcome(): void {
    if (!attempt) return
    const from = Date.parse(attempt.outcome?.retakeAt ?? '')
    const again =
      from <= Date.now() ? { label: say('tryAgain'), isMain: true, run: () => void retake() } : undefined
    const close = { label: say('close'), isMain: !again, run: () => stage.close() }
    stage.show(outcomeView(attempt, [again, close]))
  }

  async function retake(): Promise<void> {
    const reply = await api.start(true)
    if (!reply.ok) {
      const text = isPassing(reply.status) ? say('lost') : noRetake(reply.problem?.reason?.code)
      const actions = [{ label: say('close'), isMain: true, run: () => stage.close() }]
      return stage.show(messageView({ title: say('notAskedAgain'), text, actions }))
    }
    skipped.clear()
    retrying.clear()
    take(reply.body)
    const [first] = reply.body.questions
    if (video.ended && first) return ask(first, { isRest: true })
    watchFrom(0)
  }

  async function finish(): Promise<void> {
    look(true)
    if (stage.isOpen() || isOver) return
    if (!attempt) {
      hold(true)
      await load()
    }
    if (attempt && !stage.isOpen() && video.ended) askRest()
  }

  for (const type of ['timeupdate', 'playing', 'ratechange'])
    video.addEventListener(type, () => {
      if (!video.seeking) look(position() - last < 3_000 * video.playbackRate)
    })
  video.addEventListener('seeked', () => look(false))
  video.addEventListener('pause', () => clearTimeout(timer))
  video.addEventListener('ended', () => void finish())
  look(true)
}

/** Where what plays now began, in milliseconds. */
function beginningOf({ played, currentTime }: HTMLVideoElement): number {
  return (played.length > 0 ? played.start(played.length - 1) : currentTime) * 1000
}

/** After some time, and at once when the browser says that it is online again. */
function whenBack(ms: number, run: () => void): void {
  const go = () => {
    clearTimeout(timer)
    window.removeEventListener('online', go)
    run()
  }
  const timer = setTimeout(go, ms)
  window.addEventListener('online', go)
}

/** Milliseconds that passed since now while the page could be seen. */
function stopwatch(): () => number {
  let seen = 0
  let since = document.hidden ? undefined : performance.now()
  const turn = () => {
    if (since !== undefined) seen += performance.now() - since
    since = document.hidden ? undefined : performance.now()
  }
  document.addEventListener('visibilitychange', turn)
  return () => {
    turn()
    return Math.min(86_400_000, Math.round(seen))
  }
}

function ignore(): void {
  // The controls of the video are there: a press on play goes on.
}
