import { formatClock, formatRuntime } from '#contract/platform/text/format.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { packed } from '#contract/platform/text/say.ts'
import type { CaptionTrack } from '#contract/videos/shown-captions.ts'
import { missingSentence } from '#contract/tracking/missing-parts.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import type { WatchData } from '#contract/watch-page.ts'
import { mediaFrom, videoPagePolicy } from '#server/platform/http/headers.ts'
import { linked } from '../../documents/mail/markdown.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import { parsedIn, sayIn } from '#server/platform/messages.ts'
import type { BuiltScript } from '../../platform/http/pages/built.ts'
import type { ConfirmationRequest } from '../../duty/confirmations.ts'
import { inWords, type Step } from '../../duty/steps.ts'
import { bandOf, choiceOf, shell, type Band, type PageText } from '../shell.ts'
import { firstSign } from '#contract/platform/text/text.ts'

type WatchPage = Band & {
  /** This is the organization's color, `#rrggbb`; null where it has chosen none. */
  accentColor: string | null
  /** This is the query as it was asked for, without a language. */
  address: string
  product: string
  title: string
  /** Its author says this of it, as plain text with lines. */
  description: string | null
  sender: string | null
  /** The sender wrote this, as HTML of our own. */
  words: string | null
  /** It is to be watched by this day, in words. */
  due: string | null
  /** It is true while that day is ahead and the video is not done yet. */
  isOpen: boolean
  /** This is the place of the video in its path. */
  step: Step | null
  /** It is true when nothing of the visit is kept. */
  isTrial: boolean
  /** It is true when somebody looks at the link of its recipient, so that nothing of the visit is kept. */
  isLook: boolean
  /** The organization tells its viewers this, as plain text. */
  consent: string | null
  recordsCompletionsOnly: boolean
  poster: string | null
  width: number
  height: number
  /** This recipient is to confirm these sentences, or has confirmed them. */
  asked: readonly ConfirmationRequest[]
  /** Where media come from beside the server itself. */
  mediaOrigin: string | undefined
  timeZone: string
  /** These are what a video has of captions, subtitles and descriptions. */
  tracks: readonly CaptionTrack[]
  data: WatchData
  /** It is undefined while the web app has not been built. */
  script: BuiltScript | undefined
}

/** Tells the truth about what is kept of this visit. */
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

/** A "<" is escaped, because it might end the data block early. */
const dataText = (data: object) => JSON.stringify(data).replaceAll('<', String.raw`\u003c`)

/** Picks the words about one's own data. Somebody who came by a personal link is told other things than anybody else. */
function ownWords(language: Language, { isPersonal }: NonNullable<WatchData['own']>) {
  const { whatOfPerson, keepIt, whatOfVisit, visitEnds, ...same } = packed(parsedIn(language, 'ownData'))
  return isPersonal ? { ...same, whatOfPerson, keepIt } : { ...same, whatOfVisit, visitEnds }
}

/** Packs the words of the page's scripts. It packs those about questions only where there are some. */
function wordsOf({ language, data }: WatchPage): string {
  const messages = {
    player: packed(parsedIn(language, 'player')),
    receipt: packed(parsedIn(language, 'receipt')),
    ...(data.own && { ownData: ownWords(language, data.own) }),
    ...(data.captions && { captions: packed(parsedIn(language, 'captions')) }),
    ...(data.transcript !== undefined && { transcript: packed(parsedIn(language, 'transcript')) }),
    ...(data.quiz && { quiz: packed(parsedIn(language, 'quiz')) }),
  }
  return dataText({ locale: localeOf[language], messages })
}

/** Names the person whose link somebody looks at, and offers to say that it is their own. */
function readerOf({ language, isLook, recipient }: WatchPage): string {
  if (!isLook || recipient === null) return ''
  const say = sayIn(language, 'watch')
  return `<section class="consent panel" aria-label="${escapeHtml(say('notCountedTitle'))}">
<p><b>${escapeHtml(say('notCounted', { person: recipient }))}</b> ${escapeHtml(say('notCountedText'))}</p>
<div><button id="reader" type="button">${escapeHtml(say('iAm', { person: recipient }))}</button></div>
</section>
`
}

/** Tells a first visit how long it takes, and whether it asks something. */
function lengthOf({ language, data }: WatchPage): string {
  const asked = data.quiz?.stops.length ?? 0
  const questions = asked === 0 ? '' : ` ${sayIn(language, 'watch')('withQuestions', { count: asked })}`
  return `<b>${formatRuntime(data.durationMs)}</b>${questions}`
}

