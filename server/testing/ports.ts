import net from 'node:net'

const patienceMs = 60_000

/** Returns ports of this machine on which nobody listens. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = net.createServer()
      return new Promise<net.Server>((resolve, reject) => {
        server.once('error', reject).listen(0, '127.0.0.1', () => resolve(server))
      })
    }),
  )
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** Waits until somebody listens on a port of this machine. */
export async function untilListening(port: number): Promise<void> {
  const until = Date.now() + patienceMs
  while (!(await isListening(port))) {
    if (Date.now() > until) throw new Error(`nothing listens at ${port}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
