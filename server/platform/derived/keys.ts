import * as z from 'zod/mini'
import { eachApart, halving, setAside, tryDue } from '../aside.ts'
import { toTheEnd } from '../failures.ts'
import { outageOf } from '../db/outage.ts'
import { arrayOf, type Database, inSavepoint, row, rows, type Tx } from '../db/client.ts'
import { Locked } from '../db/rows.ts'
import { sql, type SQL } from '../db/sql.ts'
import { lock, tryLock, type LockName } from '../db/locks.ts'
import { isoText } from '../db/search.ts'

/** Keys that are taken together. */
export type KeyScope = { figure: DerivedFigure; organizationId: string; subject: string | null }

/** What has to be worked out again; null: all subjects, everybody. */
export const DirtyKey = z.object({ subject: z.nullable(z.string()), person: z.nullable(z.string()) })
export type DirtyKey = z.infer<typeof DirtyKey>

/** Something that is worked out from its sources and kept; docs/design/derived-figures.md says how to add one. */
export type DerivedFigure = {
  /** As the keys call it; the sources stand with the triggers in the schema. */
  name: string
  /** Whether keys of different subjects are taken apart. */
  bySubject: boolean
  /** One transaction at a time works the keys of one place out. */
  lock: LockName
  /** Keys in one transaction. */
  most: number
  /** Whether the worker, where more wait, takes all of them and works out everybody of their subjects: where that is cheaper. */
  collapses: boolean
  /** Milliseconds between two turns; what costs much rests longer. */
  restMs: number
  /** Works these keys out from their sources, which it reads in statements that begin after the keys were taken. */
  recompute(tx: Tx, place: KeyScope, keys: readonly DirtyKey[]): Promise<void>
}

const about = ({ subject, organizationId }: KeyScope): string => subject ?? organizationId

/** Condition on `dirty_keys`. */
function of({ figure, organizationId, subject }: KeyScope): SQL {
  const isSubject = subject === null ? sql`subject is null` : sql`subject = ${subject}`
  return sql`figure = ${figure.name} and organization_id = ${organizationId} and ${figure.bySubject ? isSubject : sql`true`}`
}

/** So many times the same key is there, at most, before there is taken to be more than is worked out at once. */
const doubles = 10

const TakenKeys = z.object({ n: z.number(), since: z.nullable(z.string()) })

/** About how much waits, up to a number, and since when; nothing waits when `since` is null. */
export async function waiting(tx: Tx, place: KeyScope, upTo: number) {
  const found = await row(
    tx,
    TakenKeys,
    sql`select coalesce(sum(case when person is null then o.user_count else 1 end), 0)::int as n, ${isoText(sql`min(marked_at)`)} as since
      from (select person, min(marked_at) as marked_at from (select subject, person, marked_at from dirty_keys
        where ${of(place)} order by id limit ${upTo * doubles}) k group by subject, person) k
      cross join organizations o where o.id = ${place.organizationId}`,
  )
  return { n: found?.n ?? 0, since: found?.since ?? null }
}

/** False: somebody else is at work in this place, which only who `waits` waits for. */
async function begin(tx: Tx, place: KeyScope, waits: boolean): Promise<boolean> {
  const { figure } = place
  const mine = waits
    ? sql`${lock(figure.lock, about(place))} is not null`
    : tryLock(figure.lock, about(place))
  const held = await row(
    tx,
    Locked,
    sql`select ${mine} as mine, set_config('app.deriving', ${figure.name}, true)`,
  )
  return held?.mine === true
}

/**
 * Takes keys and works them out. Every change whose key it takes is seen by the statements that follow, and a change that they do not
 * see keeps its key: whoever stops half-way, or fails, loses nothing. Answers whether there may be more; while somebody else is at
 * work in this place there is nothing to do, unless it waits.
 */
