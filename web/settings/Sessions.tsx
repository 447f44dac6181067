import { Button } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { deviceName } from '#contract/platform/devices.ts'
import { endOtherSessions, endOwnSession, listSessions, type Session } from '#contract/identity/sessions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '#web/api/query.ts'
import { signOut } from '#web/session/leave.ts'
import { lock } from '#web/session/lock.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { plural } from '#web/ui/format.ts'
import { SessionList } from '#web/ui/SessionList.tsx'
import shapes from '#web/ui/look/shapes.module.css'

/** Where the reader is signed in, and how to end that. */
export function Sessions() {
  const { page, error, retry } = useList(listSessions, {}, { every: 30_000 })
  const endOne = useChange(endOwnSession, [listSessions])
  const endOthers = useChange(endOtherSessions, [listSessions])
  if (error || !page) return <NotRead error={error} retry={retry} height={320} />
  const end = async ({ id, isPresent, browser }: Session) => {
    if (isPresent) return signOut()
    await attempt(
      () => endOne.mutateAsync({ params: { sessionId: id } }),
      `${deviceName(browser)} was signed out.`,
    )
  }
  const endAll = () =>
    attempt(
      () => endOthers.mutateAsync({}),
      ({ ended }) => `${plural(ended, 'other session')} ended.`,
    )
  const others = page.items.filter(({ isPresent }) => !isPresent).length
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="sessions"
    >
      <header className={shapes.spaceBetween}>
        <h2 id="sessions">Where you are signed in</h2>
        <div className={shapes.row}>
          <Button variant="default" onClick={lock}>
            Lock this one
          </Button>
          {others > 0 && (
            <Button
              variant="default"
              leftSection={<IconLogout size={16} aria-hidden />}
              loading={endOthers.isPending}
              onClick={() => void endAll()}
            >
              Sign out everywhere else
            </Button>
          )}
        </div>
      </header>
      <p className={shapes.lead}>
        A session ends by itself when nobody has been there for a while. End one that you do not know, then
        change your password.
      </p>
      <SessionList sessions={page.items} onEnd={(one) => void end(one)} />
      {others === 0 && <p className={shapes.lead}>You are signed in nowhere else.</p>}
    </section>
  )
}
