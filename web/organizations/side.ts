import { dialogOnDemand } from '../ui/onDemand.tsx'

const open = () => import('./forms/Side.tsx')

/** Forms over the lists. */
export const UserSide = dialogOnDemand(async () => (await open()).UserSide)
export const GroupSide = dialogOnDemand(async () => (await open()).GroupSide)
export const OrganizationSide = dialogOnDemand(async () => (await open()).OrganizationSide)

/** For loaders: fetched while the pointer is on its way. */
export const fetchSide = open
