import { useQuery } from '@tanstack/react-query'
import { readGroup } from '#contract/directory/groups.ts'
import { adminRoles } from '#contract/roles.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { queryOf } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'

/** What a filter names by its id; undefined until it is known. */
export function useGroupName(orgId: string, groupId: string | undefined): string | undefined {
  const address = { params: { orgId, groupId: groupId ?? '' } }
  return useQuery({ ...queryOf(readGroup, address), enabled: groupId !== undefined }).data?.name
}

/** Only administrators may look a video up. */
export function useVideoTitle(videoId: string | undefined): string | undefined {
  const isAllowed = adminRoles.includes(useUser().role)
  const address = { params: { videoId: videoId ?? '' } }
  return useQuery({ ...queryOf(readVideo, address), enabled: isAllowed && videoId !== undefined }).data?.title
}
