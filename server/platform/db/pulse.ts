import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { startLoop } from '../loop.ts'
import type { Listener } from './changes.ts'

const restMs = { between: 1_000, whileGone: 250 }
/** A busy database answers later than a quick one; a frozen one never does. */
const patienceMs = 3_000
/** After this process itself stood still for a time, the answer may lie there unread, so it is looked for before it is missed. */
const graceMs = 1_000
/**
 * A connection may fall silent without a word, so changes by others count as heard only for this time after a question that was answered.
 */
const heardMs = 2_000

/** The pulse says whether the database answers. `GET /api/health` and the decision whether requests are let in both come from it. */
type Pulse = { isThere(): boolean; stop(): void }

/**
 * Asks the database something small, again and again, on a connection of its own. When it does not answer, everything that waits for it is
 * broken off, so that a frozen database keeps nobody waiting; a statement that merely takes long is left alone. The question is to be told
 * of what is said on the channels of `listeners`. Asking that twice changes nothing, and each answer says that the listeners hear, too. The
 * database knows the connection by `name`.
 */
export function feelPulse(
  { name = 'sendreel pulse', ...db }: { directUrl: string; breakOff(): void; name?: string },
  log: Pick<FastifyBaseLogger, 'error' | 'info'>,
  listeners: Record<string, Listener>,
): Pulse {
  const all = Object.values(listeners)
  const listen = Object.keys(listeners)
    .map((channel) => `listen ${channel}`)
    .join(';')
  const life: { isThere: boolean; client?: pg.Client } = { isThere: true }

  function lose(client: pg.Client, reason: unknown): void {
    if (life.client !== client) return
    if (life.isThere) log.error({ err: reason }, 'the database does not answer')
    delete life.client
    life.isThere = false
    for (const one of all) one.lose()
    hangUp(client)
  }

  function breakOff(client: pg.Client): void {
    lose(client, new Error(`nothing came within ${patienceMs + graceMs} ms`))
    db.breakOff()
  }

  function open(): pg.Client {
    const client = new pg.Client({ connectionString: db.directUrl, application_name: name })
    life.client = client
    client.on('error', (error) => lose(client, error))
    client.on('notification', ({ channel, payload = '' }) => listeners[channel]?.note(payload))
    client.connect().catch((error: unknown) => lose(client, error))
    return client
  }

  async function ask(): Promise<void> {
    const client = life.client ?? open()
    const asked = performance.now()
    let grace: NodeJS.Timeout | undefined
    const miss = () => {
      grace = setTimeout(() => breakOff(client), graceMs).unref()
    }
    const patience = setTimeout(miss, patienceMs).unref()
    try {
      await client.query(listen)
      if (life.client !== client) return
      if (!life.isThere) log.info('the database answers again')
      life.isThere = true
      for (const one of all) one.hearUntil(asked + heardMs)
    } catch (error) {
      lose(client, error)
    } finally {
      clearTimeout(patience)
      clearTimeout(grace)
    }
  }

  const asking = startLoop({ log, failure: 'the database could not be asked' }, async () => {
    await ask()
    return life.isThere ? restMs.between : restMs.whileGone
  })
  return {
    isThere: () => life.isThere,
    stop() {
      void asking.stop()
      const { client } = life
      delete life.client
      if (client) hangUp(client)
    },
  }
}

/** Ends a connection without waiting for the other side; what waits for its answers fails at once. */
export function hangUp(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
