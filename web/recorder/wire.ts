import type { CodedProblem } from '#contract/platform/problem-details.ts'
import { spanFlags, trackLimits } from '#contract/tracking/track-limits.ts'
import type { Span, TrackBatch, TrackEvent, TrackReply } from '#contract/tracking/tracks.ts'
import type { Recorder } from './recorder.ts'

type Entries = { spans: Span[]; events: TrackEvent[] }

/** What a session still owes the server; kept in the browser until it is acknowledged. */
export type Debt = Entries & {
  playToken: string
  /** Epoch milliseconds of the last change. */
  at: number
  batch: number
  elapsedMs: number
  /** Where the player stood; missing in debts of earlier days. */
  position?: number
}

export type Spool = {
  put: (debt: Debt) => Promise<void>
  remove: (playToken: string) => Promise<void>
  all: () => Promise<Debt[]>
}

export type WireOptions = {
  playToken: string
  recorder: Recorder
  spool: Spool
  /** Monotonic milliseconds since the session began. */
  now: () => number
  visible: () => boolean
  /** Height of the picture that is shown, when known. */
  height?: () => number
  url?: string
  /** The personal link works no more: nothing that is played from now on is taken. */
  onEnded?: () => void
}

export type Wire = {
  /** Reports now, not at the next heartbeat. */
  flush: () => void
  /** Playing goes on: the heartbeat beats again. */
  wake: () => void
  /** The page may be gone in a moment: sends what is owed without waiting for an answer. `closing`: nobody comes back to it. */
  leave: (closing?: boolean) => void
}

const giveUpMs = 3_600_000
/** Leaves room for the frame around the entries. */
const room = trackLimits.bytes - 2_500

/**
 * Brings the recorder's logs to the server. Both logs are append-only; every batch starts at the first entry whose present form
 * has not been acknowledged, so lost, doubled and overtaken batches do no harm.
 */
export function createWire(options: WireOptions): Wire {
  const { playToken, recorder, spool, now, url = '/api/tracks' } = options
  const ledger = ledgerOf(recorder)
  let batch = 0
  let heartbeat: number = trackLimits.heartbeat.usual
  let timer: ReturnType<typeof setTimeout> | undefined
  let busy = false
  let again = false
  let over = false
  let failures = 0
  let failingSince = 0
  let lastLeft = ''

  function nextBatch({ spans, events }: Entries, closing = false): TrackBatch {
    const height = options.height?.() ?? 0
    return {
      version: 1,
      playToken,
      batch: batch++,
      elapsedMs: Math.round(now()),
      spans,
      events,
      state: {
        position: recorder.position(),
        visible: options.visible(),
        ...(height > 0 ? { height } : {}),
      },
      ended: closing || recorder.events().at(-1)?.[1] === 'ended',
    }
  }

  async function send(): Promise<void> {
    if (over) return
    const entries = fitting(ledger.owed())
    if (isEmpty(entries)) return plan()
    // An answer that is late may never come.
    plan(busy || failures > 0 ? 0 : heartbeat, () => wait(Infinity))
    if (busy) {
      again = true
      return
    }
    busy = true
    again = false
    const answer = await post(url, nextBatch(entries))
    clearTimeout(timer)
    busy = false
    if (answer.ok) {
      failures = 0
      heartbeat = answer.next
      ledger.settle(entries)
      const outstanding = ledger.owed()
      if (isEmpty(outstanding)) void spool.remove(playToken)
      plan(again || outstanding.spans.length > 1 || outstanding.events.length > 0 ? 1_000 : undefined)
    } else if (answer.lost) {
      over = true
      void spool.remove(playToken)
      if (answer.ended) options.onEnded?.()
    } else retry(answer.retryAfter)
  }

  /** The heartbeat beats only while something is playing. */
  function plan(ms?: number, next: () => unknown = send): void {
    clearTimeout(timer)
    timer = undefined
    if (ms !== undefined || recorder.playing()) timer = setTimeout(next, ms ?? heartbeat)
  }

  function retry(retryAfter: number): void {
    failures += 1
    if (failures === 1) failingSince = now()
    if (now() - failingSince > giveUpMs) over = true
    else wait(Math.max(retryAfter, backOff(failures, Math.random())))
  }

  /** However long the server is left alone, what is played meanwhile is kept at every heartbeat. */
  function wait(ms: number): void {
    keep()
    if (ms > heartbeat) plan(heartbeat, () => wait(ms - heartbeat))
    else plan(ms)
  }

  function keep(): void {
    void spool.put({
      playToken,
      batch,
      at: Date.now(),
      elapsedMs: Math.round(now()),
      position: recorder.position(),
      ...ledger.owed(),
    })
  }

  return {
    flush: () => void send(),
    wake() {
      if (timer === undefined && !busy && !over) plan()
    },
    leave(closing = false) {
      const entries = fitting(ledger.owed())
      const left = JSON.stringify([entries, closing])
      // Hiding and leaving are announced one after the other. Who was never heard of need not say good-bye.
      const nothing = isEmpty(entries) && !(closing && batch > 0)
      if (over || nothing || left === lastLeft) return
      lastLeft = left
      if (!isEmpty(entries)) keep()
      navigator.sendBeacon(url, asText(nextBatch(entries, closing)))
    },
  }
}

