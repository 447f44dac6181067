import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { secret, type TestServer } from '../server.ts'

/** Processes that send and work on operations beside a test server, to be killed in the middle. */
export function workersOf(server: () => TestServer, env: () => NodeJS.ProcessEnv = () => ({})) {
  const children = new Set<ChildProcess>()
  return {
    /** Resolves when the worker says that it works. */
    async start(
      file: 'sender.ts' | 'approver.ts' | 'event-sender.ts' = 'sender.ts',
      more: NodeJS.ProcessEnv = {},
    ): Promise<ChildProcess> {
      const child = spawn(process.execPath, [path.resolve(import.meta.dirname, file)], {
        env: {
          ...process.env,
          DATABASE_URL: server().services.db.url,
          DATA_DIR: server().services.env.dataDir,
          SECRET_KEY: secret,
          LOG_LEVEL: 'error',
          ...env(),
          ...more,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      // A run that is killed takes its workers along.
      guard(child, { detached: true })
      children.add(child)
      await new Promise<void>((resolve, reject) => {
        child.stdout?.once('data', () => resolve())
        child.once('exit', () => reject(new Error('the worker ended at once')))
      })
      return child
    },
    /** As the power fails: SIGKILL. */
    async kill(child: ChildProcess): Promise<void> {
      const gone = new Promise((resolve) => {
        child.once('exit', resolve)
      })
      child.kill('SIGKILL')
      await gone
      children.delete(child)
    },
    killAll(): void {
      for (const child of children) child.kill('SIGKILL')
    },
  }
}
