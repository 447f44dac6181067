import * as z from 'zod/mini'
import { api, endpointsByRoom } from '#contract/api.ts'
import { eventTypes, postedOf, type EventType } from '#contract/events/event-types.ts'
import { eventWords } from '#contract/events/event-words.ts'
import { FileReply, type EndpointDefinition, type Schema } from '#contract/endpoint.ts'
import { headerFields, requestHeaders } from '#contract/platform/headers.ts'
import { Problem } from '#contract/platform/problem-details.ts'
import { keyScopes, scopeWords, type CallScope } from '#contract/scopes.ts'
import { problems, type ProblemCode } from '#contract/problems.ts'
import { toProblem } from '../../errors.ts'
import { exampleId, exampleOf } from './examples.ts'
import { readComments } from './comments.ts'
import { describer, type Json } from './json-schema.ts'
import { documentWithWords } from './words.ts'
import { refusalsOf, refusalsOfAll } from '../refusals.ts'
import { intakeOf } from '../strict.ts'
import { capitalized } from '#contract/platform/text/text.ts'

type Describe = ReturnType<typeof describer>['described']

/** OpenAPI 3.1 of the whole contract; nothing in it is written by hand. */
export function openapi(title: string, version: string): Json {
  const { described, whole } = describer()
  const paths: Record<string, Json> = {}
  for (const [room, endpoints] of endpointsByRoom)
    for (const endpoint of endpoints) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      const found = { tags: [tagOf(room)], ...operation(endpoint, described) }
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: found }
    }
  const document = whole({
    openapi: '3.1.0',
    info: { title: `${title} API`, version },
    servers: [{ url: '/api' }],
    tags: endpointsByRoom.map(([room]) => ({ name: tagOf(room) })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, posted(type, described)])),
    components: {
      securitySchemes,
      headers: limits,
      responses: refusals(described),
    },
  })
  return documentWithWords(document, readComments())
}

/** By which whoever gets an event knows whose it is, as Standard Webhooks writes them. */
const signatureHeaders = {
  'webhook-id': 'The same however often this event is posted.',
  'webhook-timestamp': 'When it was posted, in seconds since 1970.',
  'webhook-signature':
    'For each secret `v1,` and the HMAC-SHA-256, in base64, of id, timestamp and body with dots between.',
}

/** An event as it is posted to an address of another system, whatever that answers. */
const posted = (type: EventType, described: Describe): Json => ({
  post: {
    operationId: type,
    summary: eventWords[type],
    parameters: Object.entries(signatureHeaders).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: described(postedOf(type), 'output'),
          example: exampleOf(postedOf(type)),
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken.' },
      default: { description: 'Posted again, for three days.' },
    },
  },
})

/** `dueDay` is read as “Due day”. */
function tagOf(room: string): string {
  const words = room.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return capitalized(words)
}

function operation(endpoint: EndpointDefinition, described: Describe): Json {
  const { access } = endpoint
  const { body } = intakeOf(endpoint)
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(access.kind === 'roles' ? { 'x-roles': access.roles, security: securityOf(access.scope) } : {}),
    parameters: [
      ...parameters(endpoint.params, 'path', described),
      ...parameters(endpoint.query, 'query', described),
      ...headers(endpoint, described),
    ],
    ...(endpoint.body && body
      ? {
          requestBody: {
            required: true,
            content: endpoint.bodyTypes
              ? Object.fromEntries(endpoint.bodyTypes.map((type) => [type, {}]))
              : {
                  'application/json': { schema: described(body, 'input'), example: exampleOf(endpoint.body) },
                },
          },
        }
      : {}),
    responses: {
      [endpoint.status ?? 200]: done(endpoint, described),
      ...Object.fromEntries(
        byStatus(refusalsOf(endpoint)).map(([status, codes]) => [status, refusedBy(codes)]),
      ),
      default: { $ref: '#/components/responses/Refused' },
    },
  }
}

