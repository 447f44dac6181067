import type { Role } from '#contract/roles.ts'
import type { User } from '#contract/directory/users.ts'

/** Of a dialog in which an administrator decides about how somebody signs in. */
export type AccessProps = { orgId: string; user: User; onClose: () => void }

/** Whether there is something to decide for this administrator about this person, who may be locked out by wrong passwords. */
export type Fits = (user: User, actor: Role, isLockedOut: boolean) => boolean
