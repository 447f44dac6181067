import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const patienceMs = 60_000

/** Unpacks an archive, starts it with its one command and asks it how it is; throws with what it has said when it is not well. */
export async function tryOut(archive: string): Promise<void> {
  const place = mkdtempSync(path.join(os.tmpdir(), 'sendreel-trial-'))
  chmodSync(place, 0o755)
  execFileSync('tar', ['-xzf', archive, '-C', place])
  const [name = ''] = readdirSync(place)
  const child = spawn(path.join(place, name, 'sendreel'), [], {
    cwd: place,
    // Nothing of this machine but a shell: what it needs lies in the archive.
    env: { PATH: '/usr/bin:/bin', PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  const ended = once(child, 'exit')
  try {
    await answers(() => / is ready at (\S+)\n/.exec(said)?.[1])
  } catch (error) {
    throw new Error(`${path.basename(archive)} does not start:\n${said}`, { cause: error })
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(place, { recursive: true, force: true })
  }
}

async function answers(url: () => string | undefined): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end;) {
    const address = url()
    const answer = address === undefined ? undefined : await fetch(`${address}/api/health`)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('no answer within a minute')
}
