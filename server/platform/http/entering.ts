/** Condition on aliases of a person and their organization: they may sign in, and go on being signed in. */
export const enters = (user: string, organization: string) =>
  `${user}.deleted_at is null and ${user}.state in ('active', 'invited')
    and (${organization}.id is null or (${organization}.state = 'active' and ${organization}.deleted_at is null))`
