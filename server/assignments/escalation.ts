import * as z from 'zod/mini'
import { lacking } from '#contract/duty/lacking.ts'
import { languages, localeOf, type Language } from '#contract/platform/text/languages.ts'
import { roles } from '#contract/roles.ts'
import { showsPersons } from '../directory/organizations/privacy.ts'
import type { MailBrand, Text } from '../documents/mail/page.ts'
import { button, heading, small, strong, words, type Part } from '../documents/mail/parts.ts'
import { senderOfMails } from '../identity/mail-brand.ts'
import { greeting, mailOf } from '../identity/mails.ts'
import { eachApart, isFree } from '../platform/aside.ts'
import { arrayOf, hasRow, rows, type Tx } from '../platform/db/client.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { queueMails, type Mail } from '../platform/jobs/mail.ts'
import { sayIn } from '../platform/messages.ts'
import { isExcused } from '../duty/obligations.ts'
import { bars } from '../transmissions/barred/barred.ts'
import { today } from '../directory/organizations/days.ts'
import { isCovered, lacks, seenMs } from '../duty/owed.ts'
import { isActive, takesPart } from '../people.ts'

type Escalating = Pick<Services, 'db' | 'env' | 'jobs' | 'publicUrl'>

/** One transaction takes as many readers as this. */
const batch = 200
/** One mail names as many people as this; of the others it says how many there are. */
const mostNamed = 50
const betweenLooksMs = 60_000

const Item = z.object({
  userId: z.string(),
  person: z.string(),
  assignment: z.string(),
  dueDay: z.nullable(z.string()),
  askedDay: z.nullable(z.string()),
  /** This is the share of the video that is missing; it is null where it may not be told, or where the length is unknown. */
  missing: z.nullable(z.number()),
  lacks: z.nullable(z.enum(lacking)),
})
type Item = z.infer<typeof Item>

const ReaderRow = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string(),
  role: z.nullable(z.enum(roles)),
  isActive: z.boolean(),
  language: z.nullable(z.enum(languages)),
  organization: z.string(),
  /** This is the day in the zone of the organization. */
  today: z.string(),
  items: z.array(Item),
})
type Reader = z.infer<typeof ReaderRow>

/** Somebody whose reports wait to be counted may be done already, and is not named before they are. */
const isCounted = sql`o.counted and not exists (select from track_batches b where b.video_id = o.video_id and not b.folded
  and b.claims->>'viewerKey' in ('recipient:' || o.user_id, 'user:' || o.user_id))`

/**
 * Finds the people who have been late for as many days as the assignment waits. The days count from the due day, or from the first message
 * where there is none.
 */
const lateIn = (
  orgId: string,
): SQL => sql`select o.id, o.user_id, u.name as person, u.called, u.manager, a.name as assignment,
    a.escalation ->> 'to' as told, a.created_by, d.due_day, d.asked_day, ${today} as today,
    case when not ${isCovered} and vv.duration_ms > 0 and ${showsPersons(sql`o.organization_id`)}
      then greatest(0, vv.duration_ms - ${seenMs})::float8 / vv.duration_ms end as missing,
    ${lacks} as lacks
  from obligations o
    join assignments a on a.id = o.assignment_id and a.organization_id = o.organization_id and a.state = 'active' and a.escalation is not null
    join organizations z on z.id = o.organization_id and z.state = 'active' and z.deleted_at is null
    join users u on u.id = o.user_id and u.organization_id = o.organization_id and ${takesPart('u')}
    join videos v on v.id = o.video_id and v.deleted_at is null left join video_versions vv on vv.id = v.current_version_id
    cross join lateral (select (o.due_at at time zone z.time_zone)::date as due_day,
      (select min(m.slot) from obligation_messages m where m.obligation_id = o.id) as asked_day) d
  where o.organization_id = ${orgId} and o.state = 'open' and not ${isExcused} and ${isCounted}
    and coalesce(d.due_day, d.asked_day) + (a.escalation ->> 'afterDays')::int <= ${today}`

/** This condition on `users m` holds when a mail reaches them. */
const isReached = (orgId: string): SQL => sql`${takesPart('m')} and m.email like '%@%'
  and not ${bars({ organizationId: sql`${orgId}`, userId: sql`m.id`, address: sql`lower(m.email)`, isDuty: sql`false` })}`

