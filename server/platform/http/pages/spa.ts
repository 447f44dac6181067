import { methodsAt } from '../methods.ts'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { problems } from '#contract/problems.ts'
import { pages as consolePages } from '#contract/roles.ts'
import type { Env } from '../../env.ts'
import { toProblem } from '../../errors.ts'
import { builds, languageFor, type Build } from './languages.ts'
import { escapeHtml } from './html.ts'
import { logoName } from './logo.ts'
import type { Services } from '../services.ts'

/** Addresses of the public entry; every other page belongs to the console. */
const publicPage = /^\/(auth-1\/|error\/|maintenance$|landing$)/

/** What only means something for a page. They would be a kilobyte beside every script, style and font. */
const forPages = [
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

/**
 * The built web app: hashed assets for ever, pages always fresh, and one of two pages for every address that is no file, in the
 * language of its reader.
 */
export async function serveWeb(app: FastifyInstance, { env }: Services): Promise<void> {
  const all = builds(env)
  if (all.length > 0) {
    await app.register(fastifyStatic, {
      // Names with hashes never collide; of the others the first folder's is taken, and all have the same.
      root: all.map(({ folder }) => folder),
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
  const tags = all.map(({ tag }) => tag)
  const pagesOf = new Map(all.map((build) => [build.tag, readPages(build, tags, env)]))
  app.get('/', (_request, reply) => reply.redirect('/auth-1/sign-in'))
  app.setNotFoundHandler((request, reply) => {
    const pageOf = pagesOf.get(languageFor(request.headers, tags))
    if (pageOf && asksForPage(request)) {
      const { status, body } = pageOf(pathOf(request), tabOf(request))
      const isSmall = takesBrotli(request)
      if (isSmall) reply.header('content-encoding', 'br')
      return reply
        .status(status)
        .header('cache-control', 'no-cache')
        .header('vary', tags.length > 1 ? 'accept-encoding, accept-language, cookie' : 'accept-encoding')
        .type('text/html; charset=utf-8')
        .send(isSmall ? body.small : body.plain)
    }
    const allowed = methodsAt(pathOf(request))
    const code = allowed.length > 0 ? 'method_not_allowed' : 'not_found'
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    return reply
      .status(problems[code].status)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem({ code }, request.id)))
  })
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? '/'
}

function tabOf({ url }: FastifyRequest): string {
  return new URLSearchParams(url.split('?')[1]).get('tab') ?? ''
}

function takesBrotli({ headers }: FastifyRequest): boolean {
  return /\bbr\b(?!\s*;\s*q=0)/.test(headers['accept-encoding']?.toString() ?? '')
}

/** Whether a person is to see the answer; programs get a problem. */
export function asksForPage(request: FastifyRequest): boolean {
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  return isReading && !/^\/(api|m|assets|metrics)(\/|$)/.test(pathOf(request))
}

/** What the policy has to allow beside our own files: the inline scripts of the built pages, by hash. */
export function inlineScripts(env: Env): string[] {
  const pages = builds(env)
    .flatMap(({ folder }) => ['index.html', 'public.html'].map((file) => path.join(folder, file)))
    .filter((file) => existsSync(file))
  const scripts = pages.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/<script>([^]*?)<\/script>/g)),
  )
  const hashes = scripts.map(([, code = '']) => createHash('sha256').update(code).digest('base64'))
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`)
}

/** A page as it is, and compressed: both are made once, at the start. */
type Body = { plain: string; small: Buffer }
type Page = { status: number; body: Body }

function bodyOf(html: string): Body {
  return { plain: html, small: brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }) }
}

/** Every page of the build by its address: drawn ones, else the empty page of its entry, which says itself that it is missing. */
function readPages(
  { folder }: Build,
  tags: readonly string[],
  env: Env,
): (address: string, tab: string) => Page {
  const read: Read = (file, change = (html) => html) =>
    bodyOf(change(withLanguages(configured(readFileSync(path.join(folder, file), 'utf8'), env), tags)))
  const drawn = path.join(folder, 'pages')
  const names = existsSync(drawn) ? readdirSync(drawn, { recursive: true, encoding: 'utf8' }) : []
  const pages = new Map(
    names
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name.replaceAll(path.sep, '/').slice(0, -'.html'.length)}`, read(`pages/${name}`)]),
  )
  const publicEntry = read('public.html')
  const consolePage = readConsole(folder, read)
  return (address, tab) => {
    const body = pages.get(address)
    if (body !== undefined) return { status: 200, body }
    if (publicPage.test(address)) return { status: 404, body: pages.get('/error/404') ?? publicEntry }
    return consolePage(address, tab)
  }
}

