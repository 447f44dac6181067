import { queryOptions } from '@tanstack/react-query'
import { listAudit } from '#contract/platform/audit.ts'
import { adminRoles } from '#contract/roles.ts'
import { call } from './client.ts'
import { session } from './session.ts'

/** Where the audit log tells of a thing: by its kind and id, or by what is done to it. */
export type Trace = { entity: string; entityId: string } | { action: string }

const patience = 3_000

/**
 * Names of those who have changed something after `since`, newest first; the present person is "You". None when the log may
 * not be read or does not answer: then the form says when, and not who.
 */
export function namesOf(trace: Trace, since: string) {
  return queryOptions({ queryKey: ['changedBy', trace, since], queryFn: () => changedBy(trace, since) })
}

async function changedBy(trace: Trace, since: string): Promise<string[]> {
  const { user } = session.read()
  if (!user || !adminRoles.includes(user.role)) return []
  try {
    const { items } = await call(listAudit, {
      query: { ...trace, from: since, limit: 10 },
      timeout: patience,
    })
    const names = items
      .filter(({ at, actor }) => at > since && actor !== null)
      .map(({ actor }) => (actor?.id === user.id ? 'You' : (actor?.name ?? '')))
    return [...new Set(names)].filter((name) => name !== '')
  } catch {
    return []
  }
}
