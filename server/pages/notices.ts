import type { FastifyReply } from 'fastify'
import type { Language } from '#contract/platform/text/languages.ts'
import type { Say } from '#contract/platform/text/say.ts'
import type { Env } from '#server/platform/env.ts'
import { sayIn, type Surfaces } from '#server/platform/messages.ts'
import { escapeHtml } from '../platform/http/pages/html.ts'
import type { Watchable } from './video/queries.ts'
import { shell, type PageText } from './shell.ts'

export type PageAnswer = PageText & { status: number; retryAfter?: number }

type Plain = keyof {
  [K in keyof Surfaces['watch'] as Surfaces['watch'][K] extends `${string}{${string}` ? never : K]: true
}
export type PageNotice = {
  status: number
  title: Plain
  text: Plain | ((say: Say<Surfaces['watch']>) => string)
  reloadSeconds?: number
}

export const missing: PageNotice = { status: 404, title: 'missing', text: 'missingText' }
export const soon: PageNotice = { status: 503, title: 'soon', text: 'soonText', reloadSeconds: 10 }
export const busy: PageNotice = { status: 429, title: 'busy', text: 'busyText' }
export const refusals: Record<'personal' | 'gone' | 'failed', PageNotice> = {
  personal: { status: 403, title: 'personal', text: 'personalText' },
  gone: { status: 410, title: 'gone', text: 'goneText' },
  failed: { status: 409, title: 'failed', text: 'failedText' },
}

type Ended = Pick<Watchable, 'linkRevokedReason' | 'organization'>

/** A link that was somebody's and is no longer says why, in a plain page. */
export const linkEnds: Record<NonNullable<Watchable['linkEnd']>, (video: Ended) => PageNotice> = {
  revoked: ({ linkRevokedReason, organization }) => ({
    status: 410,
    title: 'revoked',
    text: (say) => say('revokedText', { organization, reason: linkRevokedReason ?? '' }),
  }),
  stopped: () => ({ status: 410, title: 'linkEnded', text: 'stoppedText' }),
  ended: () => ({ status: 410, title: 'linkEnded', text: 'endedText' }),
}

export function drawNotice(env: Env, language: Language, notice: PageNotice): PageAnswer {
  const { status, title, text, reloadSeconds } = notice
  const say = sayIn(language, 'watch')
  const page = noticePage({
    language,
    product: env.productName,
    title: say(title),
    text: typeof text === 'string' ? say(text) : text(say),
    reloadSeconds,
  })
  return { ...page, status, ...(reloadSeconds === undefined ? {} : { retryAfter: reloadSeconds }) }
}

type NoticePage = {
  language: Language
  product: string
  title: string
  text: string
  reloadSeconds?: number | undefined
}

function noticePage({ language, product, title, text, reloadSeconds }: NoticePage): PageText {
  return shell({
    language,
    title,
    product,
    head: reloadSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${reloadSeconds}">\n`,
    body: `<main>
<div class="card">
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
</div>
</main>`,
  })
}

export function send(reply: FastifyReply, { status, html, policy, retryAfter }: PageAnswer): FastifyReply {
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)))
  return reply
    .status(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex, nofollow')
    .send(html)
}
