import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { listGroups, readGroup } from '#contract/groups.ts'
import { listInvitations } from '#contract/invitations.ts'
import { listOperationRows, listOperations, readOperation, type Operation } from '#contract/operations.ts'
import {
  listOrganizations,
  readDashboard,
  readOrganization,
  readOrganizationDashboard,
} from '#contract/organizations.ts'
import { listTraining, readTraining, readTrainingCell } from '#contract/training.ts'
import { listTransmissions, readTransmission, readTransmissionPlan } from '#contract/transmissions.ts'
import { listUsers, readUser } from '#contract/users.ts'
import { listProjects, listVideos, readVideo, searchVideos } from '#contract/videos.ts'
import { queryOf, refreshAll } from '#web/api/query.ts'
import { isWorking } from './titles.ts'

/** Everything that shows what an operation may have changed. */
export const touched = [
  listUsers,
  readUser,
  listGroups,
  readGroup,
  listInvitations,
  listOrganizations,
  readOrganization,
  readOrganizationDashboard,
  readDashboard,
  listOperations,
  listOperationRows,
  readTraining,
  listTraining,
  readTrainingCell,
  listVideos,
  searchVideos,
  readVideo,
  listProjects,
  listTransmissions,
  readTransmission,
  readTransmissionPlan,
]

/** Often at first, then seldom: milliseconds until the next look. */
const pauseAfter = (looks: number) => Math.min(300 * 1.3 ** looks, 3_000)

/** An operation, read again as long as something happens to it; at its end the lists are read anew. */
export function useProgress(operationId: string): { operation: Operation | undefined; error: Error | null } {
  const query = useQuery({
    ...queryOf(readOperation, { params: { operationId } }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && isWorking(data) ? pauseAfter(dataUpdateCount) : false,
  })
  const operation = query.data
  // How it ended, and not whether it works: what is taken back quickly is never seen at work.
  const ended = operation && !isWorking(operation) ? operation.state : null
  useEffect(() => {
    if (ended !== null) void refreshAll(touched)
  }, [ended])
  return { operation, error: query.error }
}
