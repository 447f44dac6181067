import * as z from 'zod/mini'
import type { AsideLoop } from '#contract/platform/aside.ts'
import { storable } from '#contract/platform/text/text.ts'
import { arrayOf, rows, type Database, type Tx } from './db/client.ts'
import { outageOf } from './db/outage.ts'
import { sql, type SQL } from './db/sql.ts'
import { causeOf, failuresIn, toTheEnd } from './failures.ts'

/** A list that is worked on item by item, and how its items are called. */
export type ItemLoop<T> = { db: Database; loop: AsideLoop; nameOf: (item: T) => NamedItem }
export type NamedItem = {
  /** Ids, with spaces between them. */
  item: string
  organizationId?: string | null
  /** As JSON, where nothing else knows what is to be done. */
  input?: string
}

const Known = z.object({ item: z.string(), rests: z.boolean() })

/**
 * Works on each item. One that fails is set aside and the rest goes on; it is tried once more at the next turn, and then at growing
 * intervals, during which it is stepped over. `hasFailed` tells that it is such a one, so that it can be worked on in parts: where only
 * parts fail, which are set aside themselves, it is not. What failed is thrown when all have had their turn. Without a database nothing
 * is anybody's fault: that is thrown at once.
 */
export async function eachApart<T>(
  list: ItemLoop<T>,
  items: readonly T[],
  work: (item: T, hasFailed: boolean) => Promise<unknown>,
): Promise<void> {
  if (items.length === 0) return
  const { db, loop, nameOf } = list
  const known = await knownOf(db, loop)
  const turns = items.map((one) => async () => {
    const named = nameOf(one)
    const rests = known.get(named.item)
    if (rests === true) return
    await reportingFailures(
      () => work(one, rests === false),
      (error) => setAside(db.single, { loop, ...named }, error),
    )
    if (rests === false) await forget(db.single, loop, named.item)
  })
  await toTheEnd(turns)
}

/** Everything of a list that was set aside, and whether it still rests. */
async function knownOf({ single }: Database, loop: AsideLoop): Promise<Map<string, boolean>> {
  const found = await rows(
    single,
    Known,
    sql`select item, next_try_at > now() as rests from set_aside where loop = ${loop}`,
  )
  return new Map(found.map(({ item, rests }) => [item, rests]))
}

/** Failures of what is set aside already: whoever has it as a part is not to blame. */
const blamed = new WeakSet<Error>()
const isBlamed = (error: unknown) => error instanceof Error && blamed.has(error)

/** Throws, unless everything that failed was set aside or given up by itself. */
export function requireBlamed(error: unknown): void {
  if (!failuresIn(error).every(isBlamed)) throw error
}

/** Fails as the work does, once `blame` was told, unless a part of the work was to blame. */
async function reportingFailures(
  work: () => Promise<unknown>,
  blame: (error: unknown) => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const failures = failuresIn(error)
    if (!outageOf(error) && !failures.every(isBlamed)) await blame(error)
    for (const one of failures) if (one instanceof Error) blamed.add(one)
    throw error
  }
}

type Matter = NamedItem & { loop: AsideLoop }

/** The first time is none yet: most of what fails once does not fail again. */
const nextTry = sql`now() + least(interval '1 hour', interval '30 seconds' * power(2, least(set_aside.tries, 10) - 1))`

/** Written down as it comes, whatever is odd about it: the text of a cause may be what the database refused. */
export async function setAside(
  tx: Tx,
  { loop, item, organizationId = null, input }: Matter,
  error: unknown,
): Promise<void> {
  await tx.execute(
    sql`insert into set_aside (loop, item, organization_id, reason, input)
      values (${loop}, ${storable(item)}, ${organizationId}, left(${causeOf(error)}, 300), ${input ?? null})
      on conflict (loop, item) do update set tries = set_aside.tries + 1, last_at = now(), reason = excluded.reason, next_try_at = ${nextTry}`,
  )
}

async function forget(tx: Tx, loop: AsideLoop, item: string): Promise<void> {
  await tx.execute(sql`delete from set_aside where loop = ${loop} and item = ${item}`)
}

/** Lists that are looked at all the time: of what fails there once most does not fail again. */
const tireless: readonly AsideLoop[] = [
  'evidence',
  'evidence_checks',
  'figures',
  'assignments',
  'newcomers',
  'assignment_messages',
  'late_digests',
  'sending',
  'events',
]

