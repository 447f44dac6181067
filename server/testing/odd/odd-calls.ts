import type { EndpointDefinition } from '#contract/endpoint.ts'
import type { Problem } from '#contract/platform/problem-details.ts'
import { onePerThing, sampleOf, type Facts, type Input } from '../calls/facts.ts'
import { written, type Place } from './odd.ts'
import type { Person, TestServer } from '../server.ts'

type Sent = {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  headers?: Record<string, string>
}
type Answered = { status: number; problem: Problem | undefined }

export type Asking = {
  facts: Facts
  /** How often somebody asked. */
  count: number
  /** Somebody new who may call it, as some calls end a session or look through other eyes; with what a valid call says. */
  begin: (endpoint: EndpointDefinition) => Promise<Input>
  ask: (endpoint: EndpointDefinition, sent: Sent) => Promise<Answered>
}

/** One of everything, and whoever asks for it in odd ways. */
export async function openAsking(server: TestServer): Promise<Asking> {
  const facts = await onePerThing(server)
  let caller: Person | undefined
  const asking: Asking = {
    facts,
    count: 0,
    async begin(endpoint) {
      const { access } = endpoint
      caller = access.kind === 'roles' ? await personFor(access.roles.includes('admin')) : undefined
      return inputOf(endpoint, facts)
    },
    async ask({ method, path, name, bodyTypes }, { params, query = {}, body, headers }) {
      asking.count += 1
      const place = path.replaceAll(/:(\w+)/g, (_all, key: string) => params?.[key] ?? key)
      const isFile = Buffer.isBuffer(body)
      const type = isFile ? bodyTypes?.[0] : 'application/json'
      const answer = await server.app
        .inject({
          method,
          url: `/api${place}?${queryOf(query)}`,
          headers: {
            ...(caller && { authorization: `Bearer ${caller.token}` }),
            ...(body !== undefined && { 'content-type': type }),
            ...headers,
          },
          ...(body !== undefined && { payload: isFile ? body : written(body) }),
        })
        .catch((error: unknown) => Promise.reject(new Error(`${name} broke off`, { cause: error })))
      const isProblem = String(answer.headers['content-type']).includes('problem+json')
      return { status: answer.statusCode, problem: isProblem ? answer.json<Problem>() : undefined }
    },
  }
  const personFor = (isAdmin: boolean) =>
    isAdmin ? server.person('admin', facts.orgId) : server.person('superadmin')
  return asking
}

function inputOf(endpoint: EndpointDefinition, facts: Facts): Input {
  if (endpoint.access.kind === 'roles') return sampleOf(endpoint, facts)
  const ids = Array.from(endpoint.path.matchAll(/:(\w+)/g), ([, key = '']) => key)
  return { params: Object.fromEntries(ids.map((key) => [key, facts[key as keyof Facts] ?? facts.videoId])) }
}

const queryOf = (query: Record<string, unknown>) =>
  Object.entries(query)
    .map(([name, value]) => `${encodedOf(name)}=${encodedOf(value)}`)
    .join('&')

/** Half of a pair goes as the bytes that some programs write for it. */
const encodedOf = (value: unknown) =>
  Array.from(typeof value === 'string' ? value : JSON.stringify(value), (sign) =>
    sign.isWellFormed() ? encodeURIComponent(sign) : '%ED%A0%BD',
  ).join('')

/** No fault of ours; of what has to be refused, its name or that of the nearest around it. Who asks too often is told that first. */
export function isFine({ status, problem }: Answered, refused: Place | undefined): boolean {
  if (!refused || status === 429) return status < 500
  const wanted = refused.path.join('.')
  const names = Object.keys(problem?.fields ?? {})
  return status === 422 && names.some((name) => wanted.startsWith(name) || name.startsWith(wanted))
}
