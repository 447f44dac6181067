import { escapeHtml } from '../platform/http/html.ts'
import { randomUUID } from 'node:crypto'
import { localeOf, type Language } from '#contract/languages.ts'
import { sayIn } from '#server/platform/messages.ts'

export type Letter = { subject: string; text: string; html: string }
type LetterInput = {
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
  const letter = { subject: input.subject, text: textOf(input), html: htmlOf(input) }
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

function textOf(input: LetterInput): string {
  const { title, due, senderName, product } = input
  const say = sayIn(input.language, 'mail')
  const duration = minutes(input.durationMs)
  const watch = duration ? say('watchTitleLong', { title, minutes: duration }) : say('watchTitle', { title })
  return [
    ...paragraphs(input.body),
    `${watch}\n${linkMark}`,
    ...(due ? [say('due', { day: due })] : []),
    `${ownLink(input)}\n${say('from', { sender: senderName, product })}`,
  ].join('\n\n')
}

function htmlOf(input: LetterInput): string {
  const say = sayIn(input.language, 'mail')
  const title = escapeHtml(input.title)
  const duration = minutes(input.durationMs)
  const message = paragraphs(input.body)
    .map((part) => `<p style="margin:0 0 16px">${escapeHtml(part).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
  const picture = input.poster
    ? `<a href="${linkMark}"><img src="${escapeHtml(input.poster)}" alt="${title}" width="528" style="display:block;width:100%;border:0"></a>`
    : ''
  const due = input.due
    ? `<p style="margin:0 0 16px;font-weight:600">${escapeHtml(say('due', { day: input.due }))}</p>\n`
    : ''
  return `<!doctype html>
<html lang="${localeOf[input.language]}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(input.subject)}</title></head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;color:#1f2933;font:16px/1.5 'Open Sans',Segoe UI,Helvetica,Arial,sans-serif">
<div style="max-width:576px;margin:0 auto;background:#ffffff;border:1px solid #dfe3e8;border-radius:8px;padding:24px">
${message}
<div style="border:1px solid #dfe3e8;border-radius:8px;overflow:hidden;margin:24px 0">
${picture}
<div style="padding:16px">
<p style="margin:0 0 4px;font-weight:600">${title}</p>
<p style="margin:0 0 16px;font-size:14px;color:#52606d">${escapeHtml(duration ? say('videoLong', { minutes: duration }) : say('video'))}</p>
${due}<a href="${linkMark}" style="display:inline-block;background:#1d4ed8;color:#ffffff;text-decoration:none;font-weight:600;padding:12px 24px;border-radius:6px">${escapeHtml(say('watch'))}</a>
</div>
</div>
<p style="margin:0 0 16px;font-size:14px;color:#52606d">${escapeHtml(say('byHand'))}<br><a href="${linkMark}" style="color:#1d4ed8;word-break:break-all">${linkMark}</a></p>
<p style="margin:0;font-size:14px;color:#52606d">${escapeHtml(ownLink(input))}<br>${escapeHtml(say('from', { sender: input.senderName, product: input.product }))}</p>
</div>
</body>
</html>
`
}
