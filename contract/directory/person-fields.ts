import type { ImportTarget } from '../imports/imports.ts'
import type { User, UserInput } from './users.ts'

/** Where a field is met beside the API; null: nowhere there, on purpose. */
type Places = {
  /** In `users`; null: of other tables. */
  column: string | null
  /** Whether the form of a person asks for it. */
  form: boolean
  /** The key of its column in the list of people. */
  list: string | null
  /** What columns of an imported file may be. */
  import: readonly ImportTarget[] | null
  /** The heading of its column in the exported list. */
  export: string | null
  /** Its key in the profile of the file about a person. */
  file: string | null
}

const nowhere = { form: false, list: null, import: null, export: null, file: null }

/**
 * Every field of a person, in the order of the columns of the exported list. A field that is added to the contract does not compile
 * until it stands here, and tests compare each of its places with what is there: `web/people/personFields.test.ts` and
 * `server/directory/users/person-fields.test.ts`.
 */
export const personFields: Readonly<Record<keyof User | keyof UserInput, Places>> = {
  id: { ...nowhere, column: 'id', file: 'id' },
  organizationId: { ...nowhere, column: 'organization_id' },
  name: {
    column: 'name',
    form: true,
    list: 'name',
    import: ['name', 'firstName', 'lastName'],
    export: 'Name',
    file: 'name',
  },
  email: {
    column: 'email',
    form: true,
    list: 'email',
    import: ['email'],
    export: 'Email',
    file: 'email',
  },
  phone: { column: 'phone', form: true, list: 'phone', import: ['phone'], export: 'Phone', file: 'phone' },
  externalId: {
    column: 'external_id',
    form: true,
    list: 'external',
    import: ['externalId'],
    export: 'External ID',
    file: 'externalId',
  },
  language: {
    ...nowhere,
    column: 'language',
    form: true,
    import: ['language'],
    export: 'Language',
    file: 'language',
  },
  timeZone: {
    ...nowhere,
    column: 'time_zone',
    form: true,
    import: ['timeZone'],
    export: 'Time zone',
    file: 'timeZone',
  },
  manager: {
    ...nowhere,
    column: 'manager',
    form: true,
    import: ['manager'],
    export: 'Manager',
    file: 'manager',
  },
  role: { column: 'role', form: true, list: 'role', import: ['role'], export: 'Role', file: 'role' },
  state: { column: 'state', form: true, list: 'state', import: ['state'], export: 'State', file: 'state' },
  // The file about a person has them in a part of their own.
  groups: { ...nowhere, column: null, list: 'groups', import: ['groups'], export: 'Groups' },
  // Columns of the list and of files are called as the organization calls them.
  customFields: { ...nowhere, column: 'custom_fields', form: true, file: 'customFields' },
  groupIds: { ...nowhere, column: null, form: true },
  adminGroupIds: { ...nowhere, column: null, form: true },
  avatar: { ...nowhere, column: 'avatar', file: 'picture' },
  lastSeenAt: {
    ...nowhere,
    column: 'last_seen_at',
    list: 'seen',
    export: 'Last in console',
    file: 'lastSeenAt',
  },
  createdAt: { ...nowhere, column: 'created_at', list: 'created', export: 'Added', file: 'createdAt' },
  updatedAt: { ...nowhere, column: 'updated_at', file: 'updatedAt' },
  deleteAfter: { ...nowhere, column: 'delete_after', file: 'deleteAfter' },
}
