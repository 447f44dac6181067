import { useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { session } from '#web/api/session.ts'
import { keep } from '#web/ui/browser/persisted.ts'

const Id = z.uuid()
const parse = (text: string | null) => Id.safeParse(text).data ?? ''
const stored = keep<string>('working-organization', { parse, format: (id) => id })

/** The organization that a superadmin, who belongs to none, works in: chosen once and remembered. '' for all of them, and for others. */
export const working = {
  read: () => (session.read().user?.role === 'superadmin' ? stored.read() : ''),
  choose: stored.save,
}

export const useWorkingOrganization = () => useSyncExternalStore(stored.subscribe, working.read)

/** Pages that show the things of one organization or of all, as `organization` in their address says. */
const narrowed =
  /^\/(content|transmissions(\/(templates|barred-addresses))?|assignments|reports\/(?!schedules)[\w-]+)$/
export const isNarrowed = (path: string) => narrowed.test(path)

/** What a page is opened with whose address says nothing: the organization that is worked in. */
export function withWorking(path: string, search: string): { organization: string } | undefined {
  const organization = search === '' && isNarrowed(path) ? working.read() : ''
  return organization === '' ? undefined : { organization }
}
