/** As much of OpenAPI as the pages show, in the shape in which `server/platform/http/openapi/openapi.ts` writes it. */
export type Schema = {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  prefixItems?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
} & Partial<Record<Bound, number>>
export type Bound = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
  example?: unknown
}
type Content = Record<
  string,
  { schema?: Schema; example?: unknown; examples?: Record<string, { value: Told }> }
>
/** A problem as an example shows it. */
export type Told = { status: number; code: string; title: string }
export type Answer = { $ref?: string; description?: string; content?: Content }

export type Operation = {
  operationId: string
  summary: string
  tags: [string]
  'x-roles'?: string[]
  security?: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Answer>
}
export type Event = { summary: string; requestBody: { content: Content } }
export type Description = {
  webhooks: Record<string, { post: Event }>
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
}

export type Call = Operation & { method: string; path: string }

/** Calls by their subjects, in the order of the description. */
export function subjectsOf({ paths }: Description): Map<string, Call[]> {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) =>
      Object.assign({ method: method.toUpperCase(), path }, one),
    ),
  )
  const sorted = calls.toSorted((one, other) => inOrder(orderOf(one), orderOf(other)))
  return Map.groupBy(sorted, ({ tags: [subject] }) => subject)
}

const inUse = ['GET', 'POST', 'PUT', 'DELETE']
/** What is about all comes before what is about one, reading before changing. */
const orderOf = ({ path, method }: Call) => [path.split('/').length, path, inUse.indexOf(method)] as const

function inOrder(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const at = one.findIndex((part, index) => part !== other[index])
  return at < 0 ? 0 : (one[at] ?? '') < (other[at] ?? '') ? -1 : 1
}

/** What a key needs for a call; \`person\`: it takes none; \`public\`: nothing is needed. */
export function scopeOf({ security }: Call): string {
  if (!security) return 'public'
  return security.flatMap(({ key = [] }) => key)[0] ?? 'person'
}

/** Subjects as the pages list them, by what most of their calls are about. */
const rooms: readonly (readonly [title: string, scopes: readonly string[]])[] = [
  ['People', ['people:read', 'people:write']],
  ['Videos and questions', ['content:read', 'content:write']],
  ['Messages and assignments', ['send']],
  ['Evidence', ['evidence:read']],
  ['Reports', ['reports:read']],
  ['Organizations', ['directory']],
  ['Settings', ['settings']],
  ['For people who sign in', ['person']],
  ['Without signing in', ['public']],
]

export function roomsOf(subjects: ReadonlyMap<string, readonly Call[]>) {
  const roomOf = (calls: readonly Call[]) => {
    const votes = rooms.map(([, scopes]) => calls.filter((call) => scopes.includes(scopeOf(call))).length)
    return votes.indexOf(Math.max(...votes))
  }
  return rooms.map(([title], at) => ({
    title,
    subjects: [...subjects]
      .filter(([, calls]) => roomOf(calls) === at)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }))
}

/** As a subject or a heading stands in an address: `barred-addresses`. */
export function slugOf(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

const lastOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** The name of a shared schema with fields, which is described by itself; undefined for whatever is said in a word or two. */
export function shapeOf({ components }: Description, { $ref }: Schema): string | undefined {
  if ($ref === undefined) return undefined
  const name = lastOf($ref)
  return components.schemas[name]?.properties || components.schemas[name]?.oneOf ? name : undefined
}

export function schemaOf({ components }: Description, { $ref = '' }: Schema): Schema {
  return components.schemas[lastOf($ref)] ?? {}
}

export function answerOf({ components }: Description, answer: Answer): Answer {
  return answer.$ref === undefined ? answer : (components.responses[lastOf(answer.$ref)] ?? {})
}