/** A session, or a key with the scope; which scopes there are is told by the scheme. */
const securityOf = (scope: CallScope) => [{ bearer: [] }, ...(scope === 'person' ? [] : [{ key: [scope] }])]

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The token of a session: it begins with `sr_`.' },
  key: {
    type: 'http',
    scheme: 'bearer',
    description: `A key of a service account: it begins with \`srk_\`, and may do what its scopes say. ${keyScopes
      .map((scope) => `\`${scope}\`: ${scopeWords[scope]}`)
      .join(' ')}`,
  },
}

/** What a key is told of how much it may still ask, with every answer; as the draft of the IETF writes it. */
const limits = {
  RateLimit: {
    description:
      'How many calls are left (`r`), and in how many seconds there are more (`t`). For keys alone.',
    schema: { type: 'string', examples: ['"calls";r=599;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'How many calls a key may make (`q`) in so many seconds (`w`).',
    schema: { type: 'string', examples: ['"calls";q=600;w=60'] },
  },
}
const limitsOf = ({ access }: EndpointDefinition): Json =>
  access.kind === 'roles' && access.scope !== 'person'
    ? Object.fromEntries(Object.keys(limits).map((name) => [name, { $ref: `#/components/headers/${name}` }]))
    : {}

/** Codes by the HTTP status that they are answered with. */
function byStatus(codes: readonly ProblemCode[]): [status: number, codes: ProblemCode[]][] {
  return [...Map.groupBy(codes, (code) => problems[code].status)]
}

const refusalName = (codes: readonly ProblemCode[]) => codes.join('.or.')
const refusedBy = (codes: readonly ProblemCode[]) => ({
  $ref: `#/components/responses/${refusalName(codes)}`,
})

/** Refusals that calls have in common, each set of codes once. */
function refusals(described: Describe): Json {
  const schema = described(Problem, 'output')
  const content = (codes: readonly ProblemCode[]) => ({
    'application/problem+json': {
      schema,
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: toProblem({ code }, exampleId('requestId')) }]),
      ),
    },
  })
  const explained = (codes: readonly ProblemCode[]) =>
    codes.map((code) => `\`${code}\`: ${problems[code].title}`).join(' ')
  const sets = api.flatMap((endpoint) => byStatus(refusalsOf(endpoint)).map(([, codes]) => codes))
  const every = byStatus(refusalsOfAll).map(([status, codes]) => `${status} ${explained(codes)}`)
  return {
    ...Object.fromEntries(
      sets.map((codes) => [refusalName(codes), { description: explained(codes), content: content(codes) }]),
    ),
    Refused: {
      description: `Refused; every call may answer: ${every.join(' ')}`,
      content: content(refusalsOfAll),
    },
  }
}

function parameters(schema: Schema | undefined, place: 'path' | 'query', described: Describe): Json[] {
  if (!schema) return []
  // A copy has no name, and so is written out.
  const { properties = {}, required = [] } = described(z.clone(schema, schema._zod.def), 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  const examples = exampleOf(schema) as Json
  return Object.entries(properties).map(([name, part]) => {
    const isRequired = place === 'path' || required.includes(name)
    return {
      name,
      in: place,
      required: isRequired,
      schema: part,
      example: isRequired ? examples[name] : undefined,
    }
  })
}

function headers(endpoint: EndpointDefinition, described: Describe): Json[] {
  return headerFields
    .filter((field) => endpoint[field])
    .map((field) => {
      const { name, description, schema } = requestHeaders[field]
      return { name, in: 'header', required: false, description, schema: described(schema, 'input') }
    })
}

function done(endpoint: EndpointDefinition, described: Describe): Json {
  const { reply, access } = endpoint
  const versioned = access.kind === 'roles' && 'shape' in reply && 'updatedAt' in (reply.shape as object)
  const etag = { description: 'The version of this, for If-Match.', schema: { type: 'string' } }
  const told = { ...(versioned ? { ETag: etag } : {}), ...limitsOf(endpoint) }
  const headers = Object.keys(told).length > 0 ? { headers: told } : {}
  if (reply === FileReply) return { description: 'The file', ...headers, content: { '*/*': {} } }
  return {
    description: 'Done',
    ...headers,
    content: { 'application/json': { schema: described(reply, 'output'), example: exampleOf(reply) } },
  }
}
