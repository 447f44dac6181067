import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { problems } from '#contract/problems.ts'
import { toProblem } from '../errors.ts'
import type { Services } from './services.ts'

const root = path.resolve(import.meta.dirname, '../../dist/web')

/** Addresses of the public entry; every other page belongs to the console. */
const publicPage = /^\/(auth-1\/|error\/|maintenance$|landing$)/

/** The built web app: hashed assets for ever, pages always fresh, and one of two pages for every address that is no file. */
export async function serveWeb(app: FastifyInstance, _services: Services): Promise<void> {
  const built = existsSync(root)
  if (built) {
    await app.register(fastifyStatic, {
      root,
      wildcard: false,
      index: false,
      setHeaders(reply: FastifyReply, file: string) {
        const hashed = file.includes(`${path.sep}assets${path.sep}`)
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.get('/', (_request, reply) => reply.redirect('/auth-1/sign-in'))
  app.setNotFoundHandler((request, reply) => {
    const [address = '/'] = request.url.split('?')
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') && !/^\/(api|m|assets)(\/|$)/.test(address)
    if (isPage && built) {
      const file = publicPage.test(address) ? 'public.html' : 'index.html'
      return reply.header('cache-control', 'no-cache').sendFile(file)
    }
    return reply
      .status(problems.not_found.status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem({ code: 'not_found' }, request.id)))
  })
}
