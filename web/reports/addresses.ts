import type { AccountActivity } from '#contract/reports/reports.ts'
import { paths } from '#web/paths.ts'

/** The page of what an entry is about; undefined where there is none, or none any more. */
export function addressOf({ entity, entityId, exists, organizationId }: AccountActivity): string | undefined {
  if (!exists || entityId === null) return undefined
  if (entity === 'video') return paths.video(entityId)
  if (entity === 'transmission') return paths.transmission(entityId)
  if (entity === 'organization') return paths.organizationDashboard(entityId)
  if (organizationId === null) return undefined
  if (entity === 'user') return paths.userEdit(organizationId, entityId)
  return entity === 'group' ? paths.groupEdit(organizationId, entityId) : undefined
}
