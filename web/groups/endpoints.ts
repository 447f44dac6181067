import { listMembers, readGroupHistory } from '#contract/directory/members.ts'
import { userEndpoints } from '../people/RemoveUser.tsx'

/** What shows who is in a group. */
export const memberEndpoints = [...userEndpoints, listMembers, readGroupHistory]
