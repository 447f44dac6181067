import type { CodedProblem } from '#contract/platform/problem-details.ts'
import { problems } from '#contract/problems.ts'
import { signInReasons, worded } from '#contract/identity/sign-in-reasons.ts'
import type { Reason } from '#contract/platform/reasons.ts'

export type ApiErrorKind = 'network' | 'timeout' | 'unparseable' | 'problem'

/** Everything that can go wrong with a call, in one type. `problem` is set for answers of the server that explain themselves. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind
  readonly status: number | undefined
  readonly problem: CodedProblem | undefined

  constructor(kind: ApiErrorKind, more: { status?: number; problem?: CodedProblem; cause?: unknown } = {}) {
    super(more.problem?.code ?? kind, { cause: more.cause })
    this.name = 'ApiError'
    this.kind = kind
    this.status = more.status
    this.problem = more.problem
  }
}

/** What people read: what happened, what to do, and whether trying again can help. */
export type Explanation = { title: string; detail: string; retry: boolean }

const away: Explanation = {
  title: 'The server is not there for a moment',
  detail: 'It may be starting. Please wait a little, then try again.',
  retry: true,
}

/** Of what stands before the server, and answers in its place. */
const ofProxy: Record<number, Explanation> = {
  413: {
    title: 'This is too large',
    detail: 'What stands between this device and the server does not let it through.',
    retry: false,
  },
  502: away,
  503: away,
  504: away,
}

const explanations: Record<Exclude<ApiErrorKind, 'problem'>, Explanation> = {
  network: {
    title: 'The server cannot be reached',
    detail: 'Please check the connection of this device, then try again.',
    retry: true,
  },
  timeout: {
    title: 'The server did not answer',
    detail: 'It may be busy. Please try again in a moment.',
    retry: true,
  },
  unparseable: {
    title: 'The answer could not be read',
    detail: 'Something between this device and the server may have replaced it. Please try again.',
    retry: true,
  },
}

const worthRetrying = new Set([408, 425, 429, 500, 502, 503, 504])

/** The pages before signing in have the words for what is refused there; whoever starts with more of the product brings the rest. */
let wordsOf = (reason: Reason | undefined): string => worded(signInReasons, reason)

export function wordReasonsBy(all: typeof wordsOf): void {
  wordsOf = all
}

export function explain(error: unknown): Explanation {
  if (!(error instanceof ApiError))
    return { title: problems.internal.title, detail: 'This page ran into a mistake of its own.', retry: true }
  const { kind, problem, status = 500 } = error
  if (kind !== 'problem') return (kind === 'unparseable' && ofProxy[status]) || explanations[kind]
  const wait = problem?.retryAfter ? ` Try again in ${waitingTime(problem.retryAfter)}.` : ''
  return {
    title: problem ? titleOf(problem) : problems.internal.title,
    detail: `${wordsOf(problem?.reason)}${wait}`.trim(),
    retry: worthRetrying.has(status) || problem?.code === 'in_progress',
  }
}

/** A page that is older than the server may not know the code. */
function titleOf({ code }: CodedProblem): string {
  return Object.hasOwn(problems, code) ? problems[code].title : problems.internal.title
}

function waitingTime(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} ${Math.ceil(seconds) === 1 ? 'second' : 'seconds'}`
  return `${Math.ceil(seconds / 60)} minutes`
}

/** One sentence for a toast or a line below a form. */
export function sentence(error: unknown): string {
  const { title, detail } = explain(error)
  return [/[.!?]$/.test(title) ? title : `${title}.`, detail].filter(Boolean).join(' ')
}

/** Whether there is so much to count that the figures are there in a moment only. */
export function isBeingWorkedOut(error: unknown): boolean {
  return error instanceof ApiError && error.problem?.code === 'being_worked_out'
}

/** Whether somebody else has changed meanwhile what was to be saved. */
export function isContested(error: unknown): boolean {
  return error instanceof ApiError && error.problem?.code === 'precondition_failed'
}
