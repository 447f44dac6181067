import pg from 'pg'
import { reasonText, type Reason } from '#contract/platform/reasons.ts'
import type { Problem } from '#contract/platform/problem-details.ts'
import { problems, type FieldProblem, type ProblemCode } from '#contract/problems.ts'

export type Fault = {
  readonly code: ProblemCode
  readonly reason?: Reason | undefined
  readonly fields?: Record<string, FieldProblem[]> | undefined
  readonly retryAfter?: number | undefined
  /** What is wrong with a file that was sent, in which line, and what to do about it. */
  readonly file?: { readonly fault: string; readonly line: number; readonly detail: string } | undefined
  /** What went wrong behind it, for the log. */
  readonly cause?: unknown
}

/** The one way for server code to refuse: thrown anywhere, turned into problem+json by the one handler. */
export class Refusal extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    const { reason, code, cause } = fault
    super(reason ? reasonText(reason) : problems[code].title, { cause })
    this.name = 'Refusal'
    this.fault = fault
  }
}

export function refuse(code: ProblemCode, more: Omit<Fault, 'code'> = {}): Refusal {
  return new Refusal({ code, ...more })
}

/** Undefined where it is refused, as what is not there (any more) is; a fault of ours is thrown on. */
export function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
}

export function toProblem(fault: Fault, requestId: string): Problem {
  const { status, title } = problems[fault.code]
  return {
    type: `urn:sendreel:problem:${fault.code}`,
    title,
    status,
    code: fault.code,
    requestId,
    ...(fault.reason === undefined ? {} : { reason: fault.reason, detail: reasonText(fault.reason) }),
    ...(fault.fields === undefined ? {} : { fields: fault.fields }),
    ...fault.file,
    ...(fault.retryAfter === undefined ? {} : { retryAfter: fault.retryAfter }),
  }
}

const deepest = 5

/**
 * What an error says, and what is behind it, in one line for whoever runs the server. Of the database its code and the constraint are
 * told, and never a value that it was given.
 */
export function saidOf(error: unknown): string {
  const said: string[] = []
  for (let one = error; one !== undefined && said.length < deepest; one = causeOf(one)) {
    const words = wordsOf(one)
    if (!said.some((before) => before.includes(words))) said.push(words)
  }
  return said.join(': ')
}

function causeOf(error: unknown): unknown {
  // Where several addresses were tried, the first says as much as all.
  if (error instanceof AggregateError) return error.errors[0]
  return error instanceof Error ? error.cause : undefined
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof pg.DatabaseError) {
    const marks = [error.code, error.constraint && `constraint ${error.constraint}`].filter(Boolean)
    return `${withoutQuoted(error.message)} (${marks.join(', ')})`
  }
  return error.message || error.name
}

/** The database quotes what it could not read, such as a date that is none. */
export const withoutQuoted = (message: string) => message.replace(/: ".*$/s, '')

/** No room left where something was to be written, or no more than the server's user may have. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
