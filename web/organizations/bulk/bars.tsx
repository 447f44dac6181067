import { onDemand } from '../../ui/onDemand.tsx'

/** Fetched when the first row is selected. */
export const UserBulk = onDemand(async () => (await import('./UserBulk.tsx')).UserBulk)
export const GroupBulk = onDemand(async () => (await import('./GroupBulk.tsx')).GroupBulk)
export const OrganizationBulk = onDemand(
  async () => (await import('./OrganizationBulk.tsx')).OrganizationBulk,
)
