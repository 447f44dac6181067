import { asRole, pages, type Role } from '#contract/roles.ts'
import type { Session } from '#web/api/session.ts'

export type Verdict = { kind: 'allow' } | { kind: 'sign-in' } | { kind: 'elsewhere'; to: string }

/**
 * Who may open a protected page (specification, section 6): nobody without a role, nobody where the page names
 * no roles; a person without the right role goes to the page's fallback, or to sign-in.
 */
export function admit(
  { isAuthenticated, user }: Pick<Session, 'isAuthenticated' | 'user'>,
  page: string,
): Verdict {
  const role: Role | null = isAuthenticated ? asRole(user?.role) : null
  if (role === null) return { kind: 'sign-in' }
  if (mayOpen(role, page)) return { kind: 'allow' }
  const to = pages.find(({ path }) => path === page)?.fallback
  return to ? { kind: 'elsewhere', to } : { kind: 'sign-in' }
}

/** Whether the table of roles names this one for the page, which stands there by its pattern. */
export function mayOpen(role: Role, page: string): boolean {
  return pages.some(({ path, roles }) => path === page && roles.includes(role))
}
