import * as z from 'zod/mini'
import { Audience } from '#contract/transmissions/transmissions.ts'
import { halving, requireBlamed, setAside, tryDue } from '../../platform/aside.ts'
import { hasRow, inSavepoint, row, rows, type Tx } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { applyAllRules } from '../../directory/people/rule-members.ts'
import { lockVideo } from '../../tracking/video-lock.ts'
import { askForApproval, beyondApproval } from '../compose/approval.ts'
import { reached, AudienceMember } from '../compose/audience.ts'
import { isDuty } from '../barred/barred.ts'
import { linkHash } from './link.ts'
import { isSomebodyLeftOut, move, type Key } from '../ledger/states.ts'
import { entryOf, zonesOfLedger } from '../compose/zones.ts'

const chunkSize = 10_000

const People = z.extend(AudienceMember, { deliveryId: z.string() })

const HeldTransmission = z.object({
  audience: z.unknown(),
  cursor: z.nullable(z.string()),
  videoId: z.string(),
  isDue: z.boolean(),
  isDuty: z.boolean(),
})

type KeyedTransmission = z.infer<typeof HeldTransmission> & { key: Key }

/**
 * Puts the next chunk of the audience into the ledger. Cursor and rows commit together, so a crash repeats nothing. Returns false when
 * another process does it.
 */
export async function prepareChunk(services: Services, key: Key): Promise<boolean> {
  return services.db.as({ organizationId: key.organizationId }, async (tx) => {
    const held = await hold(tx, key, sql`t.state = 'preparing' for update skip locked`)
    if (!held) return false
    const after = held.cursor === null ? sql`` : sql`and u.id > ${held.cursor}`
    const entries = await entriesOf(tx, held, sql`${after} order by u.id limit ${chunkSize}`)
    await enterApart(tx, services, entries)
    if (entries.people.length < chunkSize) await finish(tx, key)
    return true
  })
}

async function hold(tx: Tx, key: Key, which: SQL): Promise<KeyedTransmission | undefined> {
  const held = await row(
    tx,
    HeldTransmission,
    sql`select t.audience, t.prepare_cursor as cursor, t.video_id as "videoId", t.due_at is not null as "isDue", ${isDuty} as "isDuty"
      from transmissions t where t.id = ${key.id} and t.organization_id = ${key.organizationId} and ${which}`,
  )
  if (!held) return undefined
  await applyAllRules(tx, key.organizationId)
  // The video is locked, so that nobody completes it unseen while it is written down who owes it.
  if (held.isDue) await lockVideo(tx, held.videoId)
  return { ...held, key }
}

type LedgerEntries = {
  key: Key
  people: readonly z.infer<typeof People>[]
  channel: 'email' | 'webhook'
}

async function entriesOf(
  tx: Tx,
  { key, isDuty: owed, ...held }: KeyedTransmission,
  which: SQL,
): Promise<LedgerEntries> {
  const audience = Audience.parse(held.audience)
  const people = await rows(
    tx,
    People,
    sql`select uuidv7() as "deliveryId", r.* from (${reached({ ...key, audience, isDuty: owed }, { transmissionId: key.id, which })}) r order by r.id`,
  )
  return { key, people, channel: audience.channel ?? 'email' }
}

/** Somebody who cannot be entered is set aside in the same transaction, so that nobody is lost, and holds up nobody else. */
async function enterApart(
  tx: Tx,
  services: Services,
  { key, people, channel }: LedgerEntries,
): Promise<void> {
  const { id, organizationId } = key
  await halving(people, {
    work: (some) => inSavepoint(tx, () => enter(tx, services, { key, people: some, channel })),
    blame: (one, error) => {
      const input = JSON.stringify({ id, userId: one.id })
      return setAside(tx, { loop: 'sending', item: `${id} ${one.id}`, organizationId, input }, error)
    },
  }).catch((error: unknown) => {
    requireBlamed(error)
    services.log.error(
      { err: error, transmission: id },
      'somebody could not be put on the list of recipients',
    )
  })
  await tx.execute(
    sql`update transmissions set prepare_cursor = coalesce(${people.at(-1)?.id ?? null}::uuid, prepare_cursor)
      where id = ${id} and organization_id = ${organizationId}`,
  )
}

const LeftOut = z.object({ id: z.string(), userId: z.string() })
const isOpen = sql`t.state not in ('completed', 'cancelled', 'failed') for update`

/** Tries those again who could not be entered. They get nothing of a transmission that has ended meanwhile. */
export async function enterLeftOut(services: Services): Promise<void> {
  await tryDue(services.db, { loop: 'sending' }, async ({ organizationId, input }) => {
    const { id, userId } = LeftOut.parse(JSON.parse(input))
    const key = { id, organizationId: organizationId ?? '' }
    await services.db.as({ organizationId: key.organizationId }, async (tx) => {
      const held = await hold(tx, key, isOpen)
      if (!held) return
      await enter(tx, services, await entriesOf(tx, held, sql`and u.id = ${userId}`))
      await tx.execute(
        sql`update transmissions set zones = ${zonesOfLedger(key)} where id = ${id} and organization_id = ${key.organizationId}`,
      )
    })
  })
}

async function enter(tx: Tx, services: Services, { key, people, channel }: LedgerEntries): Promise<void> {
  const records = people.map(({ deliveryId, id, address, reason }) => {
    const hash = linkHash(services.keys, deliveryId).toString('hex')
    return { id: deliveryId, user_id: id, address, reason, hash }
  })
  const entered = await tx.execute(
    sql`insert into deliveries (id, transmission_id, organization_id, user_id, channel, address, state, reason, link_hash, time_zone, due_at)
      select g.id, ${key.id}, ${key.organizationId}, g.user_id, ${channel}, g.address,
        case when g.reason is null then 'queued' else 'skipped' end, g.reason, decode(g.hash, 'hex'), e.zone, e.due_at
      from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as g(id uuid, user_id uuid, address text, reason text, hash text)
        cross join lateral ${entryOf(key)} e
      on conflict do nothing returning 1`,
  )
  await tx.execute(
    sql`update transmissions set audience_total = audience_total + ${entered.rowCount}
      where id = ${key.id} and organization_id = ${key.organizationId}`,
  )
}

/** Fixes the total. Where it goes beyond what was approved, nothing leaves until somebody approves exactly this list. */
async function finish(tx: Tx, key: Key): Promise<void> {
  await tx.execute(
    sql`update transmissions set prepared_at = now(), zones = ${zonesOfLedger(key)} where id = ${key.id} and organization_id = ${key.organizationId}`,
  )
  const waiting = await hasRow(
    tx,
    sql`select 1 from transmission_counts where transmission_id = ${key.id} and state = 'queued' and n > 0
      union all select 1 where ${isSomebodyLeftOut(sql`${key.id}`)}`,
  )
  const from = ['preparing'] as const
  if (!waiting) {
    await move(tx, key, { from, to: 'failed', reason: 'no_recipients', by: 'system' })
    return
  }
  const beyond = await beyondApproval(tx, key)
  if (!beyond) {
    await move(tx, key, { from, to: 'sending', by: 'system' })
    return
  }
  const { reason, recipients } = beyond
  if (await move(tx, key, { from, to: 'held', reason, note: { recipients }, by: 'system' }))
    await askForApproval(tx, key, beyond)
}
