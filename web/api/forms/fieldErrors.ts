import type * as z from 'zod/mini'
import { fieldProblems } from '#contract/problems.ts'
import { ApiError } from '../errors.ts'

function sentenceOf(code: string): string {
  return Object.hasOwn(fieldProblems, code)
    ? fieldProblems[code as keyof typeof fieldProblems]
    : fieldProblems.invalid
}

/** Field path to sentence, from a schema of the contract; `{}` when the values are good. */
export function fieldErrors(schema: z.ZodMiniType, values: unknown): Record<string, string> {
  const result = schema.safeParse(values)
  const errors: Record<string, string> = {}
  for (const issue of result.error?.issues ?? []) {
    const missing = issue.code === 'invalid_type' && (issue.input === undefined || issue.input === null)
    errors[issue.path.join('.')] ??= sentenceOf(missing ? 'required' : issue.message)
  }
  return errors
}

/** Field path to sentence, from an answer of the server. */
export function serverFieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  return Object.fromEntries(
    Object.entries(error.problem?.fields ?? {}).map(([name, codes]) => [
      name,
      codes.map(sentenceOf).join(' ') || sentenceOf('invalid'),
    ]),
  )
}
