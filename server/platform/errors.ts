import { reasonText, type Reason } from '#contract/reasons.ts'
import type { Problem } from '#contract/problem-details.ts'
import { problems, type FieldProblem, type ProblemCode } from '#contract/problems.ts'

export type Fault = {
  readonly code: ProblemCode
  readonly reason?: Reason | undefined
  readonly fields?: Record<string, FieldProblem[]> | undefined
  readonly retryAfter?: number | undefined
}

/** The one way for server code to refuse: thrown anywhere, turned into problem+json by the one handler. */
export class Refusal extends Error {
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.reason ? reasonText(fault.reason) : problems[fault.code].title)
    this.name = 'Refusal'
    this.fault = fault
  }
}

export function refuse(code: ProblemCode, more: Omit<Fault, 'code'> = {}): Refusal {
  return new Refusal({ code, ...more })
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
    ...(fault.retryAfter === undefined ? {} : { retryAfter: fault.retryAfter }),
  }
}

/** No room left where something was to be written, or no more than the server's user may have. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