export async function applySome(
  tx: Tx,
  place: KeyScope,
  { waits = false, most = place.figure.most, collapses = false } = {},
): Promise<'more' | 'done' | 'busy'> {
  if (!(await begin(tx, place, waits))) return 'busy'
  const taken = await rows(
    tx,
    DirtyKey,
    // By a bound, not by a join: the planner takes the queue for as empty as it mostly is, and would compare each key with each.
    sql`delete from dirty_keys where ${of(place)}
        and id <= (select max(id) from (select id from dirty_keys where ${of(place)} order by id limit ${most}) oldest)
      returning subject, person`,
  )
  const isMore = taken.length === most
  const keys =
    isMore && collapses ? [covering([...taken, ...(await takeRest(tx, place))])] : withoutDoubles(taken)
  if (taken.length > 0) await place.figure.recompute(tx, place, keys)
  await tx.execute(sql`select set_config('app.deriving', '', true)`)
  return isMore && !collapses ? 'more' : 'done'
}

function takeRest(tx: Tx, place: KeyScope): Promise<DirtyKey[]> {
  return rows(
    tx,
    DirtyKey,
    sql`with taken as (delete from dirty_keys where ${of(place)} returning subject) select distinct subject, null as person from taken`,
  )
}

/** Everybody of their subject, or of all subjects where they are of several. */
function covering(keys: readonly DirtyKey[]): DirtyKey {
  const [subject = null, ...others] = new Set(keys.map((key) => key.subject))
  return { subject: others.length > 0 ? null : subject, person: null }
}

function withoutDoubles(keys: readonly DirtyKey[]): DirtyKey[] {
  return [...new Map(keys.map((key) => [`${key.subject} ${key.person}`, key])).values()]
}

/**
 * Before somebody reads: works out what waits where that is little. Where it is much, it is left to the worker; the answer is then
 * the instant of the oldest change that is not in the figures yet, and null when there is none.
 */
export async function catchUp(tx: Tx, place: KeyScope, most: number): Promise<string | null> {
  const { n, since } = await waiting(tx, place, most + 1)
  if (since === null) return null
  if (n > most) return since
  return (await applyOrLeave(tx, place)) ? null : since
}

/** False: it fails, which is no reason to refuse an answer. The worker finds out what is to blame, and sets that aside. */
async function applyOrLeave(tx: Tx, place: KeyScope): Promise<boolean> {
  try {
    await inSavepoint(tx, async () => {
      while ((await applySome(tx, place, { waits: true })) === 'more');
    })
    return true
  } catch (error) {
    if (outageOf(error)) throw error
    return false
  }
}

/** For what nobody reads again, as a file: goes on until every change that there is has been worked out. */
export async function applyAll(tx: Tx, place: KeyScope): Promise<void> {
  if ((await waiting(tx, place, 1)).since === null) return
  const { collapses } = place.figure
  while ((await applySome(tx, place, { waits: true, collapses })) === 'more');
}

const WaitingIn = z.object({ organizationId: z.string(), subject: z.nullable(z.string()) })
type WaitingIn = z.infer<typeof WaitingIn>

/**
 * Works out whatever waits, what has waited longest first, for as long as `goesOn`; where somebody else is at work, it is left to them.
 * A place that fails keeps its keys and holds up no other; that it failed is thrown when all have had their turn.
 */
export async function drain(
  db: Database,
  figure: DerivedFigure,
  goesOn: () => boolean = () => true,
): Promise<void> {
  const subject = figure.bySubject ? sql`subject` : sql`null::uuid`
  const waitingIn = await rows(
    db.single,
    WaitingIn,
    sql`select organization_id as "organizationId", ${subject} as subject from dirty_keys where figure = ${figure.name}
      group by 1, 2 order by min(id)`,
  )
  const nameOf = ({ organizationId, subject: of }: WaitingIn) => ({
    item: nameOfPlace({ figure, organizationId, subject: of }),
    organizationId,
  })
  await toTheEnd([
    () =>
      eachApart({ db, loop: 'figures', nameOf }, waitingIn, (found, hasFailed) =>
        (hasFailed ? drainInParts : drainPlace)(db, { figure, ...found }, goesOn),
      ),
    () => tryAsideAgain(db, figure),
  ])
}

