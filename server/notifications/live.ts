import pg from 'pg'
import { noticeChannel } from '../platform/http/notify.ts'
import type { Services } from '../platform/http/services.ts'
import { openPause } from '../platform/loop.ts'

/** More questions of one person than tabs anybody looks at; the oldest is answered when there are more. */
const mostOfOne = 12
const restMs = { first: 500, longest: 15_000 }

export type Subscription = {
  /** Resolves when something has changed since `join`, when the time is up, or when the server ends. */
  until: (ms: number) => Promise<void>
  leave: () => void
}

type Live = {
  /** Takes part from here on: what changes between this and `until` is not missed. */
  join(userId: string): Promise<Subscription>
  close(): Promise<void>
}

/**
 * One connection of the process hears whose notifications have changed, and wakes those who wait for it. While it is broken nobody
 * is woken, and a question is answered when its time is up; with the new connection everybody looks once, as something may
 * have been missed.
 */
export function openLive({ db, log }: Pick<Services, 'db' | 'log'>): Live {
  const waiting = new Map<string, Set<() => void>>()
  const life: { ended: boolean; client?: pg.Client; timer?: NodeJS.Timeout } = { ended: false }
  let listening: Promise<void> | undefined
  let rest = restMs.first

  const wakeAll = () => {
    for (const all of waiting.values()) for (const wake of all) wake()
  }

  /** On a connection of its own: what is told reaches the connection that listens, and none of a pool stays. */
  async function listen(): Promise<void> {
    const client = new pg.Client({ connectionString: db.url, application_name: 'sendreel notifications' })
    let isLost = false
    const lose = (reason?: Error) => {
      if (isLost) return
      isLost = true
      if (life.ended) return
      if (reason) log.warn({ err: reason }, 'the connection that hears of notifications is broken')
      const again = () => {
        listening = listen()
      }
      life.timer = setTimeout(again, rest).unref()
      rest = Math.min(rest * 2, restMs.longest)
      void client.end().catch(() => undefined)
    }
    client.on('error', lose)
    client.on('end', () => lose())
    client.on('notification', ({ payload = '' }) => {
      for (const wake of waiting.get(payload) ?? []) wake()
    })
    try {
      life.client = client
      await client.connect()
      await client.query(`listen ${noticeChannel}`)
      rest = restMs.first
      wakeAll()
    } catch (error) {
      lose(error instanceof Error ? error : new Error(String(error)))
    }
  }

  return {
    async join(userId) {
      listening ??= listen()
      const mine = waiting.get(userId) ?? new Set()
      waiting.set(userId, mine)
      const { wake, wait } = openPause()
      if (life.ended) wake()
      mine.add(wake)
      if (mine.size > mostOfOne) mine.values().next().value?.()
      await listening
      return {
        until: wait,
        leave() {
          mine.delete(wake)
          if (mine.size === 0 && waiting.get(userId) === mine) waiting.delete(userId)
          wake()
        },
      }
    },
    async close() {
      life.ended = true
      clearTimeout(life.timer)
      wakeAll()
      await life.client?.end().catch(() => undefined)
    },
  }
}
