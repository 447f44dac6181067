/** What a dashboard is about: one organization, or (null, for superadmins) all of them. */
export type OrganizationPlace = { orgId: string | null }

/** The address of a part of it. */
export function addressOf(orgId: string | null): { query?: { organizationId: string } } {
  return orgId === null ? {} : { query: { organizationId: orgId } }
}

/** Milliseconds between two readings, while the page is looked at: a hidden tab asks for nothing. */
export const rhythm = {
  /** Something is on its way. */
  work: 10_000,
  /** Nothing is, but something may begin. */
  calm: 30_000,
  /** Sums and trends, which no single viewing changes by much. */
  figures: 60_000,
} as const
