import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callerFor, type Call, type Send } from '../server.ts'

/** What one question was answered; `by` are the addresses of those who may have answered it, the last of them did. */
export type Answered = { status: number; headers: Headers; body: Buffer; by: string[] }

/** The balancer as people's browsers meet it. */
export type Front = {
  url: string
  /** Asks once; undefined when nothing came. */
  once(path: string, init?: RequestInit): Promise<Answered | undefined>
  /** Asks until there is an answer that is not about the state of the server, as a browser or a program does. */
  ask(path: string, init?: RequestInit): Promise<Answered>
  /** Calls of the contract in somebody's name; what is asked again bears the key that it had. */
  callAs(token?: string): Call
  counts: { asked: number; again: number }
  /** What had to be asked again, and why. */
  again: string[]
}

const longestMs = 20_000
const patienceMs = 300_000
/** What may be said of a server that is not there, and of one whose time is up. */
const away = new Set([502, 503, 504])

/** Answers that no fault explains are told in `faults`. */
export function frontOf(url: string, faults: string[]): Front {
  const counts = { asked: 0, again: 0 }
  const again: string[] = []

  async function once(path: string, init: RequestInit = {}): Promise<Answered | undefined> {
    counts.asked += 1
    try {
      const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(longestMs) })
      const { status, headers } = answer
      // Without a balancer the one that is asked has answered.
      const by = (headers.get('x-served-by') ?? new URL(url).host).split(', ')
      return { status, headers, body: Buffer.from(await answer.arrayBuffer()), by }
    } catch {
      return undefined
    }
  }

  async function ask(path: string, init: RequestInit = {}): Promise<Answered> {
    const what = `${init.method ?? 'GET'} ${path.replaceAll(/[\w-]{20,}/g, '…')}`
    const by: string[] = []
    for (const end = Date.now() + patienceMs; Date.now() < end; counts.again += 1) {
      const answer = await once(path, init)
      by.push(...(answer?.by ?? []))
      if (answer && !isOfServer(answer)) return { ...answer, by }
      if (answer && answer.status >= 500 && !away.has(answer.status))
        faults.push(`${what}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
      again.push(`${what}: ${answer ? `${answer.status} of ${answer.by.join(', ')}` : 'nothing came'}`)
      await pause(250)
    }
    throw new Error(`${what}: no answer in ${patienceMs / 1_000} s`)
  }

  const sendAs =
    (token?: string): Send =>
    async (method, path, more = {}) => {
      const init: RequestInit = {
        method,
        headers: {
          'idempotency-key': randomUUID(),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...more.headers,
        },
        ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      }
      const { status, headers, body } = await ask(path, init)
      const isJson = /[/+]json\b/.test(headers.get('content-type') ?? '')
      const text = body.toString()
      return {
        status,
        headers: Object.fromEntries(headers),
        body: isJson && text !== '' ? JSON.parse(text) : text,
      }
    }

  return { url, once, ask, callAs: (token) => callerFor(sendAs(token)), counts, again }
}

/** Whether an answer says something of the server and nothing of what was asked; the same is being worked on, or too much was asked. */
function isOfServer({ status, body }: Answered): boolean {
  return status >= 500 || status === 429 || (status === 409 && body.includes('"in_progress"'))
}
