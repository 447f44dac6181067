import { connect, createServer, type AddressInfo } from 'node:net'
import pg from 'pg'

/**
 * A way to the database on which the connections of one name can fall silent, as behind a network device that drops them: nothing comes
 * through any more, and neither side is told.
 */
export async function openLine(databaseUrl: string) {
  const { host, port } = new pg.Client({ connectionString: databaseUrl })
  const life: { silent: string | undefined } = { silent: undefined }
  const server = createServer((socket) => {
    const database = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    let greeting: string | undefined
    const passes = () => life.silent === undefined || greeting?.includes(life.silent) === false
    socket.on('data', (data) => {
      greeting ??= data.toString('latin1')
      if (passes()) database.write(data)
    })
    database.on('data', (data) => {
      if (passes()) socket.write(data)
    })
    for (const [one, other] of [
      [socket, database],
      [database, socket],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { username, password, pathname } = new URL(databaseUrl)
  const { port: at } = server.address() as AddressInfo
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${at}${pathname}`,
    silence(name: string): void {
      life.silent = name
    },
    speak(): void {
      life.silent = undefined
    },
    close: () => server.close(),
  }
}
