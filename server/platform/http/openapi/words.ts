import type { Comments } from './comments.ts'
import type { Json } from './json-schema.ts'
import { schemas as exported } from '#contract/api.ts'

const isExported = new Set(exported.map(([name]) => name))

type Parameter = Json & { name: string; in: string }
type Operation = Json & {
  operationId: string
  parameters: Parameter[]
  requestBody?: Json
  responses: Record<string, Json>
}
type Document = {
  components: { schemas: Record<string, Json> }
  paths: Record<string, Record<string, Operation>>
}

/** The description of the API with what the contract says of each schema, parameter and field. */
export function documentWithWords(document: Json, comments: Comments): Json {
  const { components, paths } = document as Document
  const schemas = mapped(components.schemas, (schema, name) => {
    // What is sent is `…Input` where it looks otherwise than what is answered: see `describer`.
    const base = name.replace(/Input$/, '')
    const own = !isExported.has(name) && base in components.schemas ? base : name
    return described(withWords(schema, [own], comments), comments.of([own]))
  })
  const calls = mapped(paths, (methods) => mapped(methods, (one) => operationWithWords(one, comments)))
  return { ...document, paths: calls, components: { ...components, schemas } }
}

function operationWithWords(operation: Operation, comments: Comments): Operation {
  const { operationId: name, parameters, requestBody, responses } = operation
  const partOf = (place: string) => (place === 'path' ? 'params' : place)
  return {
    ...operation,
    parameters: parameters.map((one) =>
      one.in === 'header'
        ? one
        : (described(one, comments.of([name, partOf(one.in), one.name])) as Parameter),
    ),
    ...(requestBody ? { requestBody: contentWithWords(requestBody, [name, 'body'], comments) } : {}),
    responses: mapped(responses, (one) =>
      '$ref' in one ? one : contentWithWords(one, [name, 'reply'], comments),
    ),
  }
}

function contentWithWords(message: Json, place: readonly string[], comments: Comments): Json {
  const content = message['content'] as Record<string, { schema?: Json }>
  return {
    ...message,
    content: mapped(content, (one) =>
      one.schema ? { ...one, schema: withWords(one.schema, place, comments) } : one,
    ),
  }
}

const described = (json: Json, description: string | undefined): Json =>
  description === undefined ? json : { description, ...json }

function mapped<In, Out>(
  parts: Record<string, In>,
  change: (part: In, name: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part, name)]))
}

/**
 * The same schema with what the contract says of each field. `place` is the name of the schema, or of the call and its part; shared
 * schemas are described where they stand, so a reference is followed no further.
 */
function withWords(schema: Json, place: readonly string[], comments: Comments): Json {
  const inner = (value: unknown, more: readonly string[] = []): unknown => {
    if (Array.isArray(value)) return value.map((one) => inner(one))
    const isSchema = typeof value === 'object' && value !== null
    return isSchema ? withWords(value as Json, [...place, ...more], comments) : value
  }
  const parts = Object.entries(schema).map(([key, part]) => {
    if (key === 'properties') return [key, fieldsWithWords(part as Json, place, comments)]
    return [key, containers.has(key) ? inner(part) : part]
  })
  return Object.fromEntries(parts) as Json
}

/** What holds further schemas of the same thing. */
const containers = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'prefixItems', 'additionalProperties'])

function fieldsWithWords(fields: Json, place: readonly string[], comments: Comments): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const at = [...place, name]
      return [name, described(withWords(field as Json, at, comments), comments.of(at))]
    }),
  )
}
