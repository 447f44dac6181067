import http, { type IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { WebhookResult } from '#contract/transmissions/webhooks.ts'
import { openLine, type ReachEnv } from './reach.ts'
import { signedHeaders } from './signature.ts'
import { cut } from '#contract/platform/text/text.ts'

export type Target = { url: string; secrets: readonly string[] }
type Message = { id: string; body: string }
/**
 * `isHanded`: all of it may have left; without a status nobody knows whether it was taken. `restSeconds`: for how long it asks to be
 * left alone.
 */
export type Answer = {
  result: WebhookResult
  status: number | null
  text: string
  isHanded: boolean
  restSeconds?: number
}

/** Of an answer, whatever comes. */
const mostRead = 4_096
const mostKept = 300
const answerMs = 10_000

const trying = new Set([408, 425, 429])

function resultOf(status: number): WebhookResult {
  if (status >= 200 && status < 300) return 'accepted'
  if (status < 400) return 'redirected'
  return status >= 500 || trying.has(status) ? 'failing' : 'refused'
}

/** Seconds of a header `Retry-After`, which names them or an instant (RFC 9110, 10.2.3); 0 where it says nothing. */
function secondsIn(header = ''): number {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0
}

/**
 * Hands one message over: no proxy, no redirect, no second try. `mayLeave` is asked (and must have committed) once the line stands and
 * before the first byte, and never fails; undefined: it said no.
 */
export async function post(
  env: ReachEnv,
  { url, secrets, id, body }: Target & Message,
  mayLeave: () => Promise<boolean>,
): Promise<Answer | undefined> {
  const place = new URL(url)
  if (secrets.length === 0) return { result: 'secret_lost', status: null, text: '', isHanded: false }
  const line = await openLine(env, place)
  if ('fault' in line) return { result: line.fault, status: null, text: '', isHanded: false }
  const { socket } = line
  try {
    if (!(await mayLeave())) return undefined
    if (socket.destroyed || socket.readableEnded)
      return { result: 'broken_off', status: null, text: '', isHanded: false }
    const headers = {
      ...signedHeaders(secrets, { id, body, at: new Date() }),
      host: place.host,
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': id,
      'user-agent': 'Sendreel',
      connection: 'close',
    }
    return await exchange(socket, { path: place.pathname + place.search, headers }, body)
  } finally {
    socket.destroy()
  }
}

type Head = { path: string; headers: Record<string, string> }

function exchange(socket: TLSSocket, head: Head, body: string): Promise<Answer> {
  return new Promise((resolve) => {
    const request = http.request({
      ...head,
      method: 'POST',
      createConnection: () => socket,
      maxHeaderSize: mostRead,
    })
    let answer: Answer | undefined
    const end = (result: 'timeout' | 'broken_off') => {
      clearTimeout(timer)
      request.destroy()
      resolve(answer ?? { result, status: null, text: '', isHanded: true })
    }
    const timer = setTimeout(() => end('timeout'), answerMs)
    request.on('error', () => end('broken_off'))
    request.on('close', () => end('broken_off'))
    request.on('response', (response) => {
      const status = response.statusCode ?? 0
      const restSeconds = secondsIn(response.headers['retry-after'])
      const head: Answer = { result: resultOf(status), status, text: '', isHanded: true, restSeconds }
      answer = head
      const isRead = async () => {
        answer = { ...head, text: await beginning(response) }
        end('broken_off')
      }
      void isRead()
    })
    request.end(body)
  })
}

/** As far as it comes. */
async function beginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= mostRead) break
    }
  } catch {
    // What came before counts.
  }
  const text = Buffer.concat(chunks).subarray(0, mostRead).toString('utf8')
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), mostKept)
}
