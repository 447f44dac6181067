import { refuse } from '../errors.ts'
import type { PlayClaims } from '../plays/token.ts'
import { answer, type Reply, type Run } from './run.ts'

const mostTrials = 1_000

type Beginning = { again: boolean; blank: () => Promise<Run> }

/**
 * Attempts of previews and of programs: they act like any other and leave nothing behind, because they live in the memory of this process alone, one
 * for each page that is open. A restart, or a thousand later trials, ends them; the page then begins anew.
 */
export function trialRuns() {
  const runs = new Map<string, Run>()

  function keep({ session }: PlayClaims, run: Run): Run {
    runs.delete(session)
    runs.set(session, run)
    const [oldest] = runs.keys()
    if (runs.size > mostTrials && oldest !== undefined) runs.delete(oldest)
    return run
  }

  return {
    async start(claims: PlayClaims, { again, blank }: Beginning): Promise<Run> {
      const known = runs.get(claims.session)
      return known && !(again && known.completedAt) ? known : keep(claims, await blank())
    },
    answer(claims: PlayClaims, { attemptId, reply }: { attemptId: string; reply: Reply }): Run {
      const known = runs.get(claims.session)
      if (known?.id !== attemptId) throw refuse('not_found')
      return keep(claims, answer(known, reply, new Date()).run)
    },
  }
}
