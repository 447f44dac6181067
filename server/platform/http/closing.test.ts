import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { endWithAnswers } from './closing.ts'

test('a server stops with its last answer, which is whole, and not when the browser lets go of its connection', async () => {
  const app = Fastify()
  endWithAnswers(app)
  const body = new PassThrough()
  app.get('/', (_request, reply) => reply.send(body))
  await app.listen({ port: 0 })
  const agent = new Agent({ keepAlive: true })
  const { port } = app.server.address() as AddressInfo
  const asked = get({ port, agent })
  body.write('one ')
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const closed = app.close()
  const rest = Buffer.alloc(4_000_000, 'x').toString()
  body.end(rest)
  expect(await text(answer)).toBe(`one ${rest}`)
  await closed
  agent.destroy()
})
