import type { Role } from '#contract/roles.ts'

/** Roles in the words of the screen. */
export const roleNames: Record<Role, string> = {
  superadmin: 'Superadmin',
  admin: 'Administrator',
  groupadmin: 'Group administrator',
}
