import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { problems } from '#contract/problems.ts'
import type { Env } from '../env.ts'
import { toProblem } from '../errors.ts'
import type { Services } from './services.ts'

const root = path.resolve(import.meta.dirname, '../../dist/web')

/** Addresses of the public entry; every other page belongs to the console. */
const publicPage = /^\/(auth-1\/|error\/|maintenance$|landing$)/

/** What only means something for a page. They would be a kilobyte beside every script, style and font. */
const forPages = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

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
        if (hashed && /\.(js|css|woff2)(\.(br|gz))?$/.test(file))
          for (const name of forPages) reply.removeHeader(name)
      },
    })
  }
  const pageOf = built ? readPages(env) : undefined
  app.get('/', (_request, reply) => reply.redirect('/auth-1/sign-in'))
  app.setNotFoundHandler((request, reply) => {
    const [address = '/'] = request.url.split('?')
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') && !/^\/(api|m|assets)(\/|$)/.test(address)
    if (isPage && pageOf) {
      return reply.header('cache-control', 'no-cache').type('text/html; charset=utf-8').send(pageOf(address))
    }
    return reply
      .status(problems.not_found.status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem({ code: 'not_found' }, request.id)))
  })
}

/** What the policy has to allow beside our own files: the inline scripts of the built pages, by hash. */
export function inlineScripts(): string[] {
  const pages = ['index.html', 'public.html']
    .map((file) => path.join(root, file))
    .filter((file) => existsSync(file))
  const scripts = pages.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/<script>([^]*?)<\/script>/g)),
  )
  const hashes = scripts.map(([, code = '']) => createHash('sha256').update(code).digest('base64'))
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`)
}

/** Every page of the build by its address: drawn ones, else the empty page of its entry. */
function readPages(env: Env): (address: string) => string {
  const read = (file: string) => configured(readFileSync(path.join(root, file), 'utf8'), env)
  const drawn = path.join(root, 'pages')
  const names = existsSync(drawn) ? readdirSync(drawn, { recursive: true, encoding: 'utf8' }) : []
  const pages = new Map(
    names
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name.replaceAll(path.sep, '/').slice(0, -'.html'.length)}`, read(`pages/${name}`)]),
  )
  const publicEntry = read('public.html')
  const consoleEntry = read('index.html')
  return (address) => pages.get(address) ?? (publicPage.test(address) ? publicEntry : consoleEntry)
}

/** Writes what the configuration says into a page, so that it need not ask. */
function configured(html: string, { productName, providerName, demoMenu }: Env): string {
  const product = escapeHtml(productName)
  const provider = escapeHtml(providerName)
  return html
    .replace(/(<meta name="product" content=")[^"]*/, (_whole, start: string) => start + product)
    .replace(/(<meta name="provider" content=")[^"]*/, (_whole, start: string) => start + provider)
    .replace(
      /(<meta name="demo-menu" content=")[^"]*/,
      (_whole, start: string) => start + (demoMenu ? '1' : ''),
    )
    .replaceAll('%product%', () => product)
    .replaceAll('%provider%', () => provider)
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
