import type { Authenticated, SessionUser, Impersonation } from '#contract/identity/auth.ts'
import { asRole } from '#contract/roles.ts'
import { storage } from '../ui/browser/storage.ts'
import { openStore } from '../ui/browser/store.ts'
import { drafts } from './forms/drafts.ts'
import { visits } from './visits.ts'

/** Starts with `persist:auth`, as the specification says; holds token, user and isAuthenticated, nothing else. */
export const storageKey = 'persist:auth'

export type Session = {
  token: string | null
  user: SessionUser | null
  isAuthenticated: boolean
  authIdentifier: string | null
  authStep: 'signin' | 'confirm' | 'completed' | null
  authType: 'email' | 'other' | null
  /** The session looks through the eyes of `user`; known from the server alone, and never kept. */
  viewing: Impersonation | null
}

export const signedOut: Session = {
  token: null,
  user: null,
  isAuthenticated: false,
  authIdentifier: null,
  authStep: 'signin',
  authType: null,
  viewing: null,
}

export type SessionEvent =
  | { type: 'identified'; identifier: string; authType?: 'email' | 'other' }
  | { type: 'signed-in'; token: string; user: SessionUser }
  | { type: 'token-set'; token: string }
  | { type: 'user-read'; user: SessionUser; viewing?: Impersonation | null }
  | { type: 'reset-mailed'; identifier: string }
  | { type: 'reset-cleared' }
  | { type: 'flow-cleared' }
  | { type: 'signed-out' }

/** The authentication flow of the specification, section 4, as one pure step. */
export function step(state: Session, event: SessionEvent): Session {
  switch (event.type) {
    case 'identified':
      return {
        ...state,
        authIdentifier: event.identifier,
        authStep: 'confirm',
        authType: event.authType ?? state.authType,
      }
    case 'signed-in':
      return {
        token: event.token,
        user: event.user,
        isAuthenticated: true,
        authIdentifier: null,
        authStep: 'completed',
        authType: null,
        viewing: null,
      }
    case 'token-set':
      return {
        ...state,
        token: event.token,
        isAuthenticated: true,
        authIdentifier: null,
        authStep: 'completed',
        authType: null,
      }
    case 'user-read':
      return { ...state, user: event.user, viewing: event.viewing ?? null }
    case 'reset-mailed':
      return { ...state, authIdentifier: event.identifier, authStep: 'confirm', authType: 'email' }
    case 'reset-cleared':
      return { ...state, authIdentifier: null, authStep: null, authType: null }
    case 'flow-cleared':
      return { ...state, authStep: null }
    case 'signed-out':
      return signedOut
  }
}

type StoredSession = Pick<Session, 'token' | 'user' | 'isAuthenticated'>

function toKept({ token, user, isAuthenticated }: Session): StoredSession {
  return { token, user, isAuthenticated }
}

/** What storage holds, read with suspicion: anything but a token with a person who has a role is a signed-out session. */
export function fromKept(text: string | null): Session {
  try {
    const stored: Partial<StoredSession> | null = text === null ? null : JSON.parse(text)
    const role = asRole(stored?.user?.role)
    if (!stored?.isAuthenticated || typeof stored.token !== 'string' || !stored.user || role === null)
      return signedOut
    // A session that was saved by an earlier version knows nothing of second factors.
    const user = { ...stored.user, role, mfa: stored.user.mfa ?? { enrolled: false, methods: [] } }
    return step(signedOut, { type: 'signed-in', token: stored.token, user })
  } catch {
    return signedOut
  }
}

const store = openStore(readKept)
let ended: 'expired' | undefined

function readKept(): Session {
  return fromKept(storage.read(storageKey))
}

function set(next: Session): void {
  storage.write(storageKey, JSON.stringify(toKept(next)))
  store.set(next)
}

export const session = {
  read: store.read,
  apply(event: SessionEvent): void {
    set(step(session.read(), event))
    if (event.type === 'signed-out') storage.forgetPerson()
    if (event.type === 'signed-in')
      for (const perPerson of [drafts, visits]) perPerson.forgetOthers(event.user.id)
  },
  signIn: ({ token, user }: Authenticated): void => session.apply({ type: 'signed-in', token, user }),
  /** The server no longer knows this token. A newer one, from another tab, stays. */
  expire(token: string): void {
    // Another tab may have renewed it before this one heard of it.
    const stored = readKept()
    if (stored.token !== null && stored.token !== token) store.set(stored)
    if (session.read().token !== token) return
    ended = 'expired'
    // Drafts stay: their owner signs in again and comes back to the same page.
    set(step(session.read(), { type: 'signed-out' }))
  },
  /** Whether the session ended by itself, so that the sign-in page can come back here. */
  hasExpired: (): boolean => ended === 'expired',
  subscribe: store.subscribe,
  /** Keeps the tabs of one browser in step. */
  follow(): void {
    drafts.forgetOld()
    globalThis.addEventListener('storage', (event) => {
      if (event.key !== storageKey && event.key !== null) return
      const { user, viewing } = session.read()
      const stored = readKept()
      store.set(stored.user?.id === user?.id ? { ...stored, viewing } : stored)
    })
  },
}