/** What of the recorder's logs has been acknowledged, and what has not. */
function ledgerOf(recorder: Recorder) {
  /** Acknowledged form of the spans from `firstSpan` on; all before it are settled. */
  const acked = new Map<number, string>()
  let firstSpan = 0
  let firstEvent = 0
  return {
    owed(): Entries {
      const spans = recorder.spans().slice(firstSpan)
      return {
        spans: spans.filter((span) => acked.get(span[0]) !== span.join()),
        events: recorder.events().slice(firstEvent),
      }
    },
    settle({ spans, events }: Entries): void {
      for (const span of spans) acked.set(span[0], span.join())
      const all = recorder.spans()
      // Only the last span can still grow.
      while (firstSpan < all.length - 1 && acked.get(firstSpan) === all[firstSpan]?.join())
        acked.delete(firstSpan++)
      firstEvent = Math.max(firstEvent, (events.at(-1)?.[0] ?? -1) + 1)
    },
  }
}

function isEmpty({ spans, events }: Entries): boolean {
  return spans.length + events.length === 0
}

/** Milliseconds to wait after so many failures: ten seconds at first, then up to twice as long each time. */
export function backOff(failures: number, random: number): number {
  return Math.min(600_000, (1 + 2 ** (failures - 1) * random) * 10_000)
}

/** As many entries from the front as one batch may carry; the rest follows with the next. */
function fitting({ spans, events }: Entries): Entries {
  const some = {
    spans: spans.slice(0, trackLimits.spansPerBatch),
    events: events.slice(0, trackLimits.eventsPerBatch),
  }
  while (JSON.stringify(some).length > room) {
    if (some.events.length > some.spans.length) some.events.length >>= 1
    else some.spans.length >>= 1
  }
  return some
}

/** text/plain needs no preflight, and is what a beacon may carry. */
function asText(batch: TrackBatch): Blob {
  return new Blob([JSON.stringify(batch)], { type: 'text/plain' })
}

type Answer = { ok: true; next: number } | { ok: false; lost: boolean; ended?: boolean; retryAfter: number }

async function post(url: string, batch: TrackBatch): Promise<Answer> {
  try {
    const body = asText(batch)
    const reply = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(20_000) })
    if (reply.ok) {
      // The server is our own; what it answers is described by the contract.
      const { next } = (await reply.json()) as TrackReply
      return { ok: true, next }
    }
    const retryAfter = Number(reply.headers.get('retry-after') ?? 0) * 1000
    const lost = reply.status < 500 && ![408, 429].includes(reply.status)
    const { code } = (await reply.json().catch(() => ({}))) as Partial<CodedProblem>
    return { ok: false, lost, ended: code === 'link_ended', retryAfter }
  } catch {
    return { ok: false, lost: false, retryAfter: 0 }
  }
}

/** Hands in what earlier visits could not bring, marked as replayed; the server takes it for a day. */
export async function replay(spool: Spool, playToken: string, url = '/api/tracks'): Promise<void> {
  for (const debt of await spool.all()) {
    if (debt.playToken === playToken) continue
    let answer: Answer = { ok: false, lost: true, retryAfter: 0 }
    if (Date.now() - debt.at < trackLimits.replayHours * 3_600_000) answer = await handIn(debt, url)
    if (answer.ok || answer.lost) await spool.remove(debt.playToken)
  }
}

async function handIn({ playToken, elapsedMs, position, ...debt }: Debt, url: string): Promise<Answer> {
  const state = position === undefined ? {} : { state: { position, visible: false } }
  let { batch, events } = debt
  let spans = debt.spans.map(([i, start, end, wall, rate, flags]): Span => {
    return [i, start, end, wall, rate, flags | spanFlags.replayed]
  })
  let answer: Answer = { ok: true, next: 0 }
  while (answer.ok && !isEmpty({ spans, events })) {
    const entries = fitting({ spans, events })
    answer = await post(url, { version: 1, playToken, batch: batch++, elapsedMs, ...entries, ...state })
    spans = spans.slice(entries.spans.length)
    events = events.slice(entries.events.length)
  }
  return answer
}
