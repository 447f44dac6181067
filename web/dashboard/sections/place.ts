/** What a dashboard is about: one organization, or (null, for superadmins) all of them. */
export type OrganizationPlace = { orgId: string | null }

/** The address of a part of it. */
export function addressOf(orgId: string | null): { query?: { organizationId: string } } {
  return orgId === null ? {} : { query: { organizationId: orgId } }
}
