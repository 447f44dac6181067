import { useSyncExternalStore } from 'react'
import type { SessionUser } from '#contract/identity/auth.ts'
import { session, type Session } from '#web/api/session.ts'

export function useSession(): Session {
  return useSyncExternalStore(session.subscribe, session.read)
}

const nobody: SessionUser = {
  id: '',
  email: '',
  name: '',
  role: 'groupadmin',
  avatar: null,
  organizationId: null,
  organizationName: null,
  groupIds: [],
  mfa: { enrolled: false, methods: [] },
}

/** The signed-in person. On protected pages there always is one; the moment after signing out gets an empty one. */
export function useUser(): SessionUser {
  return useSession().user ?? nobody
}
