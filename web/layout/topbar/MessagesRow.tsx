import { IconMailbox } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readInboxState } from '#contract/inbox.ts'
import { queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { formatNumber } from '#web/ui/format.ts'
import menu from '#web/ui/menu.module.css'

/** To what somebody was sent themselves, with how much of it is new. */
export function MessagesRow({ onFollow }: { onFollow: () => void }) {
  const { data } = useQuery(queryOf(readInboxState, {}))
  const unread = data?.unread ?? 0
  return (
    <Link className={menu.row} to={paths.inbox()} onClick={onFollow}>
      <IconMailbox size={18} aria-hidden />
      <span>Your messages{unread > 0 && `, ${formatNumber(unread)} new`}</span>
    </Link>
  )
}
