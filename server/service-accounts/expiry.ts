import * as z from 'zod/mini'
import { alertLimits } from '#contract/platform/alerts.ts'
import { localeOf, type Language } from '#contract/platform/text/languages.ts'
import { queueNotice } from '../identity/notices.ts'
import { isActive } from '../people.ts'
import { eachApart } from '../platform/aside.ts'
import { row, rows, type Tx } from '../platform/db/client.ts'
import { Id } from '../platform/db/rows.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import { isAnswered } from '../platform/http/keys.ts'
import type { Services } from '../platform/http/services.ts'

/** So many days before the end of a token somebody is told, once each; null while both lie ahead. */
export const stageOf = (end: SQL): SQL => sql`(case when ${end} <= now() + interval '1 day' then 1
  when ${end} <= now() + make_interval(days => ${alertLimits.keyDays}) then ${alertLimits.keyDays} end)::smallint`

const from = sql`service_accounts a join users u on u.id = a.owner_id
  left join organizations w on w.id = u.organization_id left join organizations o on o.id = a.organization_id`

/** Of the present token `t` of a key `a`. Where the organization is switched off, nobody could do anything about it. */
const isDue = sql`t.account_id = a.id and t.replaced_until is null and a.revoked_at is null and t.expires_at > now()
  and coalesce(t.told_days > ${stageOf(sql`t.expires_at`)}, t.told_days is null and ${stageOf(sql`t.expires_at`)} is not null)
  and (a.organization_id is null or (o.state = 'active' and o.deleted_at is null))`

/** Tells of keys that expire soon: each stage of each key once, however many servers look at the same time. */
export async function tellOfExpiry(services: Services): Promise<void> {
  const { db } = services
  const due = await rows(
    db.single,
    Id,
    sql`select a.id from ${from} join service_tokens t on ${isDue} order by t.expires_at, a.id`,
  )
  const nameOf = ({ id }: { id: string }) => ({ item: `key ${id}` })
  await eachApart({ db, loop: 'housekeeping', nameOf }, due, ({ id }) =>
    db.as('system', (tx) => tellOne(services, tx, id)),
  )
}

const Person = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  organizationId: z.nullable(z.string()),
})

const ExpiringKey = z.object({
  name: z.string(),
  organizationId: z.nullable(z.string()),
  organizationName: z.nullable(z.string()),
  timeZone: z.nullable(z.string()),
  expiresAt: z.string(),
  owner: Person,
  isAnswered: z.boolean(),
})
type ExpiringKey = z.infer<typeof ExpiringKey>

/** That somebody was told is written in the transaction of the mails, so that neither is there without the other. */
async function tellOne(services: Services, tx: Tx, keyId: string): Promise<void> {
  const key = await row(
    tx,
    ExpiringKey,
    sql`update service_tokens t set told_days = ${stageOf(sql`t.expires_at`)} from ${from} where a.id = ${keyId} and ${isDue}
      returning a.name, a.organization_id as "organizationId", o.name as "organizationName", o.time_zone as "timeZone",
        ${isoText(sql`t.expires_at`)} as "expiresAt", ${isAnswered} as "isAnswered",
        json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'organizationId', u.organization_id) as owner`,
  )
  if (!key) return
  const facts = factsOf(services, key)
  if (key.isAnswered) {
    await queueNotice(services, tx, { person: key.owner, event: 'key_expires', facts })
    return
  }
  for (const person of await administratorsOf(tx, key))
    await queueNotice(services, tx, { person, event: 'key_without_owner_expires', facts })
}

/** The day is that of the organization, as where it was chosen. */
function factsOf(services: Services, { name, owner, expiresAt, ...key }: ExpiringKey) {
  const { organizationId, organizationName, timeZone } = key
  const where = organizationId === null ? '' : `&organization=${organizationId}`
  return (language: Language) => ({
    what: name,
    place: organizationName ?? services.env.productName,
    owner: owner.name,
    day: new Intl.DateTimeFormat(localeOf[language], {
      dateStyle: 'long',
      timeZone: timeZone ?? 'UTC',
    }).format(new Date(expiresAt)),
    address: `${services.publicUrl()}/settings?tab=keys${where}`,
  })
}

/** Those who can put somebody else in the place of an owner who has left. */
const administratorsOf = (tx: Tx, { organizationId }: ExpiringKey) =>
  rows(
    tx,
    Person,
    sql`select u.id, u.name, u.email, u.organization_id as "organizationId" from users u
      where u.deleted_at is null and ${isActive('u')} and u.organization_id is not distinct from ${organizationId}::uuid
        and u.role = ${organizationId === null ? 'superadmin' : 'admin'} order by u.id`,
  )
