import { randomUUIDv7 } from 'node:crypto'
import * as z from 'zod/mini'
import { mostCards, type makeCards } from '#contract/cards.ts'
import type { ParsedBody } from '#contract/endpoint.ts'
import { CustomFields } from '#contract/directory/fields.ts'
import { languages, localeOf } from '#contract/platform/text/languages.ts'
import { dueText } from '#contract/platform/text/time-zones.ts'
import { findNamedFields, knownNames, valuesOf, type NamedField } from '../directory/people/variables.ts'
import { openSlots, type Values } from '../documents/mail/filling.ts'
import { blocksOf } from '../documents/mail/markdown.ts'
import { arrayOf, requireRow, row, rows, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import { noteMessage } from '../duty/obligations.ts'
import { requireAccount } from '../transmissions/compose/create.ts'
import { handOver } from '../transmissions/compose/of-assignment.ts'
import { daysOf } from '../directory/organizations/days.ts'
import { isWatchable } from '../transmissions/sender/start.ts'
import { linkHash, personalLink } from '../transmissions/recipients/link.ts'
import { newPin, pinHashes } from './pin.ts'
import type { Card, Cards } from './sheet.ts'
import { takesPart, watchesSignedIn } from '../people.ts'

type Place = { orgId: string; assignmentId: string }
type CardMaker = { caller: Caller; by: Actor; services: Services }

const Source = z.object({
  name: z.string(),
  subject: z.string(),
  message: z.string(),
  videoId: z.string(),
  versionId: z.string(),
  title: z.string(),
  organization: z.string(),
  timeZone: z.string(),
  asksSignIn: z.boolean(),
})
type Source = z.infer<typeof Source>

const Owing = z.object({
  userId: z.string(),
  name: z.string(),
  address: z.string(),
  fields: CustomFields,
  language: z.enum(languages),
  dueAt: z.nullable(z.string()),
})
type Owing = z.infer<typeof Owing>

/** The page offers cards to whoever owes it: since then it has moved on. */
const nobody = () => refuse('conflict', { reason: { code: 'assignment_changed' } })

/**
 * Puts a card for each of these people into the ledger, handed over by the caller, and gives what is printed on them: the PINs are kept nowhere
 * else. Their former cards of this assignment end. Refuses where nobody of them owes it now.
 */
export async function cardsFor(
  tx: Tx,
  { caller, by, services }: CardMaker,
  { orgId, assignmentId, body }: Place & { body: ParsedBody<typeof makeCards> },
): Promise<Cards> {
  const place = { orgId, assignmentId }
  await requireAccount(tx, caller, orgId)
  const source = await sourceOf(tx, place)
  const people = await owingOf(tx, place, body.userIds)
  const cards: Card[] = []
  for (const group of Map.groupBy(people, ({ dueAt }) => dueAt).values())
    cards.push(...(await print(tx, { caller, by, services }, { ...place, source, people: group })))
  await audit(tx, by, {
    organizationId: orgId,
    action: 'assignment.cards_printed',
    entity: 'assignment',
    entityId: assignmentId,
    after: { name: source.name, people: cards.length, format: body.format },
  })
  const { organization, title } = source
  return {
    format: body.format,
    organization,
    product: services.env.productName,
    title,
    cards: cards.toSorted((a, b) => inOrder.compare(a.person, b.person)),
  }
}

/** In one order wherever the server stands; by itself a process takes its order from its surroundings. */
const inOrder = new Intl.Collator('en')

async function sourceOf(tx: Tx, { orgId, assignmentId }: Place): Promise<Source> {
  await requireRow(
    tx,
    Id,
    sql`select id from assignments where id = ${assignmentId} and organization_id = ${orgId}`,
  )
  const found = await row(
    tx,
    Source,
    sql`select a.name, a.subject, a.message, v.id as "videoId", v.current_version_id as "versionId", v.title, z.name as organization,
        z.time_zone as "timeZone", ${watchesSignedIn('z')} as "asksSignIn"
      from assignments a join organizations z on z.id = a.organization_id
        join videos v on v.id = a.video_id and ${isWatchable}
      where a.id = ${assignmentId} and a.organization_id = ${orgId} and a.state = 'active'`,
  )
  if (!found) throw nobody()
  return found
}

async function owingOf(
  tx: Tx,
  { orgId, assignmentId }: Place,
  userIds: readonly string[] | null,
): Promise<Owing[]> {
  const chosen = userIds === null ? sql`true` : sql`u.id = any(${arrayOf([...userIds], 'uuid')})`
  const found = await rows(
    tx,
    Owing,
    sql`select u.id as "userId", u.name, lower(btrim(u.email)) as address, u.custom_fields as fields, coalesce(u.language, z.language) as language, ${isoText(sql`o.due_at`)} as "dueAt"
      from obligations o join organizations z on z.id = o.organization_id
        join users u on u.id = o.user_id and ${takesPart('u')}
      where o.organization_id = ${orgId} and o.assignment_id = ${assignmentId} and o.state = 'open' and ${chosen}
      order by u.id limit ${mostCards + 1}`,
  )
  if (found.length === 0) throw nobody()
  if (found.length > mostCards) throw refuse('validation_failed', { fields: { userIds: ['too_long'] } })
  return found
}

type Printing = Place & { source: Source; people: readonly Owing[] }

/** One transmission of people with the same due day, whose messages are there already. */
async function print(tx: Tx, { caller, by, services }: CardMaker, printing: Printing): Promise<Card[]> {
  const { orgId, assignmentId, source, people } = printing
  const { keys } = services
  const { id: authorId, name: author } = personBehind(caller)
  const { subject, message: body, videoId, versionId, timeZone } = source
  const dueAt = people[0]?.dueAt ?? null
  const days = await daysOf(tx, orgId, { dueAt })
  const made = people.map((person) => {
    const id = randomUUIDv7()
    const pin = newPin()
    const hash = linkHash(keys, id).toString('hex')
    return {
      id,
      pin,
      hash,
      person,
      number: id.slice(-8).toUpperCase(),
      pinHash: pinHashes(keys, id, pin)[0] ?? '',
    }
  })
  const message = { organizationId: orgId, assignmentId, subject, body, videoId, versionId, days, by }
  const transmissionId = await handOver(
    tx,
    { ...message, author: { id: authorId, name: author } },
    made.map(({ id, hash, number, person }) => ({
      id,
      userId: person.userId,
      address: `Card ${number}`,
      linkHash: hash,
    })),
  )
  await keepPins(tx, { orgId, transmissionId, authorId, author }, made)
  await noteMessage(
    tx,
    sql`organization_id = ${orgId} and assignment_id = ${assignmentId} and state = 'open'
      and user_id = any(${arrayOf(
        people.map(({ userId }) => userId),
        'uuid',
      )})`,
  )
  const publicUrl = services.publicUrl()
  const wordsTo = wordsOf(body, await findNamedFields(tx, orgId))
  const same = { organization: source.organization, video: source.title, sender: author }
  return made.map(({ id, pin, hash, person, number }) => {
    const due = dueAt && dueText(dueAt, timeZone, localeOf[person.language])
    return {
      person: person.name,
      language: person.language,
      link: personalLink(keys, { publicUrl, videoId, deliveryId: id, linkHash: hash }),
      pin,
      number,
      asksSignIn: source.asksSignIn,
      due,
      words: wordsTo(person, { ...same, due: due ?? '' }),
    }
  })
}

/** The message as a mail without any form says it, filled in for one person after the other. */
function wordsOf(message: string, fields: readonly NamedField[]) {
  const slots = openSlots(knownNames(fields))
  const blocks = blocksOf(slots.mark(message), {}, slots.hrefOf).map(slots.maybe)
  const text = blocks.map((block) => block.text).join('\n\n')
  return (person: Owing, same: Values) =>
    slots.filled({ subject: '', text, html: '' }, { ...valuesOf(person, fields), ...same }).text
}

type Made = { id: string; pinHash: string; person: Owing }
type Printed = { orgId: string; transmissionId: string; authorId: string; author: string }

async function keepPins(
  tx: Tx,
  { orgId, transmissionId, authorId, author }: Printed,
  made: readonly Made[],
): Promise<void> {
  const list = JSON.stringify(
    made.map(({ id, pinHash, person }) => ({ id, user_id: person.userId, pin: pinHash })),
  )
  await tx.execute(
    sql`insert into cards (delivery_id, organization_id, transmission_id, user_id, pin_hash, handed_by, handed_by_name)
      select g.id, ${orgId}, ${transmissionId}, g.user_id, decode(g.pin, 'hex'), ${authorId}, ${author}
      from jsonb_to_recordset(${list}::jsonb) as g(id uuid, user_id uuid, pin text)`,
  )
}
