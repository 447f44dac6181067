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
  const rule = pages.find(({ path }) => path === page)
  if (role === null || !rule) return { kind: 'sign-in' }
  if (rule.roles.includes(role)) return { kind: 'allow' }
  return rule.fallback ? { kind: 'elsewhere', to: rule.fallback } : { kind: 'sign-in' }
}
