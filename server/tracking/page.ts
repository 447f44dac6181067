import { createHash } from 'node:crypto'
import { languageNames, languages, localeOf, type Language } from '#contract/languages.ts'
import type { WatchData } from '#contract/watch-page.ts'
import { escapeHtml } from '../platform/http/html.ts'
import { policyText, videoPagePolicy } from '#server/platform/http/headers.ts'
import { parsedIn, sayIn } from '#server/platform/messages.ts'
import type { BuiltScript } from './built.ts'

/** Two palettes, one accent; every text pair is 4.5:1 and better. No other file is loaded for the look of the page. */
const css = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1a2230;--soft:#4d5869;--line:#d5dae2;--accent:#0c7562;--on:#fff}
@media(prefers-color-scheme:dark){:root{--page:#10151d;--card:#1a212c;--text:#e9edf3;--soft:#a9b4c4;--line:#39434f;--accent:#4fd1b5;--on:#0c1320}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{flex:1;width:100%;max-width:68rem;margin:0 auto;padding:1rem}
h1{margin:0 0 .25rem;font-size:1.375rem;line-height:1.3;overflow-wrap:anywhere}
p{margin:0 0 1rem;overflow-wrap:anywhere}
.logo{display:block;max-width:100%;max-height:3rem;width:auto;margin-bottom:1rem}
.by,footer,.note{color:var(--soft);font-size:.875rem}
.consent{max-height:16rem;overflow:auto;margin:1rem 0 0;padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.consent p{white-space:pre-line}
.consent p:last-child{margin:0}
.frame{position:relative;margin:1rem 0;background:#000;border-radius:.5rem;overflow:hidden;display:flex;justify-content:center}
video{display:block;width:100%;height:auto;max-height:78vh;background:#000}
.start{position:absolute;z-index:1;inset:0;width:100%;border:0;padding:0;background:transparent;cursor:pointer}
.start[hidden]{display:none}
.start span{display:block;width:4.5rem;height:4.5rem;margin:0 auto;border-radius:50%;background:var(--accent);border:2px solid var(--on)}
.start span::before{content:"";display:block;margin:1.3rem 0 0 1.65rem;border:solid transparent;border-width:.85rem 0 .85rem 1.45rem;border-left-color:var(--on)}
.start[aria-busy=true] span{opacity:.6}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.start:focus-visible{outline-offset:-6px}
.message{min-height:2.5rem}
.message button{min-height:2.25rem;margin-left:.5rem;padding:0 .75rem;font:inherit;color:var(--accent);background:var(--card);border:1px solid var(--accent);border-radius:.375rem;cursor:pointer}
.card{max-width:34rem;margin:12vh auto 0;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
a{color:var(--accent)}
.panel{display:grid;gap:.5rem;margin:0 0 1rem;padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.panel[hidden]{display:none}
.panel p{margin:0}
.panel div{display:flex;flex-wrap:wrap;gap:.5rem}
.panel button{min-height:2.25rem;padding:0 .75rem;font:inherit;color:var(--accent);background:var(--card);border:1px solid var(--accent);border-radius:.375rem;cursor:pointer}
.panel button[aria-pressed=true]{color:var(--on);background:var(--accent)}
.panel h2{margin:0;font-size:1rem}
.quiet{min-height:2rem;margin:0 0 1rem;padding:0;font:inherit;font-size:.875rem;color:var(--accent);text-decoration:underline;background:none;border:0;cursor:pointer}
footer{padding:1rem;text-align:center}
nav{margin:0 0 .5rem}
nav a{display:inline-block;min-height:1.5rem}
@media(prefers-reduced-motion:no-preference){.start span{transition:transform .15s}.start:hover span{transform:scale(1.06)}}
@media(forced-colors:active){.start span{border-color:ButtonText}}
`.trim()

const styleHash = createHash('sha256').update(css).digest('base64')

/** Nothing from elsewhere, nothing inline but the style above. */
export const watchPolicy = policyText(videoPagePolicy, { 'style-src': [`'sha256-${styleHash}'`] })

type Shell = {
  language: Language
  choice?: string
  title: string
  product: string
  head?: string
  body: string
}

function shell({ language, choice = '', title, product, head = '', body }: Shell): string {
  return `<!doctype html>
<html lang="${localeOf[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="description" content="${escapeHtml(sayIn(language, 'watch')('description', { title, product }))}">
<title>${escapeHtml(title)} · ${escapeHtml(product)}</title>
<link rel="icon" href="data:,">
${head}<style>${css}</style>
</head>
<body>
${body}
<footer>${choice}${escapeHtml(product)}</footer>
</body>
</html>
`
}

type WatchPage = {
  language: Language
  /** Its query as it was asked for, without a language. */
  address: string
  product: string
  title: string
  organization: string
  logo: { src: string; width: number; height: number } | null
  sender: string | null
  /** The day by which it is to be watched, in words. */
  due: string | null
  /** Nothing of it is kept. */
  isTrial: boolean
  /** What the organization tells its viewers; plain text. */
  consent: string | null
  recordsCompletionsOnly: boolean
  poster: string | null
  width: number
  height: number
  data: WatchData
  /** Undefined while the web app has not been built. */
  script: BuiltScript | undefined
}

/** The truth about what is kept of this visit. */
function noteOf({
  language,
  isTrial,
  recordsCompletionsOnly,
  data,
  sender,
  organization,
}: WatchPage): string {
  const say = sayIn(language, 'watch')
  if (isTrial) return say('noteTrial')
  const kind = recordsCompletionsOnly ? 'noteCompletions' : data.quiz ? 'noteAnswers' : 'noteParts'
  return sender === null ? say(kind, { organization }) : say(`${kind}Both`, { sender, organization })
}

/** The other languages, each in its own words; what is chosen holds from then on. */
function choiceOf({ language, address }: WatchPage): string {
  const links = languages
    .filter((other) => other !== language)
    .map(
      (other) =>
        `<a href="${escapeHtml(`${address}&language=${other}`)}" hreflang="${other}" lang="${other}">${languageNames[other]}</a>`,
    )
  return `<nav aria-label="${escapeHtml(sayIn(language, 'watch')('language'))}">${links.join(' ')}</nav>`
}

/** No "<" may end the data block early. */
const dataText = (data: object) => JSON.stringify(data).replaceAll('<', String.raw`\u003c`)

/** What the scripts of the page say; the questions only where there are some. */
function wordsOf({ language, data }: WatchPage): string {
  const messages = {
    receipt: parsedIn(language, 'receipt'),
    ...(data.own && { ownData: parsedIn(language, 'ownData') }),
    ...(data.quiz && { quiz: parsedIn(language, 'quiz') }),
  }
  return dataText({ locale: localeOf[language], messages })
}

export function watchPage(page: WatchPage): string {
  const { language, sender } = page
  const say = sayIn(language, 'watch')
  const title = escapeHtml(page.title)
  const organization = escapeHtml(page.organization)
  const by = sender === null ? page.organization : say('sentBy', { sender, organization: page.organization })
  const due = page.due === null ? '' : `<p class="by">${escapeHtml(say('due', { day: page.due }))}</p>\n`
  const note = `<p class="note">${escapeHtml(noteOf(page))}</p>`
  // A long text scrolls, so that the player stays in sight; by keyboard as well.
  const consent =
    page.consent === null
      ? ''
      : `<section class="consent" aria-label="${escapeHtml(say('beforeYouWatch'))}" tabindex="0">
<p>${escapeHtml(page.consent)}</p>
${note}
</section>
`
  const data = dataText(page.data)
  const { logo } = page
  const mark = logo
    ? `<img class="logo" src="${logo.src}" width="${logo.width}" height="${logo.height}" alt="${organization}">\n`
    : ''
  const preload = page.script?.imports.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')
  const script = page.script ? `<script type="module" src="${page.script.file}"></script>\n` : ''
  return shell({
    language,
    choice: choiceOf(page),
    title: page.title,
    product: page.product,
    head: `${preload ?? ''}${script}`,
    body: `<main>
${mark}<h1>${title}</h1>
<p class="by">${escapeHtml(by)}</p>
${due}${consent}<div class="frame">
<button class="start" id="start" type="button" aria-label="${escapeHtml(say('play', { title: page.title }))}" hidden><span></span></button>
<video id="video" controls playsinline preload="none" width="${page.width}" height="${page.height}"${
      page.poster === null ? '' : ` poster="${escapeHtml(page.poster)}"`
    } aria-label="${title}"></video>
</div>
<section class="panel" id="receipt" aria-label="${escapeHtml(say('recorded'))}" hidden></section>
<p class="message" id="message" role="status"></p>
<noscript><p>${escapeHtml(say('noScript'))}</p></noscript>
${consent === '' ? `${note}\n` : ''}${page.data.own ? `<button class="quiet" id="own" type="button" hidden>${escapeHtml(say('ownData'))}</button>\n` : ''}</main>
<script type="application/json" id="watch">${data}</script>
<script type="application/json" id="words">${wordsOf(page)}</script>`,
  })
}

type NoticePage = {
  language: Language
  product: string
  title: string
  text: string
  reloadSeconds?: number | undefined
}

export function noticePage({ language, product, title, text, reloadSeconds }: NoticePage): string {
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