/**
 * Pairs each person who is late with the one who is told: their manager, else their group administrators, else the author of the
 * assignment.
 */
const toldIn = (
  orgId: string,
): SQL => sql`managers as (select distinct on (l.id) l.id, m.id as reader_id from late l
      join users m on m.organization_id = ${orgId} and (lower(m.email) = lower(l.manager) or m.external_id = l.manager)
        and m.id <> l.user_id and ${isReached(orgId)}
    where l.told = 'manager' order by l.id, lower(m.email) = lower(l.manager) desc, m.id),
  admins as (select distinct l.id, m.id as reader_id from late l
      join group_members i on i.organization_id = ${orgId} and i.user_id = l.user_id
      join groups g on g.id = i.group_id and g.deleted_at is null
      join group_members h on h.group_id = i.group_id and h.groupadmin
      join users m on m.id = h.user_id and m.organization_id = ${orgId} and m.role = 'groupadmin' and ${isActive('m')}
        and m.id <> l.user_id and ${isReached(orgId)}
    where not exists (select from managers x where x.id = l.id)),
  authors as (select l.id, m.id as reader_id from late l
      join users m on m.id = l.created_by and (m.organization_id = ${orgId} or m.role = 'superadmin') and m.role is not null
        and ${isReached(orgId)}
    where not exists (select from managers x where x.id = l.id) and not exists (select from admins x where x.id = l.id)),
  told as (select * from managers union all select * from admins union all select * from authors)`

function readersIn(tx: Tx, orgId: string): Promise<Reader[]> {
  return rows(
    tx,
    ReaderRow,
    sql`with late as materialized (${lateIn(orgId)}), ${toldIn(orgId)}
      select m.id, m.name, m.email as address, m.role, ${isActive('m')} as "isActive", coalesce(m.language, z.language) as language,
        z.name as organization, ${today}::text as today,
        json_agg(json_build_object('userId', l.user_id, 'person', l.person, 'assignment', l.assignment, 'dueDay', l.due_day,
          'askedDay', l.asked_day, 'missing', l.missing, 'lacks', l.lacks) order by l.called, l.user_id, l.due_day, l.id) as items
      from told t join late l on l.id = t.id join users m on m.id = t.reader_id join organizations z on z.id = ${orgId}
      where not exists (select from escalation_digests e where e.reader_id = t.reader_id and e.organization_id = ${orgId} and e.day = l.today)
        and ${isFree('late_digests', sql`${orgId}::text || ' ' || m.id`)}
      group by m.id, z.id order by m.id limit ${batch}`,
  )
}

const shareOf = (language: Language, missing: number): string =>
  new Intl.NumberFormat(localeOf[language], { style: 'percent' }).format(Math.ceil(missing * 100) / 100)

function lineOf(language: Language, { assignment, dueDay, askedDay, missing, lacks }: Item): string {
  const say = sayIn(language, 'late')
  const day = new Intl.DateTimeFormat(localeOf[language], { dateStyle: 'long', timeZone: 'UTC' })
  const on = (given: string | null) => day.format(new Date(given ?? 0))
  const what = dueDay
    ? say('line', { assignment, day: on(dueDay) })
    : say('lineAsked', { assignment, day: on(askedDay) })
  if (lacks !== null && lacks !== 'viewing') return `${what} ${say(lacks)}`
  return missing === null ? what : `${what} ${say('missing', { share: shareOf(language, missing) })}`
}

/**
 * Returns the address of a page on which this reader sees these people and nobody else; undefined for somebody without a role, who has no
 * such page.
 */
function addressFor(
  { role, isActive, today, items }: Reader,
  { origin, orgId }: { origin: string; orgId: string },
) {
  if (role === null || !isActive) return undefined
  const query = new URLSearchParams({
    ...(role === 'superadmin' ? { organization: orgId } : {}),
    // The matrix calls somebody late by a due day alone.
    ...(items.every(({ dueDay }) => dueDay !== null) ? { state: 'overdue' } : {}),
    toldOn: today,
  }).toString()
  return `${origin}/reports/training-matrix?${query}`
}

