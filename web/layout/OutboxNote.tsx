import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readConfig } from '#contract/platform/system.ts'
import { queryOf } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '../session/useSession.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'

/** Whether mails rest in the outbox, for want of a mail server. */
export function useMailRests(): boolean {
  return useQuery(queryOf(readConfig, {})).data?.outbox ?? false
}

/** What becomes of mails without a mail server, and who can change that. */
export function OutboxWay() {
  const { role } = useUser()
  if (role !== 'superadmin')
    return <>No mail server is set up, so mails rest in the outbox. A superadmin can set one up.</>
  return (
    <>
      No mail server is set up, so mails rest in{' '}
      <Link to={paths.settings()} search={{ tab: 'outbox' }}>
        the outbox
      </Link>
      .{' '}
      <Link to={paths.settings()} search={{ tab: 'mail' }}>
        Set up a mail server
      </Link>
    </>
  )
}

/** The same as a line of its own; nothing where mails leave. */
export function OutboxNote() {
  return useMailRests() ? (
    <Notice tone="warning">
      <OutboxWay />
    </Notice>
  ) : null
}
