import { randomBytes } from 'node:crypto'
import { replaced, type Placeholder } from '#contract/transmissions/variables.ts'
import { escapeHtml } from '../../platform/http/pages/html.ts'
import type { Block } from './markdown.ts'
import { inOneLine, shortened } from '#contract/platform/text/text.ts'

/** What variables stand for; one that is empty or missing has no value. */
export type Values = Readonly<Record<string, string | undefined>>

/** Marks what is filled in later. Nobody can write it, and to Markdown it is a word. */
const secret = `v${randomBytes(16).toString('hex')}`
const wordMark = new RegExp(`${secret}w(\\d+)z`, 'g')
const anyMark = new RegExp(`${secret}([wa])(\\d+)z`, 'g')
const optional = new RegExp(`${secret}b(.*?)${secret}e`, 'gs')

/** No header of a mail is longer. */
const longestSubject = 250

type Text = { subject: string; text: string; html: string }

/** Leaves room for the variables of a text, and fills them in for one person after the other. What is filled in is never read again. */
export function openSlots(known: ReadonlySet<string>) {
  const slots: Placeholder[] = []
  const valueOf = (values: Values, n: string) => {
    const slot = slots[Number(n)]
    return slot ? inOneLine(values[slot.name] ?? '') || inOneLine(slot.fallback ?? '') : ''
  }
  const isEmpty = (values: Values, text: string) =>
    [...text.matchAll(anyMark)].every(([, , n = '']) => valueOf(values, n) === '')
  const without = (values: Values, text: string) =>
    text.replaceAll(optional, (_all, inner: string) => (isEmpty(values, inner) ? '' : inner))
  const written = (values: Values, text: string, write: (value: string) => string) =>
    text.replaceAll(anyMark, (_all, kind: string, n: string) => {
      const value = valueOf(values, n)
      return kind === 'a' ? encodeURIComponent(value) : write(value)
    })
  const plain = (values: Values, text: string) => written(values, text, (value) => value)
  const fillHtml = (html: string, values: Values) => written(values, without(values, html), escapeHtml)
  return {
    mark: (text: string) => replaced(text, known, (one) => `${secret}w${slots.push(one) - 1}z`),
    /** In the address of a link, where a value must not become another part of it. */
    hrefOf: (address: string) => address.replaceAll(wordMark, (_all, n: string) => `${secret}a${n}z`),
    /** What consists of variables alone is left out where all of them are empty. */
    maybe: ({ html, text }: Block): Block =>
      text.replaceAll(wordMark, '').trim() === ''
        ? { html: `${secret}b${html}${secret}e`, text: `${secret}b${text}${secret}e` }
        : { html, text },
    fillHtml,
    filled: ({ subject, text, html }: Text, values: Values): Text => ({
      subject: shortened(inOneLine(plain(values, subject)), longestSubject),
      text: plain(
        values,
        without(values, text)
          .replaceAll(/\n{3,}/g, '\n\n')
          .trim(),
      ),
      html: fillHtml(html, values),
    }),
  }
}
export type Slots = ReturnType<typeof openSlots>
