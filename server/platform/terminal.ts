import { existsSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import { pino, type Logger, type LoggerOptions } from 'pino'
import * as z from 'zod/mini'
import type { Env } from './env.ts'
import { withoutValues } from './http/log.ts'
import { namesOfOrigin } from './tracing/origin.ts'

const longestLog = 20 * 1024 * 1024
const names: Record<number, string> = { 40: 'Warning', 50: 'Error', 60: 'Error' }

/** A step of the start, for whoever watches it; nobody reads it where there is no terminal. */
export function say(line: string): void {
  if (process.stdout.isTTY) console.log(line)
}

export const logOptions = (level: Env['logLevel']): LoggerOptions => ({
  level,
  serializers: { err: withoutValues },
  mixin: namesOfOrigin,
})

/** JSON on the standard error; in a terminal, where it goes to `server.log`, only what matters, as one line for people. */
export function openLog({ logLevel: level, dataDir }: Env): Logger {
  const options = logOptions(level)
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }))
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
  reqId: z.optional(z.string()),
})

const againAfterMs = 60_000
/** When a sentence was said last: what fails every second is said once a minute. */
const said = new Map<string, number>()

const lines = new Writable({
  decodeStrings: false,
  write(chunk: string, _encoding, done) {
    const line = lineOf(chunk)
    const now = performance.now()
    if (now - (said.get(line) ?? -againAfterMs) >= againAfterMs) {
      if (said.size > 1_000) said.clear()
      said.set(line, now)
      console.error(line)
    }
    done()
  },
})

/** Which statement failed is for the file; in a terminal it would be many lines. */
const withoutStatement = (message: string) => message.replace(/^Failed query: [^]*?: /, '')

/** One entry of the log, as its reader wants it. */
export function lineOf(entry: string): string {
  const { level, msg, err, reqId } = LogEntry.parse(JSON.parse(entry))
  const reference = reqId === undefined ? '' : ` (request ${reqId})`
  return `${names[level] ?? 'Note'}: ${[msg, withoutStatement(err?.message ?? '')].filter(Boolean).join(': ')}${reference}`
}
