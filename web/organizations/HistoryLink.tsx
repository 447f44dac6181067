import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { adminRoles } from '#contract/roles.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/useSession.ts'

/** To what the audit log knows about one thing, for those who may open it. */
export function HistoryLink({ entity, id }: { entity: 'user' | 'group' | 'organization'; id: string }) {
  if (!adminRoles.includes(useUser().role)) return null
  return (
    <Button
      renderRoot={(props) => (
        <Link {...props} to={paths.settings()} search={{ tab: 'audit', entity, entityId: id }} />
      )}
      variant="default"
      leftSection={<IconHistory size={16} aria-hidden />}
    >
      History
    </Button>
  )
}
