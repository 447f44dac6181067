import { stopImpersonating, viewAs } from '#contract/identity/view-as.ts'
import { call } from '#web/api/client.ts'
import { restoreSession } from '#web/api/restore.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { openAnew } from './leave.ts'

/** From here on the console is the one of this person, in every tab of this browser. */
export async function startViewing(body: { userId: string; reason: string }): Promise<void> {
  const { user, viewing } = await call(viewAs, { body })
  openAnew(paths.dashboard())
  session.apply({ type: 'user-read', user, viewing })
}

/** Back to oneself, and to the person who was looked at. */
export async function endViewing(): Promise<void> {
  const { user } = session.read()
  await call(stopImpersonating, {})
  openAnew(user?.organizationId ? paths.userEdit(user.organizationId, user.id) : paths.dashboard())
  await restoreSession()
}
