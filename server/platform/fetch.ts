import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { ReachFault } from '#contract/platform/reach.ts'
import { openLine, type ReachEnv } from './reach.ts'

/** `mostBytes` of the answer's body are read; `answerMs` pass from the first byte that leaves to the last one that is waited for. */
export type Outgoing = {
  url: string
  method: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  mostBytes: number
  answerMs: number
}
/** `isWhole`: the body ends with what was read; false where it is longer, slower or broken off. A redirect is an answer like others. */
export type Fetched = { status: number; headers: IncomingHttpHeaders; body: Buffer; isWhole: boolean }
/** `isHanded`: all of it may have left, and nobody knows whether it was taken. `withheld`: `mayLeave` said no. */
export type NotFetched = { fault: ReachFault | 'withheld'; isHanded: boolean }

const mostHead = 16_384
const notHanded = (fault: NotFetched['fault']): NotFetched => ({ fault, isHanded: false })

/**
 * Asks a machine that somebody else names: https alone, at an address of the internet or one that the operator lists, no proxy, no
 * redirect, no second try. `mayLeave` is asked once the line stands and before the first byte, and never fails.
 */
export async function fetchFrom(
  env: ReachEnv,
  outgoing: Outgoing,
  mayLeave: () => Promise<boolean> = async () => true,
): Promise<Fetched | NotFetched> {
  const line = await openLine(env, new URL(outgoing.url))
  if ('fault' in line) return notHanded(line.fault)
  const { socket } = line
  try {
    if (!(await mayLeave())) return notHanded('withheld')
    if (socket.destroyed || socket.readableEnded) return notHanded('broken_off')
    return await exchange(socket, outgoing)
  } finally {
    socket.destroy()
  }
}

function exchange(socket: TLSSocket, outgoing: Outgoing): Promise<Fetched | NotFetched> {
  const { url, method, headers, body, mostBytes, answerMs } = outgoing
  const place = new URL(url)
  return new Promise((resolve) => {
    const request = http.request({
      method,
      path: place.pathname + place.search,
      headers: { ...headers, host: place.host, 'user-agent': 'Sendreel', connection: 'close' },
      createConnection: () => socket,
      maxHeaderSize: mostHead,
    })
    let answer: Omit<Fetched, 'body'> | undefined
    const chunks: Buffer[] = []
    const end = (fault: 'timeout' | 'broken_off') => {
      clearTimeout(timer)
      request.destroy()
      resolve(answer ? { ...answer, body: Buffer.concat(chunks) } : { fault, isHanded: true })
    }
    const timer = setTimeout(() => end('timeout'), answerMs)
    request.on('error', () => end('broken_off'))
    request.on('close', () => end('broken_off'))
    request.on('response', (response) => {
      const head = { status: response.statusCode ?? 0, headers: response.headers, isWhole: false }
      answer = head
      const isRead = async () => {
        head.isWhole = await readInto(chunks, response, mostBytes)
        end('broken_off')
      }
      void isRead()
    })
    request.end(body)
  })
}

/** As far as it comes; says whether that was all of it. */
async function readInto(chunks: Buffer[], response: IncomingMessage, mostBytes: number): Promise<boolean> {
  let room = mostBytes
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, room))
      if (chunk.length > room) return false
      room -= chunk.length
    }
    return response.complete
  } catch {
    // What came before counts.
    return false
  }
}
