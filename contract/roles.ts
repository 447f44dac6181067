/** Who may do what: the one table that pages, API and tests read. */
export const roles = ['superadmin', 'admin', 'groupadmin'] as const
export type Role = (typeof roles)[number]

export const everyRole: readonly Role[] = [...roles]
export const adminRoles: readonly Role[] = ['admin', 'superadmin']
export const superadminOnly: readonly Role[] = ['superadmin']

/** Roles are compared in lower case (specification, section 6). */
export function asRole(value: string | null | undefined): Role | null {
  const lower = value?.toLowerCase()
  return roles.find((role) => role === lower) ?? null
}

const rank: Record<Role, number> = { groupadmin: 1, admin: 2, superadmin: 3 }

/** Nobody grants a role above their own; `null` is a recipient without console access. */
export function mayGrant(actor: Role, granted: Role | null): boolean {
  return granted === null || rank[granted] <= rank[actor]
}

/** The pages below `/layouts/` that show one choice of the layout each, in the order of their menu. */
export const layoutPages = [
  'scrollable',
  'compact',
  'boxed',
  'horizontal',
  'sidebars/compact',
  'sidebars/icon-view',
  'sidebars/on-hover',
  'sidebars/on-hover-active',
  'sidebars/offcanvas',
  'sidebars/no-icons-with-lines',
  'sidebars/with-lines',
  'sidebars/light',
  'sidebars/gradient',
  'sidebars/gray',
  'sidebars/image',
  'topbars/dark',
  'topbars/gray',
  'topbars/gradient',
  'topbars/with-sub-items',
  'topbars/with-tools',
] as const
export type LayoutPage = (typeof layoutPages)[number]

export type PageAccess = { path: string; roles: readonly Role[]; fallback?: string }

/**
 * Protected pages with their roles. A page that is missing here redirects to sign-in, as the specification
 * asks; `fallback` is where a signed-in person without the role goes instead.
 */
const ownPages = [
  { path: '/dashboard', roles: everyRole },
  { path: '/dashboard/failed-mails', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations', roles: everyRole },
  { path: '/organizations/create', roles: superadminOnly, fallback: '/organizations' },
  { path: '/organizations/invitations', roles: superadminOnly, fallback: '/organizations' },
  { path: '/organizations/invite', roles: superadminOnly, fallback: '/organizations' },
  { path: '/organizations/$orgId/invite', roles: everyRole },
  { path: '/organizations/$orgId/edit', roles: superadminOnly, fallback: '/organizations' },
  { path: '/organizations/$orgId/sign-in', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/connections/create', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/connections/$connectionId', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/dashboard', roles: everyRole },
  { path: '/organizations/$orgId/systems', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/systems/$eventAddressId', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/users/create', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/users/$userId', roles: everyRole },
  { path: '/organizations/$orgId/users/$userId/videos/$videoId', roles: everyRole },
  { path: '/organizations/$orgId/users/import', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/users/$userId/edit', roles: adminRoles, fallback: '/dashboard' },
  { path: '/organizations/$orgId/groups/create', roles: everyRole },
  { path: '/organizations/$orgId/groups/$groupId/edit', roles: everyRole },
  { path: '/transmissions', roles: adminRoles, fallback: '/dashboard' },
  { path: '/transmissions/create', roles: adminRoles, fallback: '/dashboard' },
  { path: '/transmissions/templates', roles: adminRoles, fallback: '/dashboard' },
  { path: '/transmissions/barred-addresses', roles: adminRoles, fallback: '/dashboard' },
  { path: '/transmissions/$transmissionId', roles: adminRoles, fallback: '/dashboard' },
  { path: '/transmissions/$transmissionId/edit', roles: adminRoles, fallback: '/dashboard' },
  { path: '/assignments', roles: adminRoles, fallback: '/dashboard' },
  { path: '/assignments/create', roles: adminRoles, fallback: '/dashboard' },
  { path: '/assignments/$orgId/$assignmentId', roles: adminRoles, fallback: '/dashboard' },
  { path: '/assignments/$orgId/$assignmentId/edit', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content/$videoId', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content/$videoId/quiz', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content/$videoId/captions/$language', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content/$videoId/viewing', roles: adminRoles, fallback: '/dashboard' },
  { path: '/content/$videoId/quiz/results', roles: adminRoles, fallback: '/dashboard' },
  { path: '/reports/account-user-activity', roles: everyRole },
  { path: '/reports/user-engagement', roles: everyRole },
  { path: '/reports/account-activity', roles: adminRoles, fallback: '/dashboard' },
  { path: '/reports/message-analytics', roles: everyRole },
  { path: '/reports/quiz-metrics', roles: everyRole },
  { path: '/reports/training-matrix', roles: everyRole },
  { path: '/reports/schedules', roles: everyRole },
  { path: '/messages', roles: everyRole },
  { path: '/search', roles: everyRole },
  { path: '/settings', roles: everyRole },
  { path: '/settings/connections/create', roles: superadminOnly, fallback: '/settings' },
  { path: '/settings/connections/$systemConnectionId', roles: superadminOnly, fallback: '/settings' },
  { path: '/recently-removed', roles: everyRole },
  { path: '/recently-removed/$operationId', roles: everyRole },
] as const satisfies readonly PageAccess[]

export const pages: readonly PageAccess[] = [
  ...ownPages,
  ...layoutPages.map((page) => ({ path: `/layouts/${page}`, roles: everyRole })),
]

export type PagePath = (typeof ownPages)[number]['path']

type NameIn<Part extends string> = Part extends `$${infer Name}` ? Name : never
type NamesIn<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? NameIn<Part> | NamesIn<Rest>
  : NameIn<Path>

/** What stands in an address where its pattern has `$name`. */
export type PageParams<Path extends PagePath> = { readonly [Name in NamesIn<Path>]: string }
