import * as z from 'zod/mini'
import { isFree, togetherApart } from '../../platform/aside.ts'
import { arrayOf, rows, type Database } from '../../platform/db/client.ts'
import { sql, type SQL } from '../../platform/db/sql.ts'
import type { Services } from '../../platform/http/services.ts'
import { startLoop, type Loop } from '../../platform/loop.ts'

/** The first three count for organizations, the last one for groups. */
export const counters = ['user_count', 'group_count', 'video_count', 'member_count'] as const

/** This expression gives a counter of the row under an alias as it is now, with what has not been added up yet. */
export function counterOf(alias: string, counter: (typeof counters)[number]): SQL {
  return sql.raw(`(${alias}.${counter} + coalesce((select sum(changes.n) from count_changes changes
    where changes.subject = ${alias}.id and changes.counted = '${counter}'), 0))::int`)
}

const atOnce = 10_000

const Counted = z.object({ subject: z.string() })
const nameOf = (subject: string) => ({ item: `counts ${subject}` })

/** Adds up what has come and gone. Whatever somebody else is adding up at the moment is left to them. */
export async function addUpCounts(db: Database): Promise<void> {
  const changed = await rows(
    db.single,
    Counted,
    sql`select distinct subject from (select subject from count_changes
      where ${isFree('figures', sql`'counts ' || subject`)} order by id limit ${atOnce}) oldest`,
  )
  const subjects = changed.map(({ subject }) => subject)
  await togetherApart({ db, loop: 'figures', nameOf }, subjects, (some) => addUp(db, some))
}

async function addUp({ single }: Database, subjects: readonly string[]): Promise<void> {
  await single.execute(
    sql`with taken as (delete from count_changes where id in (
          select id from count_changes where subject = any(${arrayOf(subjects, 'uuid')})
          order by id limit ${atOnce} for update skip locked) returning subject, counted, n),
        sums as (select subject, coalesce(sum(n) filter (where counted = 'user_count'), 0) as users,
            coalesce(sum(n) filter (where counted = 'group_count'), 0) as groups,
            coalesce(sum(n) filter (where counted = 'video_count'), 0) as videos,
            coalesce(sum(n) filter (where counted = 'member_count'), 0) as members from taken group by subject),
        organizations_counted as (update organizations o set user_count = o.user_count + s.users,
            group_count = o.group_count + s.groups, video_count = o.video_count + s.videos from sums s where o.id = s.subject)
      update groups g set member_count = g.member_count + s.members from sums s where g.id = s.subject`,
  )
}

const restMs = 1_000

export function startCounting({ db, log }: Pick<Services, 'db' | 'log'>): Loop {
  return startLoop({ log, failure: 'counters could not be added up' }, async () => {
    await addUpCounts(db)
    return restMs
  })
}
