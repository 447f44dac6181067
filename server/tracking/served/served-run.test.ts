import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { row } from '#server/platform/db/client.ts'
import { sql } from '#server/platform/db/sql.ts'
import { aServer } from '#server/testing/worlds.ts'
import { recordOf } from './served-run.ts'
import { forgetServedSessions, servedSessions } from './served-sessions.ts'

const server = await aServer()
const { query } = server
const { single } = server.services.db
const organizationId = await server.organization()

/** The session that is asked about was watched from two minutes ago to one minute ago. */
const session = randomUUID()
const State = z.object({ record: z.string() })
async function stateNow(run: string | null = randomUUID()): Promise<string | undefined> {
  const found = await row(
    single,
    State,
    sql`select ${recordOf('g')} as record from (values (${session}::uuid, ${run}::uuid,
      now() - interval '2 minutes', now() - interval '1 minute')) g(id, run, started_at, last_at)`,
  )
  return found?.record
}

/** A run that has written everything down until so long ago; `beaten` and `ended` so long ago too. */
type Run = { process: string | null; recorded: string; beaten: string; ended?: string }
const add = ({ process, recorded, beaten, ended }: Run) =>
  query(
    `insert into served_runs (process_id, recorded_to, beaten_at, ended_at)
      values ($1, now() - $2::interval, now() - $3::interval, now() - $4::interval)`,
    [process, recorded, beaten, ended ?? null],
  )
const killed = { recorded: '90 seconds', beaten: '90 seconds', ended: '75 seconds' }
const silent = { recorded: '90 seconds', beaten: '90 seconds' }
const late = { recorded: '90 seconds', beaten: '1 second' }

beforeEach(async () => {
  await query('delete from served_runs')
  await query('delete from served_sessions')
})

describe('the record of a session', () => {
  it.each([
    ['a process that was killed', killed, 'broken'],
    ['a process that has fallen silent', silent, 'broken'],
    ['a process that is behind', late, 'behind'],
    ['a process that was killed before it began', { ...killed, ended: '3 minutes' }, 'whole'],
    ['a process that was killed after it', { ...killed, recorded: '30 seconds' }, 'whole'],
    ['a process that has written everything down', { ...late, recorded: '1 second' }, 'whole'],
  ])('%s says what it says of whom it served, and nothing of others', async (_, run, expected) => {
    const process = randomUUID()
    await add({ process, ...run })
    expect(await stateNow()).toBe('whole')
    await servedSessions(single, randomUUID())({ session, organizationId })
    expect(await stateNow(), 'served by another one').toBe('whole')
    await servedSessions(single, process)({ session, organizationId })
    expect(await stateNow()).toBe(expected)
    expect(await stateNow(null)).toBe('none')
  })

  it.each([
    ['killed', killed, 'broken'],
    ['behind', late, 'behind'],
  ])(
    'a process that told nobody whom it served, and is %s, may have served anybody',
    async (_, run, expected) => {
      await add({ process: null, ...run })
      expect(await stateNow()).toBe(expected)
    },
  )

  it('is behind as long as one process is, whatever became of another', async () => {
    const processes = [randomUUID(), randomUUID()] as const
    for (const process of processes) await servedSessions(single, process)({ session, organizationId })
    await add({ process: processes[0], ...killed })
    await add({ process: processes[1], ...late })
    expect(await stateNow()).toBe('behind')
  })
})

describe('whom a process serves', () => {
  /** Counts the statements, and fails while it is told to. */
  function counting() {
    const seen = { statements: 0, fails: false }
    const execute: typeof single.execute = (statement) => {
      seen.statements += 1
      return seen.fails ? Promise.reject(new Error('no database')) : single.execute(statement)
    }
    return { seen, tx: { execute } }
  }

  it('is written down once for each session, also when several ask at once', async () => {
    const { seen, tx } = counting()
    const announce = servedSessions(tx, randomUUID())
    await Promise.all([1, 2, 3].map(() => announce({ session, organizationId })))
    await announce({ session, organizationId })
    expect(seen.statements).toBe(1)
    expect(await query('select organization_id from served_sessions')).toEqual([
      { organization_id: organizationId },
    ])
    await announce({ session: randomUUID(), organizationId })
    expect(seen.statements).toBe(2)
  })

  it('is tried again by whoever asks next', async () => {
    const { seen, tx } = counting()
    const announce = servedSessions(tx, randomUUID())
    seen.fails = true
    await expect(announce({ session, organizationId })).rejects.toThrow('no database')
    seen.fails = false
    await announce({ session, organizationId })
    expect(await query('select 1 from served_sessions')).toHaveLength(1)
  })

  it('is forgotten a day later, unless a run of that process left a gap', async () => {
    const [ended, whole, broken] = [randomUUID(), randomUUID(), randomUUID()]
    for (const process of [ended, whole, broken])
      await servedSessions(single, process)({ session, organizationId })
    await add({ process: whole, ...late })
    await add({ process: broken, ...killed })
    await add({ process: broken, ...late })
    const left = async () => {
      await forgetServedSessions(server.services.db)
      const found = await query<{ process_id: string }>('select process_id from served_sessions')
      return found.map(({ process_id }) => process_id).toSorted()
    }
    expect(await left()).toEqual([ended, whole, broken].toSorted())
    const day = `interval '26 hours'`
    await query(`update served_sessions set since = since - ${day}`)
    await query(`update served_runs set recorded_to = recorded_to - ${day} where ended_at is not null`)
    expect(await left()).toEqual([broken])
  })
})
