import type { Description, Operation, Parameter } from '#server/reference/document.ts'
import { commentOf, objectOf, typeOf } from './types.ts'
import type { Call } from './send.ts'

const json = 'application/json'
/** What the package has beside the types of the API; a shape of the same name would hide it. */
const own = [
  'Call',
  'Options',
  'Refusal',
  'Sendreel',
  'SendreelError',
  'SendreelEvent',
  'each',
  'readEvent',
  'sendreel',
]

/** The two files of the package that are made from the description: its methods, and their types. */
export function generate({ paths, webhooks, components }: Description): { script: string; types: string } {
  const found = Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const taken = own.filter((name) => name in components.schemas)
  if (taken.length > 0) throw new Error(`The client has something else by the name of ${taken.join(', ')}`)
  const calls = found.map(({ path, method, operation }): [string, Call] => [
    operation.operationId,
    {
      method,
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      ...(operation.parameters.some(({ name }) => name === 'Idempotency-Key') ? { isIdempotent: true } : {}),
      ...(replyOf(operation) ? {} : { isFile: true }),
    },
  ])
  const script = `import { methods } from './client/send.js'
export { readEvent } from './client/events.js'
export { each, SendreelError } from './client/send.js'
const calls = ${JSON.stringify(Object.fromEntries(calls), null, 1)}
export const sendreel = (options) => methods(calls, options)
`
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) => `${commentOf(schema.description)}export type ${name} = ${typeOf(schema)}`,
  )
  const events = Object.values(webhooks).flatMap(({ post }) => post.requestBody.content?.[json]?.schema ?? [])
  const types = `import type { Signed } from './client/events.js'
import type { Options } from './client/send.js'
export { each, SendreelError, type Options, type Refusal } from './client/send.js'
/** What an address of yours is sent. */
export type SendreelEvent = ${events.map(typeOf).join(' | ')}
/** The event that a request carries. Throws \`SendreelError\` where it is not signed by one of the secrets, or older than five minutes. */
export declare const readEvent: (signed: Signed) => Promise<SendreelEvent>
/** The calls of an installation, by a key. */
export declare const sendreel: (options: Options) => Sendreel
export interface Sendreel {
${found.map(({ operation }) => methodOf(operation)).join('\n')}
}
${shapes.join('\n')}
`
  return { script, types }
}

const doneOf = ({ responses }: Operation) =>
  Object.entries(responses).find(([status]) => status < '300')?.[1] ?? {}
const replyOf = (operation: Operation) => doneOf(operation).content?.[json]?.schema

function methodOf(operation: Operation): string {
  const { operationId, summary, parameters, requestBody } = operation
  const body = requestBody?.content?.[json]?.schema
  const has = (header: string) => parameters.some(({ name }) => name === header)
  const parts = [
    partOf(
      'params',
      parameters.filter((one) => one.in === 'path'),
    ),
    partOf(
      'query',
      parameters.filter((one) => one.in === 'query'),
    ),
    ...(body ? [{ text: `body: ${typeOf(body)}`, isNeeded: true }] : []),
    ...(has('Idempotency-Key') ? [{ text: 'idempotencyKey?: string', isNeeded: false }] : []),
    ...(has('If-Match') ? [{ text: 'ifMatch?: object', isNeeded: false }] : []),
    { text: 'signal?: AbortSignal', isNeeded: false },
  ].filter(({ text }) => text !== '')
  const sign = parts.some(({ isNeeded }) => isNeeded) ? '' : '?'
  const reply = replyOf(operation)
  return `${commentOf(summary)}${operationId}: (input${sign}: {\n${parts.map(({ text }) => text).join('\n')}\n}) => Promise<${reply ? typeOf(reply) : 'Blob'}>`
}

function partOf(name: string, parameters: readonly Parameter[]): { text: string; isNeeded: boolean } {
  if (parameters.length === 0) return { text: '', isNeeded: false }
  const properties = Object.fromEntries(
    parameters.map(({ name: field, schema, description }) => [
      field,
      description === undefined ? schema : { ...schema, description },
    ]),
  )
  const required = parameters.filter((one) => one.required).map((one) => one.name)
  const isNeeded = required.length > 0
  return { text: `${name}${isNeeded ? '' : '?'}: ${objectOf({ properties, required })}`, isNeeded }
}
