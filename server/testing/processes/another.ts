import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { secret, type TestServer } from '../server.ts'

/** Another server with the same database and the same files, in a process of its own that can be killed. */
export async function startAnother(
  { services }: TestServer,
  databaseUrl = services.db.url,
  environment: Record<string, string> = {},
): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(path.resolve(import.meta.dirname, 'child.ts'), {
    env: {
      ...process.env,
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: services.env.dataDir,
      LOG_LEVEL: 'silent',
      SECRET_KEY: secret,
      ...environment,
    },
  })
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the server ended'))),
  ])
  return { child, url: `http://127.0.0.1:${(message as { port: number }).port}` }
}
