import { listMembers, readGroupHistory } from '#contract/members.ts'
import { userEndpoints } from '../RemoveUser.tsx'

/** What shows who is in a group. */
export const memberEndpoints = [...userEndpoints, listMembers, readGroupHistory]
