import { knownNames, valuesOf } from '../../directory/people/variables.ts'
import { openSlots } from '../../documents/mail/filling.ts'
import { blocksOf } from '../../documents/mail/markdown.ts'
import type { Watchable } from './queries.ts'

/** In a tab of its own, which learns nothing of the page with the personal link. */
const attributes = { a: ' target="_blank" rel="noopener noreferrer nofollow"' }

/** What the sender wrote to this recipient as HTML, as it stands in their mail; null for everybody else. */
export function letterHtml(video: Watchable, due: string | null): string | null {
  const { words, recipient, address, fields, named, title, sender, organization } = video
  if (words === null || recipient === null || address === null) return null
  const slots = openSlots(knownNames(named ?? []))
  const blocks = blocksOf(slots.mark(words), attributes, slots.hrefOf).map(slots.maybe)
  const person = valuesOf({ name: recipient, address, fields: fields ?? {} }, named ?? [])
  return slots.fillHtml(blocks.map(({ html }) => html).join(''), {
    ...person,
    organization,
    video: title,
    sender: sender ?? '',
    due: due ?? '',
  })
}
