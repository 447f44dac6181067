import net from 'node:net'

export type Volley = {
  seconds: number
  /** Milliseconds, sorted. */
  latencies: Float64Array
}

type Shots = { url: string; connections: number; requests: Buffer[] }

/**
 * Sends every request once over keep-alive connections, each with one request on its way, and expects 200 or 201 for all of them. Raw
 * sockets, because a full HTTP client would need more of the two cores than the server that it measures.
 */
export async function fire({ url, connections, requests }: Shots): Promise<Volley> {
  const { hostname, port } = new URL(url)
  const latencies = new Float64Array(requests.length)
  let next = 0
  const take = () => (next < requests.length ? next++ : undefined)
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, () => {
      const socket = net.connect({ host: hostname, port: Number(port), noDelay: true })
      return converse(socket, { take, requests, latencies })
    }),
  )
  return { seconds: (performance.now() - began) / 1000, latencies: latencies.sort() }
}

const empty: Buffer = Buffer.alloc(0)

type Work = { take: () => number | undefined; requests: Buffer[]; latencies: Float64Array }

function converse(socket: net.Socket, { take, requests, latencies }: Work): Promise<void> {
  return new Promise((resolve, reject) => {
    let current = -1
    let sentAt = 0
    let received = empty
    const send = () => {
      const number = take()
      if (number === undefined) {
        socket.end(resolve)
        return
      }
      current = number
      sentAt = performance.now()
      socket.write(requests[number] ?? empty)
    }
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
      const end = endOf(received)
      if (end === undefined || received.length < end) return
      if (!/^20[01]$/.test(received.subarray(9, 12).toString())) {
        reject(new Error(`not what was asked for: ${received.subarray(0, 1_000).toString()}`))
        socket.destroy()
        return
      }
      latencies[current] = performance.now() - sentAt
      received = received.subarray(end)
      send()
    })
  })
}

/** Where the first answer ends; undefined while its head is not complete. */
function endOf(received: Buffer): number | undefined {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(received.subarray(0, head).toString('latin1'))?.[1]
  if (length === undefined) throw new Error('the server answered without a length')
  return head + 4 + Number(length)
}

/** One HTTP request as it goes over the wire. */
export function requestOf(head: string, headers: Record<string, string>, body?: string): Buffer {
  const content = body === undefined ? '' : body
  const all = {
    host: 'localhost',
    ...headers,
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${head} HTTP/1.1\r\n${lines.join('')}\r\n${content}`)
}
