import { randomBytes, randomUUID } from 'node:crypto'
import type { TrackBatch } from '#contract/tracking/tracks.ts'
import { keysOf, type Keys } from '#server/platform/keys.ts'
import { startPlay } from '#server/tracking/ingest/token.ts'
import { duel, type Result } from './duel.ts'
import { bound, type Figure } from './figures.ts'
import { startBenchDatabase } from './database.ts'
import { requestOf } from './load.ts'
import { peakMemory, startProgram, type Program } from './program.ts'

const requestsPerRound = 6_000
const connections = 64
/** Batches of one session in a round; the product refuses more than ten at once. */
const batchesPerSession = 6

/** Viewing evidence at 64 connections, each batch acknowledged after COMMIT, beside the barest program that does it. */
export async function ingest(): Promise<Figure[]> {
  const database = await startBenchDatabase()
  try {
    const secret = randomBytes(32).toString('base64url')
    const environment = {
      DATABASE_URL: database.url,
      DATA_DIR: database.dataDir,
      SECRET_KEY: secret,
      RUN: 'api',
    }
    const ours = await startProgram('server/main.ts', environment)
    const floor = await startProgram('bench/floors/floor-ingest.ts', {
      ...environment,
      DATABASE_URL: database.ownerUrl,
    })
    const keys = keysOf(secret)
    const side = (program: Program) => ({
      programs: [program],
      requests: () => viewing(keys, requestsPerRound),
    })
    const rules = { databasePid: database.pid, connections, rounds: 5 }
    const results = await duel({ floor: side(floor), ours: side(ours) }, rules)
    const memory = peakMemory(ours.pid)
    await Promise.all([ours.stop(), floor.stop()])
    const stored = await database.query<{ n: number }>('select count(*)::int as n from track_batches')
    const sent = requestsPerRound * (rules.rounds + 1)
    if (stored[0]?.n !== sent) throw new Error(`${sent} batches were acknowledged, ${stored[0]?.n} are there`)
    return figures(results, memory)
  } finally {
    await database.close()
  }
}

function figures({ floor, ours }: Record<'floor' | 'ours', Result>, memory: number): Figure[] {
  const workload = 'ingest'
  const row = (key: keyof Result) => ({ workload, ours: ours[key], floor: floor[key] })
  return [
    {
      ...row('cpu'),
      what: 'a batch acknowledged after COMMIT',
      unit: 'CPU s / 1,000',
      target: { of: 'ratio', most: 1.7 },
    },
    {
      ...row('perSecond'),
      what: `rate at ${connections} connections`,
      unit: '/s',
      target: { of: 'ratio', least: 0.6 },
    },
    { ...row('p99'), what: '99th percentile', unit: 'ms' },
    { workload, what: 'memory of the process at most', unit: 'MB', ours: memory, target: bound(180) },
  ]
}

/** New sessions each time, each with its first minute of viewing; the order of arrival mixes them. */
function viewing(keys: Keys, count: number): Buffer[] {
  const ids = { org: randomUUID(), video: randomUUID(), version: randomUUID(), transmission: randomUUID() }
  const tokens = Array.from({ length: Math.ceil(count / batchesPerSession) }, () => {
    const viewer = { delivery: randomUUID(), userId: randomUUID() }
    return startPlay(keys, { ...ids, ...viewer, kind: 'recipient', durMs: 300_000, maxRate: 2, theta: 0.95 })
      .token
  })
  return Array.from({ length: count }, (_, n) => {
    const batch = Math.floor(n / tokens.length)
    return requestOf('POST /api/tracks', {}, JSON.stringify(batchOf(tokens[n % tokens.length] ?? '', batch)))
  })
}

function batchOf(playToken: string, batch: number): TrackBatch {
  const elapsedMs = (batch + 1) * 10_000
  return {
    version: 1,
    playToken,
    batch,
    elapsedMs,
    spans: [
      [batch * 2, elapsedMs - 10_000, elapsedMs - 4_000, 6_000, 100, 0],
      [batch * 2 + 1, elapsedMs - 3_000, elapsedMs, 3_000, 100, 0],
    ],
    events: [
      [batch * 2, 'pause', elapsedMs - 4_000, elapsedMs - 4_000, null],
      [batch * 2 + 1, 'play', elapsedMs - 3_000, elapsedMs - 3_000, { span: batch * 2 + 1 }],
    ],
    state: { position: elapsedMs, visible: true, height: 720 },
  }
}
