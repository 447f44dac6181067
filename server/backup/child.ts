import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import * as z from 'zod/mini'
import { backupSteps } from '#contract/backup.ts'
import type { Env } from '../platform/env.ts'
import type { Progress } from './progress.ts'

const entry = path.join(import.meta.dirname, 'command.ts')
const tellMs = 2_000
/** Behind whatever serves people. */
const lowPriority = 10

type Working = {
  env: Env
  args: readonly string[]
  /** Where it may put what is thrown away. */
  temporary?: string
  signal: AbortSignal
  /** Every few seconds, as long as it works. */
  onProgress: (progress: Progress | undefined) => Promise<void>
}

type Ended = {
  /** Null: it was killed. */
  code: number | null
  /** What it said of why. */
  words: string
}

/** Runs the command of backups in a process of its own, which ends when this one does. */
export async function runChild({ env, args, temporary, signal, onProgress }: Working): Promise<Ended> {
  const child = spawn(process.execPath, [entry, '--lines', ...args], {
    env: {
      ...process.env,
      DATA_DIR: env.dataDir,
      ...(env.isBackupDirGiven && { BACKUP_DIR: env.backupDir }),
      ...(temporary !== undefined && { TMPDIR: temporary }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  })
  child.stdin.on('error', () => undefined)
  if (child.pid !== undefined) os.setPriority(child.pid, lowPriority)
  let progress: Progress | undefined
  let words = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    progress = lastProgress(text) ?? progress
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text
  })
  let reported = Promise.resolve()
  const telling = setInterval(() => {
    reported = onProgress(progress).catch(() => undefined)
  }, tellMs)
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      // One that was stopped has its end still before it.
      if (!signal.aborted) words = error.message
      if (child.pid === undefined) resolve(1)
    })
    child.once('close', resolve)
  })
  clearInterval(telling)
  // What is said of its end must be the last word.
  await reported
  return { code, words: words.trim() }
}

const ProgressLine = z.object({ step: z.enum(backupSteps), done: z.number(), total: z.number() })

function lastProgress(text: string): Progress | undefined {
  for (const line of text.split('\n').toReversed()) {
    if (!line.startsWith('{')) continue
    const parsed = ProgressLine.safeParse(safeJson(line))
    if (parsed.success) return parsed.data
  }
  return undefined
}

/** A line may come in two parts. */
function safeJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