const consoleAddresses = consolePages.map(
  ({ path: page }) => [page, new RegExp(`^${page.replaceAll(/\$\w+/g, '[^/]+')}/?$`)] as const,
)

type Read = (file: string, change?: (html: string) => string) => Body

/** The one page of the console: for each address and tab it names the files that are wanted next (build/pages.ts), and is made once. */
function readConsole(folder: string, read: Read): (address: string, tab: string) => Page {
  const list = path.join(folder, '.vite/pages.json')
  const files = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Record<string, string[]>) : {}
  const made = new Map<string, Body>()
  return (address, tab) => {
    const page = consoleAddresses.find(([, pattern]) => pattern.test(address))?.[0] ?? ''
    const own = `${page}?tab=${tab}`
    const shown = own in files ? own : page
    const links = (files[shown] ?? []).map(linkTo).join('')
    const body =
      made.get(shown) ?? read('index.html', (html) => html.replace('</head>', (end) => links + end))
    made.set(shown, body)
    return { status: page === '' ? 404 : 200, body }
  }
}

function linkTo(file: string): string {
  const kind = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'
  return `<link ${kind} crossorigin href="/${file}" />`
}

/** The error page for people, with the reference of the request; undefined where the web app is not built. */
export function errorPage(
  status: number,
  { request, env }: { request: FastifyRequest; env: Env },
): string | undefined {
  const all = builds(env)
  const tags = all.map(({ tag }) => tag)
  const tag = languageFor(request.headers, tags)
  const folder = all.find((build) => build.tag === tag)?.folder
  const face = [400, 401, 403, 404, 408, 429].includes(status) ? status : status < 500 ? 400 : 500
  const file = path.join(folder ?? '', `pages/error/${face}.html`)
  if (folder === undefined || !existsSync(file)) return undefined
  const metas = { answered: `/error/${face}`, reference: face === 500 ? request.id : '' }
  return withMetas(configured(readFileSync(file, 'utf8'), env), metas)
}

/** Tells the console which languages there are, where there is a choice. */
function withLanguages(html: string, tags: readonly string[]): string {
  const meta = `<meta name="languages" content="${tags.join(' ')}" />`
  return tags.length > 1 ? html.replace('<meta name="product"', (start) => `${meta}\n    ${start}`) : html
}

/** Writes what the configuration says into a page, so that it need not ask. */
function configured(html: string, { productName, providerName, contactEmail = '', demoMenu }: Env): string {
  const product = escapeHtml(productName)
  const provider = escapeHtml(providerName)
  const metas = {
    product: productName,
    provider: providerName,
    contact: contactEmail,
    'demo-menu': demoMenu ? '1' : '',
  }
  return withMetas(html, metas)
    .replaceAll('%product%', () => product)
    .replaceAll('%logo%', () => logoName(productName))
    .replaceAll('%provider%', () => provider)
}

function withMetas(html: string, metas: Record<string, string>): string {
  return Object.entries(metas).reduce(
    (page, [name, content]) =>
      page.replace(
        new RegExp(`(<meta name="${name}" content=")[^"]*`),
        (_whole, start: string) => start + escapeHtml(content),
      ),
    html,
  )
}
