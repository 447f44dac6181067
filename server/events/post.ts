import * as z from 'zod/mini'
import { row, rows, type Database, type Tx } from '../platform/db/client.ts'
import { livingKeys, lockKey } from '../platform/db/heartbeat.ts'
import { isoText } from '../platform/db/search.ts'
import { sql, type SQL } from '../platform/db/sql.ts'
import type { Services } from '../platform/http/services.ts'
import { post, type Answer, type Target } from '../webhooks/post.ts'
import { targetOf } from './addresses.ts'
import { eventBody } from './body.ts'

/** An address with something to post. `isFailing`: it took nothing the last time. */
export const Busy = z.object({ id: z.string(), organizationId: z.string(), isFailing: z.boolean() })
export type Busy = z.infer<typeof Busy>

/** So many subjects are posted about at once to one address. */
const mostLines = 8
/** Of one subject before others have their turn. */
const mostOfOne = 20
/** After this time of tries an event is set aside. */
const givenUpAfter = sql`interval '3 days'`
/** Longest pauses between two tries: of one event, and of all of an address that takes nothing. */
const longest = { event: 3_600, address: 300 }

const Line = z.object({ subject: z.string(), added: z.number() })
type Line = z.infer<typeof Line>
type Held = Busy & Line & { token: string; target: Target }

/** Takes lines of an address and posts what waits in them. False: others have taken all of them. */
export async function postSome(services: Services, busy: Busy, token: string): Promise<boolean> {
  const { db } = services
  const scope = { organizationId: busy.organizationId }
  const { target, lines } = await db.as(scope, async (tx) => ({
    target: await targetOf(tx, services, { orgId: busy.organizationId, eventAddressId: busy.id }),
    lines: await take(tx, busy, token),
  }))
  if (!target || lines.length === 0) return false
  // One that cannot be worked on is held until this process ends or has freed it; the rest goes on.
  const ended = await Promise.allSettled(
    lines.map((line) => postLine(services, { ...busy, ...line, token, target })),
  )
  const failed = ended.filter((one) => one.status === 'rejected')
  if (failed.length > 0) {
    await db.as(scope, (tx) =>
      tx.execute(
        sql`update event_lines set token = null, due_at = now() + interval '10 seconds' where address_id = ${busy.id} and token = ${token}`,
      ),
    )
    throw new AggregateError(failed.map(({ reason }) => reason as unknown))
  }
  return true
}

function take(tx: Tx, { id, isFailing }: Busy, token: string): Promise<Line[]> {
  return rows(
    tx,
    Line,
    sql`update event_lines l set token = ${token} from (select address_id, subject from event_lines where address_id = ${id}
        and token is null and due_at <= now() order by due_at limit ${isFailing ? 1 : mostLines} for update skip locked) t
      where l.address_id = t.address_id and l.subject = t.subject returning l.subject, l.added`,
  )
}

const ofLine = ({ id, subject, token }: Held): SQL =>
  sql`address_id = ${id} and subject = ${subject} and token = ${token}`

const Next = z.object({
  id: z.string(),
  eventId: z.string(),
  type: z.string(),
  at: z.string(),
  data: z.unknown(),
})
type Next = z.infer<typeof Next>

/** Posts what waits in a line, the oldest first, until one of them is not taken. */
async function postLine({ db, env }: Services, held: Held): Promise<void> {
  const scope = { organizationId: held.organizationId }
  const next = () => db.as(scope, (tx) => oldest(tx, held))
  let found = await next()
  for (let n = 0; found && n < mostOfOne; n += 1) {
    const posted = found
    const message = { ...held.target, id: posted.eventId, body: eventBody(posted) }
    const answer = await post(env, message, async () => true)
    if (!answer || !(await db.as(scope, (tx) => settle(tx, { held, posted, answer })))) return
    found = await next()
  }
  await db.as(scope, (tx) => leave(tx, held, found === undefined))
}