/** Condition on `set_aside s`: it is no matter of a moment. */
export const isTold = sql`(s.tries > 1 or s.loop <> all(${arrayOf(tireless, 'text')}))`

/** Condition for a list that is cut: what rests takes nobody's place in it. */
export const isFree = (loop: AsideLoop, item: SQL): SQL =>
  sql`not exists (select from set_aside s where s.loop = ${loop} and s.item = ${item} and s.next_try_at > now())`

const DueItem = z.object({ item: z.string(), organizationId: z.nullable(z.string()), input: z.string() })
type DueItem = z.infer<typeof DueItem>

/** Tries again what nothing but its row knows, once its time has come; `start`: with which the names of these items begin. */
export async function tryDue(
  db: Database,
  { loop, start = '' }: { loop: AsideLoop; start?: string },
  work: (due: DueItem) => Promise<unknown>,
): Promise<void> {
  const due = await rows(
    db.single,
    DueItem,
    sql`select item, organization_id as "organizationId", input from set_aside
      where loop = ${loop} and input is not null and starts_with(item, ${start}) and next_try_at <= now() order by next_try_at limit 100`,
  )
  const nameOf = ({ item, organizationId }: DueItem) => ({ item, organizationId })
  await eachApart({ db, loop, nameOf }, due, work)
}

type Blaming<T> = {
  /** So many are to blame at most: where more fail, it is not them. */
  most?: number
  work: (some: readonly T[]) => Promise<unknown>
  /** Sets aside the one that fails by itself. */
  blame: (one: T, error: unknown) => Promise<unknown>
}

/** Works on all together, and where that fails on their halves, down to those that fail by themselves; these are thrown at the end. */
export async function halving<T>(items: readonly T[], { most = 20, work, blame }: Blaming<T>): Promise<void> {
  let count = 0
  async function halve(some: readonly T[]): Promise<void> {
    const [first] = some
    if (first === undefined || count > most) return
    if (some.length === 1)
      return reportingFailures(
        () => work(some),
        async (error) => {
          count += 1
          if (count > most) throw error
          await blame(first, error)
        },
      )
    try {
      await work(some)
    } catch (error) {
      if (outageOf(error)) throw error
      const middle = Math.ceil(some.length / 2)
      await toTheEnd([some.slice(0, middle), some.slice(middle)].map((half) => () => halve(half)))
    }
  }
  await halve(items)
}

/** Works on all together, and steps over those of them that fail by themselves; what was set aside before is worked on one by one. */
export async function togetherApart<T>(
  list: ItemLoop<T>,
  items: readonly T[],
  work: (some: readonly T[]) => Promise<unknown>,
): Promise<void> {
  if (items.length === 0) return
  const { db, loop, nameOf } = list
  const known = await knownOf(db, loop)
  const isKnown = (one: T) => known.has(nameOf(one).item)
  await toTheEnd([
    () =>
      halving(
        items.filter((one) => !isKnown(one)),
        { work, blame: (one, error) => setAside(db.single, { loop, ...nameOf(one) }, error) },
      ),
    () => eachApart(list, items.filter(isKnown), (one) => work([one])),
  ])
}

const keptDays = 30

/** What is in a list, was due and not tried is gone from there; a mail or a report of one is kept for a month. */
export async function forgetSetAside({ single }: Pick<Database, 'single'>): Promise<void> {
  await single.execute(
    sql`delete from set_aside where (input is null and next_try_at < now() - interval '1 day')
      or (loop in ('returns', 'mail_events') and first_at < now() - make_interval(days => ${keptDays}))`,
  )
}

/** It is tried again with the next round of its loop. */
export const tryNext = (tx: Tx, id: string) =>
  tx.execute(sql`update set_aside set next_try_at = now() where id = ${id}`)

export const discard = (tx: Tx, id: string) => tx.execute(sql`delete from set_aside where id = ${id}`)

/** Discards what a loop has set aside, but for the items whose names begin so. */
export const discardOthers = (tx: Tx, loop: AsideLoop, prefix: string) =>
  tx.execute(sql`delete from set_aside where loop = ${loop} and not starts_with(item, ${prefix})`)
