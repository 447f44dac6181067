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
import { Id, insertedId } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql } from '../platform/db/sql.ts'
import { refuse } from '../platform/errors.ts'
import { audit, type Actor } from '../platform/http/audit.ts'
import { personBehind, type Caller } from '../platform/http/bearer.ts'
import type { Services } from '../platform/http/services.ts'
import { requireAccount } from '../transmissions/compose/create.ts'
import { daysOf } from '../directory/organizations/days.ts'
import { isWatchable } from '../transmissions/sender/start.ts'
import { linkHash, personalLink } from '../transmissions/recipients/link.ts'
import { newPin, pinHashes } from './pin.ts'
import type { Card, Cards } from './sheet.ts'

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
    cards.push(...(await handOver(tx, { caller, by, services }, { ...place, source, people: group })))
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
        z.time_zone as "timeZone"
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
        join users u on u.id = o.user_id and u.deleted_at is null and u.state not in ('disabled', 'deleted')
      where o.organization_id = ${orgId} and o.assignment_id = ${assignmentId} and o.state = 'open' and ${chosen}
      order by u.id limit ${mostCards + 1}`,
  )
  if (found.length === 0) throw nobody()
  if (found.length > mostCards) throw refuse('validation_failed', { fields: { userIds: ['too_long'] } })
  return found
}

type Handing = Place & { source: Source; people: readonly Owing[] }

/** One transmission of people with the same due day, whose messages are there already. */
async function handOver(tx: Tx, { caller, by, services }: CardMaker, handing: Handing): Promise<Card[]> {
  const { orgId, assignmentId, source, people } = handing
  const { keys } = services
  const { id: authorId, name: author } = personBehind(caller)
  const { subject, message, videoId, versionId, timeZone } = source
  const dueAt = people[0]?.dueAt ?? null
  const days = await daysOf(tx, orgId, { dueAt })
  const audience = {
    userIds: people.map(({ userId }) => userId),
    groupIds: [],
    everyone: false,
    exceptGroupIds: [],
    exceptUserIds: [],
  }
  const transmissionId = await insertedId(
    tx,
    sql`insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience,
        assignment_id, audience_total, scheduled_at, prepared_at, released_at, completed_at, due_at, links_end_at)
      values (${orgId}, 'completed', ${subject}, ${message}, ${videoId}, ${versionId}, ${authorId}, ${author},
        ${JSON.stringify(audience)}::jsonb, ${assignmentId}, ${people.length}, now(), now(), now(), now(), ${days.dueAt}::timestamptz,
        ${days.linksEndAt}::timestamptz) returning id`,
  )
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
  await write(tx, { orgId, assignmentId, transmissionId }, { authorId, author, made })
  await audit(tx, by, {
    organizationId: orgId,
    action: 'transmission.create',
    entity: 'transmission',
    entityId: transmissionId,
    after: { subject, videoId, assignmentId, kind: 'card', dueAt: days.dueAt },
  })
  const publicUrl = services.publicUrl()
  const wordsTo = wordsOf(message, await findNamedFields(tx, orgId))
  const same = { organization: source.organization, video: source.title, sender: author }
  return made.map(({ id, pin, hash, person, number }) => {
    const due = dueAt && dueText(dueAt, timeZone, localeOf[person.language])
    return {
      person: person.name,
      language: person.language,
      link: personalLink(keys, { publicUrl, videoId, deliveryId: id, linkHash: hash }),
      pin,
      number,
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

type Made = { id: string; hash: string; pinHash: string; number: string; person: Owing }
type Written = { authorId: string; author: string; made: readonly Made[] }

/** The new cards, and the end of those that these people had before. */
async function write(
  tx: Tx,
  { orgId, assignmentId, transmissionId }: Place & { transmissionId: string },
  { authorId, author, made }: Written,
): Promise<void> {
  const userIds = made.map(({ person }) => person.userId)
  await tx.execute(
    sql`update deliveries d set link_revoked_at = now(), link_revoked_reason = 'Another card was printed.', updated_at = now()
      from transmissions t where t.id = d.transmission_id and t.organization_id = ${orgId} and t.assignment_id = ${assignmentId}
        and d.organization_id = ${orgId} and d.channel = 'card' and d.link_revoked_at is null
        and d.user_id = any(${arrayOf(userIds, 'uuid')})`,
  )
  const list = JSON.stringify(
    made.map(({ id, hash, pinHash, number, person }) => ({
      id,
      user_id: person.userId,
      address: `Card ${number}`,
      link: hash,
      pin: pinHash,
    })),
  )
  const given = sql`jsonb_to_recordset(${list}::jsonb) as g(id uuid, user_id uuid, address text, link text, pin text)`
  await tx.execute(
    sql`insert into deliveries (id, transmission_id, organization_id, user_id, channel, address, state, link_hash, accepted_at)
      select g.id, ${transmissionId}, ${orgId}, g.user_id, 'card', g.address, 'delivered', decode(g.link, 'hex'), now() from ${given}`,
  )
  await tx.execute(
    sql`insert into cards (delivery_id, organization_id, transmission_id, user_id, pin_hash, handed_by, handed_by_name)
      select g.id, ${orgId}, ${transmissionId}, g.user_id, decode(g.pin, 'hex'), ${authorId}, ${author} from ${given}`,
  )
  await tx.execute(
    sql`update obligations set last_message_at = now(), updated_at = now() where organization_id = ${orgId}
      and assignment_id = ${assignmentId} and state = 'open' and user_id = any(${arrayOf(userIds, 'uuid')})`,
  )
}
