import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import pg from 'pg'
import * as z from 'zod/mini'
import { fieldProblems, problems, type FieldProblem, type ProblemCode } from '#contract/problems.ts'
import { outageOf } from '../db/outage.ts'
import type { Env } from '../env.ts'
import { Refusal, toProblem, type Fault } from '../errors.ts'
import { requireNamed } from './refusals.ts'
import { asksForPage, errorPage } from './pages/spa.ts'

function isFieldProblem(text: string): text is FieldProblem {
  return Object.hasOwn(fieldProblems, text)
}

/** Field paths with their problems. Checks in the contract carry a problem's code as their message. */
export function fieldsOf(error: z.core.$ZodError): Record<string, FieldProblem[]> {
  const fields = new Map<string, FieldProblem[]>()
  for (const issue of error.issues.flatMap(withinUnions))
    for (const path of pathsOf(issue)) {
      const name = path.join('.') || 'body'
      fields.set(name, [...(fields.get(name) ?? []), problemOf(issue)])
    }
  return Object.fromEntries(fields)
}

type Issue = z.core.$ZodIssue

/** Of a choice between shapes: what is wrong with the one that only has too much. */
function withinUnions(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const shapes = issue.errors.map((found) => found.flatMap(withinUnions))
  const near = shapes.find((found) => found.length > 0 && found.every(isUnknown))
  return near?.map((one) => Object.assign({}, one, { path: [...issue.path, ...one.path] })) ?? [issue]
}

const isUnknown = ({ code }: Issue) => code === 'unrecognized_keys'

function pathsOf(issue: Issue): PropertyKey[][] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path]
}

function problemOf(issue: Issue): FieldProblem {
  if (isUnknown(issue)) return 'unknown_field'
  if (isFieldProblem(issue.message)) return issue.message
  return issue.code === 'invalid_type' && issue.input === undefined ? 'required' : 'invalid'
}

/** Constraints that people can run into; every other violation is our own mistake. */
const constraintFields: Record<string, string> = {
  users_email_in_organization: 'email',
  users_email_of_account: 'email',
  users_external_id: 'externalId',
  groups_name: 'name',
  custom_fields_label: 'label',
  custom_fields_key: 'label',
  organizations_slug: 'name',
  projects_name: 'name',
  saved_views_name: 'name',
  message_templates_name: 'name',
}

function fromDatabase(error: unknown): Fault | undefined {
  const outage = outageOf(error)
  if (outage) return outage.fault
  const cause = error instanceof Error && error.cause ? error.cause : error
  if (!(cause instanceof pg.DatabaseError)) return undefined
  const field = cause.code === '23505' && cause.constraint ? constraintFields[cause.constraint] : undefined
  if (field) return { code: 'already_exists', fields: { [field]: ['taken'] } }
  if (cause.constraint === 'users_break_glass') return { code: 'conflict', reason: { code: 'break_glass' } }
  const code = databaseFaults[cause.code ?? '']
  return code && { code }
}

const databaseFaults: Readonly<Record<string, ProblemCode>> = {
  '23503': 'not_found',
  '42501': 'not_found',
  '57014': 'timeout',
}

const frameworkFaults: Readonly<Record<number, ProblemCode>> = {
  413: 'too_large',
  415: 'unsupported_media',
  429: 'too_many_requests',
}

function fromFramework({ statusCode = 500 }: FastifyError): Fault | undefined {
  if (statusCode < 400 || statusCode >= 500) return undefined
  return { code: frameworkFaults[statusCode] ?? 'invalid_request' }
}

/** The one way out for errors: a page for people, problem+json for programs, and nothing of the inside is told. */
export function faultsOf(env: Env) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const fault: Fault =
      error instanceof Refusal
        ? error.fault
        : (fromDatabase(error) ?? fromFramework(error) ?? { code: 'internal' })
    const { code } = fault
    requireNamed(request.routeOptions.config, code)
    const { status } = problems[code]
    if (code === 'internal') request.log.error({ err: error }, 'request failed')
    // What is not there may come back by itself, and whoever runs the server has to know what it was.
    else if (status >= 500 || code === 'timeout') request.log.warn({ code, err: error }, 'refused')
    // A page or a program that does not fit this server: somebody has to mend it.
    else if (code === 'unknown_field')
      request.log.warn({ code, endpoint: request.routeOptions.config.endpoint }, 'refused')
    // One line, as for every request; what was sent stays out of it.
    else request.log.info({ code, reason: fault.reason?.code }, 'refused')
    if (fault.retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(fault.retryAfter)))
    const page = asksForPage(request) ? errorPage(status, { request, env }) : undefined
    void reply
      .status(status)
      .type(page === undefined ? 'application/problem+json' : 'text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(page ?? JSON.stringify(toProblem(fault, request.id)))
  }
}
