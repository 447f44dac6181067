import { Button } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { endUserSessions, listUserSessions, type Session } from '#contract/identity/sessions.ts'
import type { User } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '../api/query.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { plural } from '../ui/format.ts'
import { SessionList } from '../ui/SessionList.tsx'
import shapes from '#web/ui/shapes.module.css'

/** Where somebody is signed in, and an end to it. */
export function UserSessions({ orgId, user }: { orgId: string; user: User }) {
  const params = { orgId, userId: user.id }
  const { page, error, retry } = useList(listUserSessions, { params }, { every: 30_000 })
  const endSessions = useChange(endUserSessions, [listUserSessions])
  if (error || !page) return <NotRead error={error} retry={retry} height={96} />
  if (page.items.length === 0)
    return <p className={shapes.lead}>{user.name} is not signed in anywhere now.</p>
  const end = (one?: Session) =>
    attempt(
      () => endSessions.mutateAsync({ params, body: one ? { sessionId: one.id } : {} }),
      ({ ended }) => `${plural(ended, 'session')} of ${user.name} ended.`,
    )
  return (
    <>
      <header className={shapes.apart}>
        <h3>Signed in now</h3>
        <Button
          variant="default"
          leftSection={<IconLogout size={16} aria-hidden />}
          loading={endSessions.isPending}
          onClick={() => void end()}
        >
          Sign out everywhere
        </Button>
      </header>
      <SessionList sessions={page.items} onEnd={(one) => void end(one)} />
    </>
  )
}