/** Says which of several videos this is, where somebody has to see them one after the other. */
function stepIn({ language, step }: WatchPage): string {
  return step ? `<p class="soft">${escapeHtml(sayIn(language, 'watch')('step', inWords(step)))}</p>\n` : ''
}

/** Says what a reminder is about; the script of the page says when that is seen. */
function missingOf({ language, data }: WatchPage): string {
  if (!data.missing) return ''
  const text = missingSentence(data.missing, sayIn(language, 'receipt'), localeOf[language])
  return `<p class="seen" id="missing" role="status">${escapeHtml(text)}</p>\n`
}

/** Draws the sender's words as a letter. */
function letterOf({ language, sender, words, due, isOpen }: WatchPage): string {
  if (sender === null) return ''
  const say = sayIn(language, 'watch')
  const initials = sender
    .split(/\s+/)
    .map(firstSign)
    .filter((_one, n, all) => n === 0 || n === all.length - 1)
    .join('')
  const pill =
    due === null
      ? ''
      : `<span class="${isOpen ? 'due' : 'soft'}">${escapeHtml(say('due', { day: due }))}</span>`
  const text = words === null ? '' : `\n${words}`
  return `<section class="letter" aria-label="${escapeHtml(say('message'))}">
<div><i aria-hidden="true">${escapeHtml(initials)}</i><span><b>${escapeHtml(sender)}</b> <span class="soft">${escapeHtml(say('toYou'))}</span></span>${pill}</div>${text}
</section>
`
}

/**
 * Links to the training of whoever came by a personal link. That page itself decides what it opens, so the link is here whatever they owe.
 */
function trainingOf({ language, address, data }: WatchPage): string {
  if (!data.own?.isPersonal) return ''
  const text = escapeHtml(sayIn(language, 'watch')('ownTraining'))
  return `<a class="quiet" href="${escapeHtml(`/w/me${address}`)}">${text}</a>\n`
}

/** Draws a plain form, so that it can be confirmed where no script runs. A script shows it as soon as the rest is done. */
function confirmOf({ language, timeZone, address, asked }: WatchPage): string {
  const say = sayIn(language, 'watch')
  const d = new URLSearchParams(address).get('d') ?? ''
  return asked
    .map(({ id, statement, isReady, confirmedAt }) => {
      const day = confirmedAt && dueText(confirmedAt, timeZone, localeOf[language])
      const confirmation = day ? say('confirmed', { day }) : say('confirmLater')
      const form = `<form method="post" action="/w/me/confirm"${isReady ? '' : ' hidden'}><input type="hidden" name="d" value="${escapeHtml(d)}"><input type="hidden" name="obligation" value="${id}"><button type="submit">${escapeHtml(say('confirmButton'))}</button></form>`
      return `<section class="panel" id="confirm-${id}" aria-label="${escapeHtml(say('confirmTitle'))}">
<h2>${escapeHtml(say('confirmTitle'))}</h2>
<p><b>${escapeHtml(statement)}</b></p>
<p class="soft" role="status"${isReady ? ' hidden' : ''}>${escapeHtml(confirmation)}</p>${confirmedAt === null ? `\n${form}` : ''}
</section>
`
    })
    .join('')
}

/** Writes them for the browser itself, so that they are there without a script; nothing of them is fetched before they are shown. */
function tracksIn({ tracks }: WatchPage): string {
  return tracks
    .map(({ kind, language, label, isDefault, src }) => {
      const shown = isDefault ? ' data-shown' : ''
      return `<track kind="${kind}" srclang="${escapeHtml(language)}" label="${escapeHtml(label)}" src="${escapeHtml(src)}"${shown}>`
    })
    .join('')
}

/** A long one scrolls, by keyboard as well, so that the player stays in sight. */
function descriptionOf({ language, description }: WatchPage): string {
  if (description === null) return ''
  const name = escapeHtml(sayIn(language, 'watch')('aboutVideo'))
  return `<section id="about" aria-label="${name}" tabindex="0"><p dir="auto">${linked(description, ' target="_blank" rel="noopener nofollow"')}</p></section>
`
}

/** The style of that text, on pages that have one. */
const descriptionStyle =
  '#about{margin-top:1rem;max-height:18rem;overflow:auto}' +
  '#about p{margin:0;white-space:pre-line;overflow-wrap:anywhere}'

