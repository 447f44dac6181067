import pg from 'pg'
import { expect } from 'vitest'
import { readSetAside, trySetAsideAgain, type AsideLoop, type SetAside } from '#contract/platform/aside.ts'
import { readDashboardAlerts } from '#contract/dashboard.ts'
import { addPeople, addVideo } from '../audience.ts'
import { startTestServer, type Person } from '../server.ts'
import { unique } from '../unique.ts'
import { until } from '../until.ts'

/** An organization with a video and three people who only receive. */
export type Place = { org: string; admin: Person; videoId: string; people: string[] }

/** What a loop takes from: poison first, and honest work behind it; `isDone` looks whether that was worked on. */
export type Fed = {
  mend: () => Promise<unknown>
  isDone: () => Promise<boolean>
  isMended: () => Promise<boolean>
}
export type Case = { loop: AsideLoop; of: string; feed: (at: Place) => Promise<Fed> }

/** A server whose database refuses what a test poisons. */
export async function startPoisoned(environment: Record<string, string> = {}) {
  const server = await startTestServer(environment)
  const superadmin = await server.person('superadmin')
  const owner = new pg.Client({ connectionString: server.ownerUrl })
  await owner.connect()
  /**
   * Triggers come and go while the product works on their tables, so that both may wait for each other: the database then ends one of them,
   * which has changed nothing. Where it is this one, it is asked for again.
   */
  const alter = (text: string) =>
    until(async () => {
      try {
        await owner.query(text)
        return true
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === '40P01') return false
        throw error
      }
    }, 60)
  await alter(
    `create function poison() returns trigger language plpgsql as $$ begin raise 'this is poison'; end $$`,
  )
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await server.services.db.system.query<Row>(text, values)).rows
  const isThere = async (text: string, values: unknown[] = []) => (await query(text, values)).length > 0
  const setAside = async (loop: AsideLoop) =>
    (await superadmin.call(readSetAside)).body.items.filter((one) => one.loop === loop)

  /** From now on a row that fits fails whoever writes it; answers what mends that. */
  async function poison(
    table: string,
    when: 'insert' | 'update' | 'delete' | 'insert or update',
    of: string,
  ) {
    const name = `poison_${unique().replaceAll('-', '_')}`
    await alter(
      `create trigger ${name} before ${when} on ${table} for each row when (${of}) execute function poison()`,
    )
    return () => alter(`drop trigger ${name} on ${table}`)
  }

  async function place(): Promise<Place> {
    const org = await server.organization()
    const admin = await server.person('admin', org)
    const videoId = await addVideo(server, org)
    const people = await addPeople(server, org, { count: 3, prefix: unique() })
    return { org, admin, videoId, people }
  }

  const reportedBy = (loop: AsideLoop): Promise<SetAside> =>
    until(async () => {
      const [found] = await setAside(loop)
      return found
    }, 60)

  async function tryAgain({ id, loop }: SetAside): Promise<void> {
    expect((await superadmin.call(trySetAsideAgain, { params: { asideId: id } })).status).toBe(200)
    await until(async () => (await setAside(loop)).length === 0, 60)
  }

  /** Answers what was told of the poison. */
  async function stepsOver({ loop, feed }: Case): Promise<SetAside> {
    const { mend, isDone, isMended } = await feed(await place())
    await until(isDone, 100)
    const found = await reportedBy(loop)
    const { items } = (await superadmin.call(readDashboardAlerts)).body
    expect(items.find(({ kind }) => kind === 'set_aside')?.count).toBeGreaterThan(0)
    await mend()
    await tryAgain(found)
    await until(isMended, 100)
    return found
  }

  async function close(): Promise<void> {
    await owner.end()
    await server.close()
  }
  return {
    server,
    superadmin,
    alter,
    query,
    isThere,
    poison,
    place,
    setAside,
    told: reportedBy,
    tryAgain,
    stepsOver,
    close,
  }
}
