import { expect, test } from 'vitest'
import { api } from '#contract/api.ts'
import { scopeOf } from '#contract/endpoint.ts'
import { eventTypes, postedOf, type EventType } from '#contract/events/event-types.ts'
import { requestHeaders, headerFields } from '#contract/platform/headers.ts'
import { operationsOf, resolve } from '../../../testing/calls/openapi.ts'
import { openapi } from './openapi.ts'

const document = JSON.parse(JSON.stringify(openapi('Sendreel', '1.0.0'))) as {
  tags: { name: string }[]
  paths: Record<string, Record<string, { operationId: string; parameters: { name: string; in: string }[] }>>
  components: { schemas: Record<string, object>; responses: Record<string, object>; headers: object }
}
const operations = operationsOf(document)

/** Every object within a value, with its place. */
function* objectsIn(value: unknown, place = ''): Generator<[place: string, value: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [key, part] of Object.entries(value)) yield* objectsIn(part, `${place}/${key}`)
}

test('every reference leads somewhere, and every shared schema is referred to', () => {
  const references = new Set<string>()
  for (const [place, { $ref }] of objectsIn(document)) {
    if (typeof $ref !== 'string') continue
    expect(resolve(document, $ref), `${place} refers to ${$ref}`).toBeDefined()
    references.add($ref)
  }
  const { schemas, responses, headers } = document.components
  const shared = Object.entries({ schemas, responses, headers }).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  )
  expect([...references].toSorted()).toEqual(shared.toSorted())
})

test('schemas have the names that the contract exports', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      'Group',
      'GroupRule',
      'GroupRuleInput',
      'Id',
      'Instant',
      'Problem',
      'Transmission',
      'User',
    ]),
  )
})

test('what is used in several places is written once', () => {
  const places = new Map<string, string[]>()
  for (const [place, value] of objectsIn(document)) {
    const text = JSON.stringify(value, (key, part: unknown) => (key === 'description' ? undefined : part))
    const isSchema = value['type'] === 'object' || 'anyOf' in value || 'oneOf' in value
    if (isSchema && text.length > 500) places.set(text, [...(places.get(text) ?? []), place])
  }
  expect([...places.values()].filter((found) => found.length > 1)).toEqual([])
})

test('every call has a name of its own, and belongs to one room that is listed', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  const tags = document.tags.map(({ name }) => name)
  expect(new Set(tags).size).toBe(tags.length)
  for (const { operationId, tags: own } of operations) {
    expect(own, operationId).toHaveLength(1)
    expect(tags).toContain(own[0])
  }
  expect(tags).toContain('Report schedules')
})

test('every part of an address is described, and nothing else is', () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const { operationId, parameters } of Object.values(methods)) {
      const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
      expect(inPath.toSorted(), operationId).toEqual(
        Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name).toSorted(),
      )
      const all = parameters.map((one) => `${one.in} ${one.name}`)
      expect(new Set(all).size, operationId).toBe(all.length)
    }
})

test('every call says what it may be refused with, with the status', () => {
  const saysOf = (name: string) => {
    const responses = operations.find(({ operationId }) => operationId === name)?.responses ?? {}
    const codesOf = (response: object) =>
      Array.from(
        JSON.stringify((response as { description: string }).description).matchAll(/`(\w+)`/g),
        ([, code]) => code,
      )
    return Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => status >= '400' && status !== 'default')
        .map(([status, response]) => [status, codesOf(response)]),
    )
  }
  expect(saysOf('readGroup')).toEqual({
    401: ['unauthenticated', 'invalid_key'],
    403: ['scope_missing', 'forbidden'],
    404: ['not_found'],
    422: ['unknown_field'],
    423: ['session_locked'],
  })
  expect(saysOf('createGroup')).toMatchObject({
    403: ['scope_missing', 'forbidden', 'read_only'],
    409: ['in_progress', 'already_exists'],
    413: ['too_large'],
    415: ['unsupported_media'],
    422: ['validation_failed', 'unknown_field', 'idempotency_key_reused'],
  })
  expect(saysOf('createTransmission')).toMatchObject({
    404: ['not_found'],
    409: ['in_progress', 'conflict', 'not_ready'],
    422: [
      'validation_failed',
      'unknown_field',
      'idempotency_key_reused',
      'no_recipients',
      'too_few_for_waves',
    ],
  })
  expect(saysOf('updateGroup')).toMatchObject({ 412: ['precondition_failed'] })
  expect(saysOf('updateSecurity')).toMatchObject({
    403: ['forbidden', 'read_only', 'reauthentication_required'],
  })
  expect(saysOf('readHealth')).toEqual({ 422: ['unknown_field'] })
  for (const { operationId, responses } of operations)
    expect(responses, operationId).toHaveProperty('default')
})

