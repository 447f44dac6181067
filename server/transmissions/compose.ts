import { randomUUID } from 'node:crypto'
import { localeOf, type Language } from '#contract/languages.ts'
import { sayIn } from '#server/platform/messages.ts'
import { drawMail, type MailBrand, type Text } from '../documents/mail/page.ts'
import {
  button,
  heading,
  onlyDrawn,
  onlySaid,
  poster,
  small,
  strong,
  words,
} from '../documents/mail/parts.ts'
import { escapeHtml } from '../platform/http/html.ts'

export type Letter = Text
type LetterInput = {
  brand: MailBrand
  language: Language
  subject: string
  body: string
  senderName: string
  title: string
  durationMs: number | null
  product: string
  /** Absolute, and reachable for the recipient; else there is no picture. */
  poster: string | null
  /** The day by which it is to be watched, in words. */
  due: string | null
  /** When the personal link ends, in words. */
  linkEnd: string | null
}

/** Stands where each recipient's link will be; nobody can write it into a message. */
const linkMark = `link-${randomUUID()}`

/** Composed once per transmission; `fill` makes it one recipient's. */
export function compose(input: LetterInput): { fill(link: string): Letter } {
  const letter = drawn(input)
  return {
    fill(link) {
      return {
        subject: letter.subject,
        text: letter.text.replaceAll(linkMark, () => link),
        html: letter.html.replaceAll(linkMark, () => escapeHtml(link)),
      }
    },
  }
}

function ownLink({ language, linkEnd }: LetterInput): string {
  const say = sayIn(language, 'mail')
  return linkEnd ? say('ownLinkUntil', { end: linkEnd }) : say('ownLink')
}

function paragraphs(body: string): string[] {
  return body
    .replaceAll('\r\n', '\n')
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function minutes(durationMs: number | null): string {
  if (durationMs === null) return ''
  const seconds = Math.round(durationMs / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The words of the sender, the video, where to press, and what is to know about the link. */
function drawn(input: LetterInput): Letter {
  const { brand, language, subject, title, senderName, product } = input
  const say = sayIn(language, 'mail')
  const duration = minutes(input.durationMs)
  const message = paragraphs(input.body)
  const about = duration ? say('videoLong', { minutes: duration }) : say('video')
  const watch = duration ? say('watchTitleLong', { title, minutes: duration }) : say('watchTitle', { title })
  const due = input.due ? say('due', { day: input.due }) : ''
  const last = `${ownLink(input)}\n${say('from', { sender: senderName, product })}`
  return drawMail({
    brand,
    locale: localeOf[language],
    subject,
    parts: [
      heading(title),
      ...message.map(words),
      ...(message.length > 0 ? [strong(senderName, 4)] : []),
      poster({ src: input.poster, title, about, url: linkMark }),
      ...(due === '' ? [] : [strong(due, 16)]),
      onlyDrawn(button({ label: say('watch'), url: linkMark })),
      onlySaid(`${watch}\n${linkMark}`),
      onlySaid(due),
      onlyDrawn(small(say('byHand'), { label: linkMark, url: linkMark })),
      onlySaid(last),
    ],
    footer: last,
  })
}
