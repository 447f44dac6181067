import { median, percentile } from './figures.ts'
import { fire } from './load.ts'
import { cpuSeconds, type Program } from './program.ts'

export type Side = {
  /** They share the requests among themselves, as a balancer would have it. */
  programs: readonly Program[]
  /** Fresh requests for one round. */
  requests: () => Buffer[]
}

/** Medians over the rounds; CPU in seconds per 1,000 requests, of the program and of the database together. */
export type Result = { cpu: number; perSecond: number; p95: number; p99: number }

type Rules = { databasePid: number; connections: number; rounds: number }

/**
 * Lets programs take turns on the same database, so that a change in the machine's load meets all of them. The first round warms
 * everything up and does not count; each program has it whole, because one that got a share of it would still be compiling later on.
 */
export async function duel<Name extends string>(
  sides: Record<Name, Side>,
  rules: Rules,
): Promise<Record<Name, Result>> {
  const names = Object.keys(sides) as Name[]
  const seen = new Map<Name, Result[]>(names.map((name) => [name, []]))
  for (let round = 0; round <= rules.rounds; round++) {
    // Each time in the other order: what one leaves behind for the next (dirty pages, caches) evens out.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const side = sides[name]
      if (round > 0) seen.get(name)?.push(await volley(side, rules))
      else for (const program of side.programs) await volley({ ...side, programs: [program] }, rules)
    }
  }
  return Object.fromEntries(names.map((name) => [name, medians(seen.get(name) ?? [])])) as Record<
    Name,
    Result
  >
}

async function volley({ programs, requests }: Side, { databasePid, connections }: Rules): Promise<Result> {
  const prepared = requests()
  const spent = () =>
    [databasePid, ...programs.map(({ pid }) => pid)].reduce((all, pid) => all + cpuSeconds(pid), 0)
  const before = spent()
  const volleys = await Promise.all(
    programs.map(({ url }, i) =>
      fire({
        url,
        connections: connections / programs.length,
        requests: prepared.filter((_, n) => n % programs.length === i),
      }),
    ),
  )
  const latencies = new Float64Array(volleys.flatMap((one) => [...one.latencies])).sort()
  return {
    cpu: ((spent() - before) * 1000) / prepared.length,
    perSecond: prepared.length / Math.max(...volleys.map(({ seconds }) => seconds)),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
  }
}

function medians(results: Result[]): Result {
  const of = (key: keyof Result) => median(results.map((result) => result[key]))
  return { cpu: of('cpu'), perSecond: of('perSecond'), p95: of('p95'), p99: of('p99') }
}
