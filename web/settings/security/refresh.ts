import { readFactors } from '#contract/identity/factors.ts'
import { refreshAll } from '#web/api/query.ts'
import { restoreSession } from '#web/api/restore.ts'

/** After a factor came or went: the list, and what the session says about its person. */
export async function refreshFactors(): Promise<void> {
  await Promise.all([refreshAll([readFactors]), restoreSession()])
}
