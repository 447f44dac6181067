import type { FastifyInstance, FastifyRequest } from 'fastify'
import { api } from '#contract/api.ts'
import { FileReply, type EndpointDefinition } from '#contract/endpoint.ts'
import { readTogether } from '#contract/platform/together.ts'
import { refuse } from '../errors.ts'
import { addressOf } from './address.ts'
import type { Mount } from './mount.ts'

/** The addresses of all readings of the contract, or of those that are files. */
const patternsOf = (isWanted: (reading: EndpointDefinition) => boolean) =>
  api
    .filter((endpoint) => endpoint.method === 'GET' && isWanted(endpoint))
    .map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`))
/** Files are sent while they are made, and never as a whole in memory. */
const others = patternsOf(({ reply, name }) => reply === FileReply || name === readTogether.name)
const readings = patternsOf(() => true)

/** Says who asks, and how; the rest is about the one request around them. */
const carried = ['authorization', 'user-agent', 'cookie', 'accept-language', 'x-idle'] as const

/** Each reading comes in by the door that it has alone, so that whatever holds there (roles, tenants, refusals) holds here. */
export function togetherRoutes(app: FastifyInstance, mount: Mount): void {
  mount(readTogether, async ({ query, request }) => {
    const addresses = query.of.split(' ')
    if (!addresses.every(isReading)) throw refuse('validation_failed', { fields: { of: ['invalid'] } })
    return { answers: await Promise.all(addresses.map((address) => answerOf(app, request, address))) }
  })
}

function isReading(address: string): boolean {
  const [path = ''] = address.split('?')
  return readings.some((one) => one.test(path)) && !others.some((one) => one.test(path))
}

async function answerOf(app: FastifyInstance, request: FastifyRequest, address: string) {
  const headers = Object.fromEntries(
    carried.flatMap((name) => (request.headers[name] === undefined ? [] : [[name, request.headers[name]]])),
  )
  const answer = await app.inject({ url: `/api${address}`, headers, remoteAddress: addressOf(request) })
  const { etag = null } = answer.headers
  return { status: answer.statusCode, etag, body: answer.json() }
}