test.each(headerFields)('the header of %s is described where it is read', (field) => {
  const described = operations.filter(({ parameters }) =>
    parameters.some((one) => one.in === 'header' && one.name === requestHeaders[field].name),
  )
  const declared = api.filter((endpoint) => endpoint[field]).map(({ name }) => name)
  expect(declared.length).toBeGreaterThan(5)
  expect(described.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(declared))
  expect(described).toHaveLength(declared.length)
})

test('a field says what stands above it in the contract, also where another schema takes it over', () => {
  const { schemas } = document.components as { schemas: Record<string, { properties?: Said }> }
  type Said = Record<string, { description?: string }>
  const ofUser = 'Email or external ID of the person who is told when this one is late.'
  for (const name of ['User', 'ListedUser'])
    expect(schemas[name]?.properties?.['manager']?.description, name).toBe(ofUser)
  const sent = operations.find(({ operationId }) => operationId === 'createTransmission')?.requestBody
  const content = (sent as { content: Record<string, { schema: { properties: Said } }> }).content
  const fields = content['application/json']?.schema.properties
  expect(fields?.['accountId']?.description).toBe('This is the organization.')
  expect(fields?.['dueAt']?.description).toBe('By when they are asked to have watched; it lies ahead.')
  const texts = [...objectsIn(document)].flatMap(([, { description }]) =>
    typeof description === 'string' ? [description] : [],
  )
  expect(texts.length).toBeGreaterThan(1_000)
  expect(texts.filter((text) => /\*\/|\/\*|\n/.test(text))).toEqual([])
})

test('every call names the scope of a key, or that it takes none', () => {
  const { paths } = JSON.parse(JSON.stringify(document)) as {
    paths: Record<string, Record<string, { operationId: string; security?: Record<string, string[]>[] }>>
  }
  const told = Object.values(paths)
    .flatMap((one) => Object.values(one))
    .map(({ operationId, security }) => [operationId, security] as const)
  const scopes = api.map((endpoint) => {
    const scope = scopeOf(endpoint)
    if (scope === 'public') return [endpoint.name, undefined] as const
    return [endpoint.name, [{ bearer: [] }, ...(scope === 'person' ? [] : [{ key: [scope] }])]] as const
  })
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(scopes))
})

test('every call has an example of what is sent and of what is answered', () => {
  type Content = { content?: Record<string, { example?: unknown }> }
  const examplesOf = ({ content = {} }: Content) => Object.values(content)
  for (const { operationId, requestBody, responses } of operations) {
    const answered = Object.entries(responses).filter(([status]) => status < '300')
    expect(answered, operationId).toHaveLength(1)
    const contents = [requestBody ?? {}, ...answered.map(([, response]) => response)].flatMap(examplesOf)
    expect(
      contents.filter((one) => one.example === undefined && !isFile(one)),
      operationId,
    ).toEqual([])
  }
})

const isFile = (content: object) => Object.keys(content).length === 0

test('every event that an address may be sent is described, with an example that is one', () => {
  type Webhook = { post: { requestBody: { content: Record<string, { example: { type: string } }> } } }
  const { webhooks } = JSON.parse(JSON.stringify(document)) as { webhooks: Record<string, Webhook> }
  expect(Object.keys(webhooks)).toEqual([...eventTypes])
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { example } = post.requestBody.content['application/json'] ?? {}
    expect(postedOf(type as EventType).parse(example)).toEqual(example)
  }
})
