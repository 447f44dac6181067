import { randomUUID } from 'node:crypto'
import { formatRuntime } from '#contract/platform/text/format.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { sayIn } from '#server/platform/messages.ts'
import { openSlots, type Slots, type Values } from '../../documents/mail/filling.ts'
import { drawMail, type MailBrand, type Text } from '../../documents/mail/page.ts'
import {
  button,
  heading,
  message,
  onlyDrawn,
  onlySaid,
  poster,
  small,
  strong,
} from '../../documents/mail/parts.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import { inWords, type Step } from '../../duty/steps.ts'

export type Letter = Text
type LetterInput = {
  brand: MailBrand
  language: Language
  /** Both may name variables; the message is Markdown. */
  subject: string
  body: string
  /** These variables are filled in; anything else in braces stays. */
  known: ReadonlySet<string>
  senderName: string
  title: string
  durationMs: number | null
  product: string
  /** The address is absolute, and reachable for the recipient; without one there is no picture. */
  poster: string | null
  /** These are the days by which it is to be watched, in words, the earliest first. */
  due: readonly string[]
  /** This is the place of the video in its path. */
  step: Step | null
  /** This is the end of the personal link, in words. */
  linkEnd: string | null
  /** Its organization lets only signed-in people watch. */
  asksSignIn: boolean
  /** A duty has no link to unsubscribe, because nobody unsubscribes from what they owe. */
  isDuty: boolean
}

/** These marks stand where each recipient's link and strip will be, and nobody can write them into a message. */
const linkMark = `link-${randomUUID()}`
const stripMark = `strip-${randomUUID()}`
const unsubscribeMark = `unsubscribe-${randomUUID()}`

/** These differ for each recipient; `strip` is HTML. */
type Own = { link: string; unsubscribe: string; strip: string; values: Values }

/** Composes a letter once per transmission and language; `fillIn` makes it one recipient's. */
export function compose(input: LetterInput): { fillIn(own: Own): Letter } {
  const slots = openSlots(input.known)
  const letter = drawn(input, slots)
  return {
    fillIn({ link, unsubscribe, strip, values }) {
      const { subject, text, html } = slots.filled(letter, values)
      return {
        subject,
        text: text.replaceAll(linkMark, () => link).replace(unsubscribeMark, () => unsubscribe),
        html: html
          .replaceAll(linkMark, () => escapeHtml(link))
          .replace(unsubscribeMark, () => escapeHtml(unsubscribe))
          .replace(stripMark, () => strip),
      }
    },
  }
}

function ownLink({ language, linkEnd }: LetterInput): string {
  const say = sayIn(language, 'mail')
  return linkEnd ? say('ownLinkUntil', { end: linkEnd }) : say('ownLink')
}

function dueIn({ language, due: [day, ...later] }: LetterInput): string {
  const say = sayIn(language, 'mail')
  if (day === undefined) return ''
  if (later.length === 0) return say('due', { day })
  return say('dueAgain', { day, days: new Intl.ListFormat(localeOf[language]).format(later) })
}

/** Says by when it is asked for, which of several videos it is, and that one signs in for it. */
function askedIn(input: LetterInput): string {
  const step = input.step && sayIn(input.language, 'mail')('step', inWords(input.step))
  const signIn =
    input.asksSignIn && sayIn(input.language, 'mail')('signIn', { organization: input.brand.name })
  return [dueIn(input), step, signIn].filter(Boolean).join(' ')
}

/** Draws the words of the sender, the video, where to press, and what is to know about the link. */
function drawn(input: LetterInput, slots: Slots): Letter {
  const { brand, language, title, senderName, product } = input
  const say = sayIn(language, 'mail')
  const length = input.durationMs === null ? undefined : formatRuntime(input.durationMs)
  const written = message(input.body, slots)
  const about = length ? say('videoLong', { length }) : say('video')
  const watch = length ? say('watchTitleLong', { title, length }) : say('watchTitle', { title })
  const asked = askedIn(input)
  const leave = input.isDuty ? undefined : { label: say('unsubscribe'), url: unsubscribeMark }
  const last = `${ownLink(input)}\n${say('from', { sender: senderName, product })}`
  return drawMail({
    brand,
    locale: localeOf[language],
    subject: slots.mark(input.subject),
    parts: [
      heading(title),
      ...written,
      ...(written.length > 0 ? [strong(senderName, 4)] : []),
      poster({ src: input.poster, title, about, url: linkMark }),
      { html: () => stripMark, text: '' },
      ...(asked === '' ? [] : [strong(asked, 16)]),
      onlyDrawn(button({ label: say('watch'), url: linkMark })),
      onlySaid(`${watch}\n${linkMark}`),
      onlySaid(asked),
      onlyDrawn(small(say('byHand'), { label: linkMark, url: linkMark })),
      onlySaid(last),
      ...(leave ? [onlySaid(`${leave.label}:\n${leave.url}`)] : []),
    ],
    footer: last,
    footerLink: leave,
  })
}
