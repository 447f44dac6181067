import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a store behaves: as it should, not at all, late, very late, with a server error for one question in ten, or as one that takes no more. */
export type Behaviour = 'well' | 'away' | 'slow' | 'sluggish' | 'failing' | 'full'

export type FaultyStore = {
  endpoint: string
  behave(behaviour: Behaviour): void
  stop(): Promise<void>
}

const lateMs = { slow: 300, sluggish: 9_000 }
const oneIn = 10

/** Stands before a store and spoils what it says. The host that was signed is handed on, so that signatures stay right. */
export async function startFaultyStore(endpoint: string): Promise<FaultyStore> {
  const target = new URL(endpoint)
  let behaviour: Behaviour = 'well'
  let asked = 0
  const server = http.createServer((request, response) => {
    asked += 1
    if (behaviour === 'away') return void request.socket.destroy()
    if (behaviour === 'failing' && asked % oneIn === 0)
      return refuse({ request, response, status: 503, code: 'ServiceUnavailable' })
    if (behaviour === 'full' && request.method !== 'GET' && request.method !== 'HEAD')
      return refuse({ request, response, status: 507, code: 'InsufficientStorage' })
    const forward = () => {
      const { hostname, port } = target
      const { method, url: path, headers } = request
      const onward = http.request({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    }
    if (behaviour === 'slow' || behaviour === 'sluggish') setTimeout(forward, lateMs[behaviour])
    else forward()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => (behaviour = next),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

type Refusing = { request: http.IncomingMessage; response: http.ServerResponse; status: number; code: string }

function refuse({ request, response, status, code }: Refusing) {
  request.resume()
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>spoilt</Message></Error>`)
}
