import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pino, type Logger } from 'pino'
import * as z from 'zod/mini'
import type { Env } from './env.ts'
import { withoutValues } from './http/log.ts'

const longestLog = 20 * 1024 * 1024
const names: Record<number, string> = { 40: 'Warning', 50: 'Error', 60: 'Error' }

/** A step of the start, for whoever watches it; nobody reads it where there is no terminal. */
export function say(line: string): void {
  if (process.stdout.isTTY) console.log(line)
}

/** JSON on the standard error; in a terminal, where it goes to `server.log`, only what matters, as one line for people. */
export function openLog({ logLevel: level, dataDir }: Env): Logger {
  const options = { level, serializers: { err: withoutValues } }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }))
  mkdirSync(dataDir, { recursive: true })
  const file = path.join(dataDir, 'server.log')
  if (existsSync(file) && statSync(file).size > longestLog) renameSync(file, `${file}.1`)
  return pino(
    options,
    pino.multistream([
      { level, stream: pino.destination({ dest: file, mode: 0o600, sync: true }) },
      { level: 'warn', stream: lines },
    ]),
  )
}

const LogEntry = z.object({
  level: z.number(),
  msg: z._default(z.string(), ''),
  err: z.optional(z.object({ message: z.string() })),
})

const lines = new Writable({
  decodeStrings: false,
  write(chunk: string, _encoding, done) {
    console.error(lineOf(chunk))
    done()
  },
})

/** One entry of the log, as its reader wants it. */
export function lineOf(entry: string): string {
  const { level, msg, err } = LogEntry.parse(JSON.parse(entry))
  return `${names[level] ?? 'Note'}: ${[msg, err?.message].filter(Boolean).join(': ')}`
}
