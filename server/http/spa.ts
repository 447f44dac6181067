import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { problems } from '#contract/problems.ts'
import type { Env } from '../env.ts'
import { toProblem } from '../errors.ts'
import type { Services } from './services.ts'

const root = path.resolve(import.meta.dirname, '../../dist/web')

/** Addresses of the public entry; every other page belongs to the console. */
const publicPage = /^\/(auth-1\/|error\/|maintenance$|landing$)/

/** The built web app: hashed assets for ever, pages always fresh, and one of two pages for every address that is no file. */
export async function serveWeb(app: FastifyInstance, { env }: Services): Promise<void> {
  const built = existsSync(path.join(root, 'index.html'))
  if (built) {
    await app.register(fastifyStatic, {
      root,
      wildcard: false,
      index: false,
      preCompressed: true,
      setHeaders(reply: FastifyReply, file: string) {
        const hashed = file.includes(`${path.sep}assets${path.sep}`)
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  const page = (file: string) => (built ? withNames(readFileSync(path.join(root, file), 'utf8'), env) : '')
  const pages = { public: page('public.html'), console: page('index.html') }
  app.get('/', (_request, reply) => reply.redirect('/auth-1/sign-in'))
  app.setNotFoundHandler((request, reply) => {
    const [address = '/'] = request.url.split('?')
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') && !/^\/(api|m|assets)(\/|$)/.test(address)
    if (isPage && built) {
      const html = publicPage.test(address) ? pages.public : pages.console
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(html)
    }
    return reply
      .status(problems.not_found.status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem({ code: 'not_found' }, request.id)))
  })
}

/** Writes the names of product and provider into a page, so that it can show them without asking. */
function withNames(html: string, { productName, providerName }: Env): string {
  const product = escapeHtml(productName)
  return html
    .replace(/(<meta name="product" content=")[^"]*/, (_whole, start: string) => start + product)
    .replace(
      /(<meta name="provider" content=")[^"]*/,
      (_whole, start: string) => start + escapeHtml(providerName),
    )
    .replace(/<title>[^<]*/, () => `<title>${product}`)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