const nameOfPlace = ({ figure, organizationId, subject }: KeyScope) =>
  `${figure.name} ${organizationId} ${subject ?? '-'}`

/** Nobody waits for it, so it takes the room and the time that a large organization needs. */
const atLeisure = sql`select set_config('work_mem', '32MB', true), set_config('statement_timeout', '0', true)`

async function drainPlace(db: Database, place: KeyScope, goesOn: () => boolean): Promise<void> {
  const { collapses } = place.figure
  let state: string = 'more'
  while (state === 'more' && goesOn())
    state = await db.as('system', async (tx) => {
      await tx.execute(atLeisure)
      return applySome(tx, place, { collapses })
    })
}

/** Where it has failed as a whole: what fails by itself is set aside, and everything else of the place is worked out. */
async function drainInParts(db: Database, place: KeyScope, goesOn: () => boolean): Promise<void> {
  const { most } = place.figure
  for (let isMore = true; isMore && goesOn();) {
    const keys = await rows(
      db.single,
      DirtyKey,
      sql`select subject, person from (select subject, person, min(id) as first from dirty_keys where ${of(place)} group by 1, 2) k
        order by first limit ${most}`,
    )
    await halving(keys, {
      work: (some) => db.as('system', (tx) => applyThese(tx, place, some)),
      blame: (key, error) => db.as('system', (tx) => blameKey(tx, { place, key }, error)),
    })
    isMore = keys.length === most
  }
}

async function applyThese(tx: Tx, place: KeyScope, keys: readonly DirtyKey[]): Promise<void> {
  await tx.execute(atLeisure)
  await begin(tx, place, true)
  await takeThese(tx, place, keys)
  await place.figure.recompute(tx, place, keys)
}

const wordOf = ({ subject, person }: DirtyKey) => `${subject ?? ''} ${person ?? ''}`

/** Compared in a form that the planner makes a look-up in a hash of. */
async function takeThese(tx: Tx, place: KeyScope, keys: readonly DirtyKey[]): Promise<void> {
  await tx.execute(
    sql`delete from dirty_keys where ${of(place)}
      and (coalesce(subject::text, '') || ' ' || coalesce(person, '') in (select unnest(${arrayOf(keys.map(wordOf), 'text')}))) is true`,
  )
}

/** It leaves the queue in the transaction that sets it aside, so that it is forgotten nowhere. */
async function blameKey(
  tx: Tx,
  { place, key }: { place: KeyScope; key: DirtyKey },
  error: unknown,
): Promise<void> {
  await takeThese(tx, place, [key])
  const { figure, organizationId } = place
  const item = `${figure.name} ${organizationId} ${key.subject ?? '-'} ${key.person ?? '-'}`
  await setAside(tx, { loop: 'figures', item, organizationId, input: JSON.stringify(key) }, error)
}

async function tryAsideAgain(db: Database, figure: DerivedFigure): Promise<void> {
  await tryDue(db, { loop: 'figures', start: `${figure.name} ` }, ({ organizationId, input }) => {
    const key = DirtyKey.parse(JSON.parse(input))
    const subject = figure.bySubject ? key.subject : null
    const place = { figure, organizationId: organizationId ?? '', subject }
    return db.as('system', (tx) => applyThese(tx, place, [key]))
  })
}

/**
 * Notes what a statement selects (figure, organization_id, subject, person; null: of all of them) to be worked out anew. What a change of a
 * row makes dirty is noted by the triggers of the sources. Where the same statement changes what it selects from, `first` is that change,
 * with its name: `changed as (update …)`.
 */
export const noteDirty = (tx: Tx, select: SQL, first?: SQL) =>
  tx.execute(
    sql`${first ? sql`with ${first}` : sql``} insert into dirty_keys (figure, organization_id, subject, person) ${select}`,
  )