const oldest = (tx: Tx, { id, subject }: Held): Promise<Next | undefined> =>
  row(
    tx,
    Next,
    sql`select p.id, p.event_id as "eventId", e.type, ${isoText(sql`e.at`)} as at, e.data from event_posts p join events e on e.id = p.event_id
      where p.address_id = ${id} and p.subject = ${subject} and p.state = 'waiting' order by p.place limit 1`,
  )

/** A line that is empty goes, unless something has come into it meanwhile. */
async function leave(tx: Tx, held: Held, isEmpty: boolean): Promise<void> {
  if (isEmpty) await tx.execute(sql`delete from event_lines where ${ofLine(held)} and added = ${held.added}`)
  await tx.execute(sql`update event_lines set token = null, due_at = now() where ${ofLine(held)}`)
}

type Settling = { held: Held; posted: Next; answer: Answer }
const Settled = z.object({ isAside: z.boolean(), tries: z.number() })

/**
 * Writes down what came back. True: it goes on with the next of the line, because this one was taken, or was refused for three days. Who
 * does not hold the line any more writes nothing: whoever holds it now posts the same once more.
 */
async function settle(tx: Tx, { held, posted, answer }: Settling): Promise<boolean> {
  const { result, status, text, restSeconds = 0 } = answer
  const isTaken = result === 'accepted'
  const shown = status === null ? null : text
  const settled = await row(
    tx,
    Settled,
    sql`with held as (select address_id from event_lines where ${ofLine(held)} for update)
      update event_posts p set tries = p.tries + 1, first_try_at = coalesce(p.first_try_at, now()), last_try_at = now(),
        result = ${result}, status = ${status}, answer = ${shown},
        state = case when ${isTaken} then 'taken' when p.first_try_at < now() - ${givenUpAfter} then 'aside' else 'waiting' end
      from held where p.id = ${posted.id} and p.address_id = held.address_id
      returning p.state = 'aside' as "isAside", p.tries`,
  )
  if (!settled) return false
  // Who refuses one event answers.
  if (isTaken || result === 'refused') await resume(tx, held)
  else await rest(tx, held, { fault: result, seconds: restSeconds })
  if (isTaken || settled.isAside) return true
  const pause = sql`least(${longest.event}, greatest(${restSeconds}::float8, 5 * power(2, least(${settled.tries - 1}, 10))))`
  await tx.execute(
    sql`update event_lines set token = null, due_at = now() + ${pause} * interval '1 second' where ${ofLine(held)}`,
  )
  return false
}

/** The address takes nothing: it is left alone, longer each time, and is then tried with one event. Once per wave, as all fail together. */
async function rest(
  tx: Tx,
  { id, organizationId }: Busy,
  { fault, seconds }: { fault: string; seconds: number },
): Promise<void> {
  await tx.execute(
    sql`update event_addresses set failures = failures + 1, failing_since = coalesce(failing_since, now()), fault = ${fault},
        rests_until = now() + least(${longest.address}, greatest(${seconds}::float8, power(2, least(failures, 10)))) * interval '1 second'
      where organization_id = ${organizationId} and id = ${id} and coalesce(rests_until, '-infinity') < now()`,
  )
}

/** It answers again, and what rested because it did not is due. */
async function resume(tx: Tx, { id, organizationId, isFailing }: Busy): Promise<void> {
  if (!isFailing) return
  const { rowCount } = await tx.execute(
    sql`update event_addresses set failures = 0, failing_since = null, fault = null, rests_until = null
      where organization_id = ${organizationId} and id = ${id} and failures > 0`,
  )
  if (rowCount)
    await tx.execute(
      sql`update event_lines set due_at = now() where (address_id, subject) in (select address_id, subject from event_lines
        where address_id = ${id} and token is null and due_at > now() order by subject for update skip locked)`,
    )
}

/** Frees what processes hold that live no more. */
export const freeLost = ({ single }: Pick<Database, 'single'>) =>
  single.execute(
    sql`with living as materialized (${livingKeys('sendingWorker')})
      update event_lines set token = null, due_at = now()
      where token is not null and ${lockKey(sql`token`)} not in (select objid from living)`,
  )
