import type { CodedProblem } from '#contract/platform/problem-details.ts'
import type { Answer, AnswerResult, Attempt } from '#contract/quizzes/quizzes.ts'
import { claimsOf } from '../../recorder/claims.ts'

export type AnswerReply = { result: AnswerResult; attempt: Attempt }
/** `status` 0: nobody could be reached. */
export type CallResult<T> =
  | { ok: true; body: T }
  | { ok: false; status: number; problem: CodedProblem | undefined }

export type Sending = { itemId: string; try: number; answer: Answer; tookMs: number }
/** An answer that has not been acknowledged, with all that makes sending it again the same request. */
type UnsentAnswer = { attemptId: string; key: string; body: Sending & { playToken: string } }

export type QuizApi = {
  /** The attempt that goes on; before, what could not be brought when the page was left. */
  start: (again?: boolean) => Promise<CallResult<Attempt>>
  /** Keeps the answer in the browser until it is acknowledged, or refused for good. */
  answer: (attemptId: string, sending: Sending) => Promise<CallResult<AnswerReply>>
}

export function quizApi(quizId: string, pageToken: string): QuizApi {
  const playToken = lastingToken(quizId, pageToken)
  const drawer = `quiz ${quizId}`

  async function deliver({ attemptId, key, body }: UnsentAnswer): Promise<CallResult<AnswerReply>> {
    const reply = await post<AnswerReply>(`${quizId}/attempts/${attemptId}/answers`, body, key)
    if (reply.ok || !isPassing(reply.status)) write('localStorage', drawer, null)
    return reply
  }

  return {
    async start(again) {
      const unsent = read('localStorage', drawer) as UnsentAnswer | null
      const late = unsent && (await deliver(unsent))
      if (late && !late.ok && isPassing(late.status)) return late
      return post<Attempt>(`${quizId}/attempts`, { playToken, ...(again ? { again } : {}) })
    },
    answer(attemptId, sending) {
      const unsent = read('localStorage', drawer) as UnsentAnswer | null
      const next = { attemptId, key: crypto.randomUUID(), body: { ...sending, playToken } }
      // The time that it took is that of the first press, or it would be another request.
      const isSame = unsent !== null && saidBy(unsent) === saidBy(next)
      if (!isSame) write('localStorage', drawer, next)
      return deliver(isSame ? unsent : next)
    },
  }
}

function saidBy({ attemptId, body }: UnsentAnswer): string {
  return JSON.stringify([attemptId, body.itemId, body.try, body.answer])
}

/** Whether the same request may succeed later. */
export function isPassing(status: number): boolean {
  return status === 0 || status >= 500 || status === 408 || status === 429
}

/**
 * A visitor is somebody else after every reload, except here: within a tab the first token goes on being used, so that nobody is asked
 * twice.
 */
function lastingToken(quizId: string, pageToken: string): string {
  const drawer = `quiz viewer ${quizId}`
  const known = read('sessionStorage', drawer) as { token: string; exp: number } | null
  const { kind, exp } = claimsOf(pageToken)
  if (kind !== 'visitor') return pageToken
  if (known && known.exp > Date.now() + 3_600_000) return known.token
  write('sessionStorage', drawer, { token: pageToken, exp })
  return pageToken
}

async function post<T>(path: string, body: object, key?: string): Promise<CallResult<T>> {
  try {
    const reply = await fetch(`/api/quizzes/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
    // The server is our own; what it answers is described by the contract.
    if (reply.ok) return { ok: true, body: (await reply.json()) as T }
    const problem = await reply.json().catch(() => undefined)
    return { ok: false, status: reply.status, problem: problem as CodedProblem | undefined }
  } catch {
    return { ok: false, status: 0, problem: undefined }
  }
}

type Storages = 'localStorage' | 'sessionStorage'

/** What this script has kept there. Where storage is forbidden (private windows), a reload forgets; nothing else. */
function read(storage: Storages, name: string): unknown {
  try {
    return JSON.parse(window[storage].getItem(name) ?? 'null')
  } catch {
    return null
  }
}

function write(storage: Storages, name: string, value: unknown): void {
  try {
    if (value === null) window[storage].removeItem(name)
    else window[storage].setItem(name, JSON.stringify(value))
  } catch {
    // See above.
  }
}