function peopleParts(language: Language, items: readonly Item[]): Part[] {
  return [...Map.groupBy(items, ({ userId }) => userId).values()].slice(0, mostNamed).flatMap((own) => {
    const name = own[0]?.person ?? ''
    const text = own.map((item) => lineOf(language, item)).join('\n')
    return [strong(name, 16), { html: words(text).html, text: `${name}\n${text}` }]
  })
}

type Frame = { env: Services['env']; brand: MailBrand; url: string | undefined }

function digest(reader: Reader, { env, brand, url }: Frame): Text {
  const { name, organization, items } = reader
  const language = reader.language ?? 'en'
  const say = sayIn(language, 'late')
  const count = namedIn(reader).length
  const subject = say('subject', { count, organization })
  return mailOf(env, {
    language,
    subject,
    brand,
    parts: [
      heading(subject),
      words(greeting(sayIn(language, 'account'), name)),
      words(say('lead', { count })),
      ...peopleParts(language, items),
      ...(count > mostNamed ? [words(say('more', { count: count - mostNamed }))] : []),
      ...(url ? [button({ label: say('open'), url })] : []),
      small(say('end')),
    ],
  })
}

const namedIn = ({ items }: Reader): string[] => [...new Set(items.map(({ userId }) => userId))]

/** Tells as many readers as one transaction takes. Returns true where it took so many that there may be more. */
async function tellAll(services: Escalating, orgId: string): Promise<boolean> {
  const { length } = await services.db.as('system', async (tx) => {
    const readers = await readersIn(tx, orgId)
    await tell(services, tx, { orgId, readers })
    return readers
  })
  return length === batch
}

/** Tells each reader in a transaction of their own, once it has failed for all of them together. */
async function tellEach(services: Escalating, orgId: string): Promise<void> {
  const { db } = services
  const readers = await db.as('system', (tx) => readersIn(tx, orgId))
  const nameOf = ({ id }: Reader) => ({ item: `${orgId} ${id}`, organizationId: orgId })
  await eachApart({ db, loop: 'late_digests', nameOf }, readers, (reader) =>
    db.as('system', (tx) => tell(services, tx, { orgId, readers: [reader] })),
  )
}

async function tell(
  services: Escalating,
  tx: Tx,
  { orgId, readers }: { orgId: string; readers: readonly Reader[] },
): Promise<void> {
  const { brand, senderName } = await senderOfMails(tx, services, orgId)
  const mails: Mail[] = []
  for (const reader of readers) {
    // A process that plans at the same time waits here, and then finds the row.
    const isFirst = await hasRow(
      tx,
      sql`insert into escalation_digests (organization_id, reader_id, day, named)
        values (${orgId}, ${reader.id}, ${reader.today}::date, ${arrayOf(namedIn(reader), 'uuid')})
        on conflict do nothing returning reader_id as id`,
    )
    if (!isFirst) continue
    const url = addressFor(reader, { origin: services.publicUrl(), orgId })
    const mail = digest(reader, { env: services.env, brand, url })
    mails.push({ organizationId: orgId, address: reader.address, senderName, ...mail })
  }
  await queueMails(services, tx, mails)
}

const Organization = z.object({ id: z.string() })

/**
 * Tells each manager and groupadmin once a day, from the hour at which mails of a day begin there, who of theirs is late. The mails and
 * the rows that say so are one transaction: no second planner and no crash sends one twice.
 */
export async function escalateLate(services: Escalating): Promise<void> {
  const organizations = await rows(
    services.db.single,
    Organization,
    sql`select distinct a.organization_id as id from assignments a join organizations z on z.id = a.organization_id and z.state = 'active'
      and z.deleted_at is null where a.state = 'active' and a.escalation is not null order by 1`,
  )
  const nameOf = ({ id }: z.infer<typeof Organization>) => ({ item: id, organizationId: id })
  await eachApart(
    { db: services.db, loop: 'late_digests', nameOf },
    organizations,
    async ({ id }, hasFailed) => {
      if (hasFailed) await tellEach(services, id)
      while (await tellAll(services, id));
    },
  )
}

/** Wraps `escalateLate` for a loop that turns more often. */
export function escalatingEachMinute(services: Escalating): () => Promise<void> {
  let next = 0
  return async () => {
    if (Date.now() < next) return
    await escalateLate(services)
    next = Date.now() + betweenLooksMs
  }
}