/** Lists the chapters as links to their moments; the script of the page plays from there. */
function chaptersOf({ language, data }: WatchPage): string {
  if (!data.chapters) return ''
  const name = escapeHtml(sayIn(language, 'player')('chapters'))
  const rows = data.chapters.list.map(
    ({ startMs, title }) =>
      `<li><a href="#t=${startMs / 1000}"><span>${formatClock(startMs)}</span><b dir="auto">${escapeHtml(title)}</b></a></li>`,
  )
  return `<nav id="chapters" aria-label="${name}">
<h2>${name}</h2>
<ol>${rows.join('')}</ol>
</nav>
`
}

/** The way to what is said as text; the script that shows it comes with the press. */
function transcriptOf({ language, data }: WatchPage): string {
  if (data.transcript === undefined) return ''
  const text = escapeHtml(sayIn(language, 'transcript')('title'))
  return `<button id="transcript" type="button" hidden>${text}</button>\n`
}

/** The style of that list, on pages that have one. */
const chapterStyle =
  '#chapters{margin-top:1.25rem}' +
  '#chapters ol{margin:.5rem 0 0;padding:0;max-height:24rem;overflow:auto;list-style:none}' +
  '#chapters a{display:flex;gap:.75rem;align-items:baseline;padding:.5rem .75rem;border-inline-start:3px solid var(--line);text-decoration:none}' +
  '#chapters span{min-width:3rem;color:var(--soft);font-size:.75rem;font-variant-numeric:tabular-nums}' +
  '#chapters b{font-weight:400;overflow-wrap:anywhere}' +
  '#chapters a:hover{background:var(--line)}' +
  '#chapters a:focus-visible{outline-offset:-3px}' +
  '#chapters a[aria-current]{border-color:var(--accent)}' +
  '#chapters a[aria-current] b{font-weight:600}'

export function watchPage(page: WatchPage): PageText {
  const { language, accentColor } = page
  const say = sayIn(language, 'watch')
  const title = escapeHtml(page.title)
  const note = `<p class="note">${escapeHtml(noteOf(page))}</p>`
  // A long text scrolls, so that the player stays in sight; it scrolls by keyboard as well.
  const consent =
    page.consent === null
      ? ''
      : `<section class="consent" aria-label="${escapeHtml(say('beforeYouWatch'))}" tabindex="0">
<p>${escapeHtml(page.consent)}</p>
${note}
</section>
`
  const preload = page.script?.imports.map((file) => `<link rel="modulepreload" href="${file}">\n`).join('')
  const script = page.script ? `<script type="module" src="${page.script.file}"></script>\n` : ''
  const poster = page.poster === null ? '' : ` poster="${escapeHtml(page.poster)}"`
  return shell({
    language,
    accentColor,
    policy: {
      ...videoPagePolicy,
      ...(page.asked.length > 0 && { 'form-action': ["'self'"] }),
      ...mediaFrom(page.mediaOrigin),
    },
    choice: choiceOf(page),
    moreStyle: `${page.description === null ? '' : descriptionStyle}${page.data.chapters ? chapterStyle : ''}`,
    title: page.title,
    product: page.product,
    head: `${preload ?? ''}${script}`,
    body: `${bandOf(page)}
<main>
${readerOf(page)}${consent}<div class="film" data-player>
<div class="frame">
<button class="start" id="start" type="button" aria-label="${escapeHtml(say('play', { title: page.title }))}" hidden><span></span></button>
<video id="video" controls playsinline preload="none" width="${page.width}" height="${page.height}"${poster} aria-label="${title}">${tracksIn(page)}</video>
</div>
<div class="controls" id="controls"${page.data.watched || page.data.chapters || page.data.captions ? ' data-awaited' : ''}></div>
<p class="message" id="message" role="status"></p>
<noscript><p class="message">${escapeHtml(say('noScript'))}</p></noscript>
</div>
<div class="words">
<div class="left">
${stepIn(page)}<h1>${title}</h1>
<p class="seen" id="length">${lengthOf(page)}</p>
${missingOf(page)}<section${page.data.watched ? ' class="awaited"' : ''} id="receipt" aria-label="${escapeHtml(say('recorded'))}"></section>
${descriptionOf(page)}${chaptersOf(page)}${transcriptOf(page)}</div>
${letterOf(page)}${confirmOf(page)}${consent === '' ? `${note}\n` : ''}${page.data.own ? `<button class="quiet" id="own" type="button" hidden>${escapeHtml(say('ownData'))}</button>\n` : ''}${trainingOf(page)}</div>
</main>
<script type="application/json" id="watch">${dataText(page.data)}</script>
<script type="application/json" id="words">${wordsOf(page)}</script>`,
  })
}
