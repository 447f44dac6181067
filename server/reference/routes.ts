import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { policyText, referencePolicy } from '#server/platform/http/headers.ts'
import { houseStyle } from '#server/platform/http/pages/house-style.ts'
import type { Services } from '#server/platform/http/services.ts'
import { drawEvents, drawSubject, toldIn, toldList } from './calls.ts'
import { slugOf, subjectsOf, type Description } from './document.ts'
import { readGuide, type Guide } from './guide.ts'
import { base, drawPage, type Frame } from './page.ts'

const policy = policyText(referencePolicy)

/** What the pages are styled with and run. It stands in files of its own, for the policy allows nothing within a page. */
type File = { type: string; content: string; address: string }

/**
 * Serves `/api/docs`: how to begin, a page for each frequent task, and one for each subject with its calls, all from the description that
 * `GET /api/openapi.json` gives. Everybody may read it, as they may that.
 */
export function referenceRoutes(describe: () => object) {
  return (app: FastifyInstance, services: Services): void => {
    let pages: ReadonlyMap<string, string> | undefined
    const read = () =>
      (pages ??= drawAll(describe() as Description, {
        product: services.env.productName,
        guide: readGuide(services.publicUrl()),
        files,
      }))
    const files = [
      fileOf('reference.css', 'text/css', style()),
      fileOf('reference.js', 'text/javascript', textOf('reference.js')),
    ]
    for (const { type, content, address } of files)
      app.get(address, async (_request, reply) =>
        reply
          .type(`${type}; charset=utf-8`)
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(content),
      )
    app.get(`${base}/calls.json`, async (_request, reply) => {
      reply.header('cache-control', 'no-cache')
      return callsOf(describe() as Description)
    })
    app.get(base, async (_request, reply) => send(reply, 200, read().get(base)))
    app.get<{ Params: { page: string } }>(`${base}/:page`, async ({ params: { page } }, reply) => {
      const found = read().get(`${base}/${page}`)
      return send(reply, found === undefined ? 404 : 200, found ?? read().get(missing))
    })
  }
}

function send(reply: FastifyReply, status: number, html = ''): FastifyReply {
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-cache')
    .header('content-security-policy', policy)
    .send(html)
}

const textOf = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8')

const style = () =>
  houseStyle([
    'page',
    'card',
    'line',
    'edge',
    'ink',
    'text',
    'soft',
    'accent',
    'tint',
    'good',
    'bad',
    'warn',
  ]) + textOf('reference.css')

function fileOf(name: string, type: string, content: string): File {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return { type, content, address: `${base}/files/${hash}/${name}` }
}

/** What the search looks through: a call or an event to its page. */
function callsOf(all: Description) {
  const events = Object.entries(all.webhooks).map(([type, { post }]) => ({
    name: type,
    summary: post.summary,
    subject: 'Event',
    address: type,
    href: `${base}/events#${type}`,
  }))
  const calls = [...subjectsOf(all)].flatMap(([subject, calls]) =>
    calls.map(({ operationId, summary, method, path: address }) => ({
      name: operationId,
      summary: summary.replaceAll('`', ''),
      subject,
      address: `${method} /api${address}`,
      href: `${base}/${slugOf(subject)}#${operationId}`,
    })),
  )
  return [...calls, ...events]
}

const missing = 'missing'

type Given = { product: string; guide: Guide; files: File[] }

/** Every page by its address; they are drawn once. */
function drawAll(all: Description, { product, guide, files }: Given): ReadonlyMap<string, string> {
  const subjects = subjectsOf(all)
  const [styles, script] = files.map(({ address }) => address)
  const frame: Frame = {
    files: { style: styles ?? '', script: script ?? '', calls: `${base}/calls.json` },
    guide,
    subjects,
  }
  const draw = (here: string, title: string, body: string) =>
    [here, drawPage(frame, { product, title, body, here })] as const
  return new Map([
    draw(base, 'API', beginning(all, guide)),
    ...guide.tasks.map(({ slug, title, html }) =>
      draw(`${base}/${slug}`, title, `<div class="guide"><h1>${title}</h1>${html}</div>`),
    ),
    draw(`${base}/events`, 'Events', drawEvents(all)),
    ...[...subjects].map(([subject, calls]) =>
      draw(`${base}/${slugOf(subject)}`, subject, drawSubject(all, subject, calls)),
    ),
    draw(
      missing,
      'Not found',
      `<h1>There is no such page</h1><p>Please begin at <a href="${base}">the first one</a>.</p>`,
    ),
  ])
}

function beginning(all: Description, { intro, sections, tasks }: Guide): string {
  const refused = toldIn(all, { $ref: '#/components/responses/Refused' })
  const parts = sections.map(
    ({ slug, title, html }) =>
      `<section id="${slug}"><h2>${title}</h2>${html}${slug === 'refusals' ? toldList(refused) : ''}</section>`,
  )
  const list = tasks.map(({ slug, title }) => `<li><a href="${base}/${slug}">${title}</a></li>`)
  return `<div class="guide"><h1>API</h1>${intro}<h2>Tasks</h2><ul>${list.join('')}</ul>${parts.join('\n')}</div>`
}
