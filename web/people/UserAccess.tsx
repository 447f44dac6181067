import { Button, Textarea, TextInput } from '@mantine/core'
import { useState, type ComponentType } from 'react'
import { listUserSessions, unlockUser, endUserSessions, type Session } from '#contract/identity/sessions.ts'
import { language } from '#contract/platform/text/language.ts'
import type { User } from '#contract/directory/users.ts'
import { useList, useChange } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'
import { Lines } from '../ui/Lines.tsx'
import type { AccessProps, Fits } from '../organizations/access.ts'
import { AskForPassword } from '../organizations/AskForPassword.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { attempt } from '#web/api/attempt.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { viewingMinutes } from '#contract/identity/view-as.ts'
import { useOneField } from '../api/forms/oneField.ts'
import { startViewing } from '../session/viewing.ts'
import { FormDialog } from '../ui/overlays/FormDialog.tsx'
import { plural } from '../ui/format.ts'
import { resetFactors } from '#contract/identity/factors.ts'
import { toast } from '../ui/feedback/toasts.ts'
import { IconLogout } from '@tabler/icons-react'
import { NotRead } from '#web/api/NotRead.tsx'
import { SessionList } from '../ui/SessionList.tsx'

type Action = {
  key: string
  label: string
  /** What follows from it, in one sentence. */
  about: string
  fits: Fits
  /** Asks and does it. */
  dialog: ComponentType<AccessProps>
}

/** For somebody whose password was switched off by wrong ones, their own or those of a stranger. */
function Unlock({ orgId, user, onClose }: AccessProps) {
  const unlock = useChange(unlockUser, [listUserSessions])
  const confirm = () =>
    attempt(
      () => unlock.mutateAsync({ params: { orgId, userId: user.id } }),
      `${user.name} can sign in with their password again.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Unlock ${user.name}?`}
      confirmLabel="Unlock"
      isDangerous={false}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Their password works again, and wrong ones are counted from the start. If somebody else has been
        guessing, ask for a new password instead.
      </p>
    </ConfirmDialog>
  )
}

/** Asks why, and then shows the console as that person sees it. */
function ViewAs({ user, onClose }: AccessProps) {
  const { field, submit, isBusy } = useOneField('reason', '', (reason) =>
    startViewing({ userId: user.id, reason }),
  )
  return (
    <FormDialog
      title={`View as ${user.name}?`}
      submitLabel="Start viewing"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        For {plural(viewingMinutes, 'minute')} you see what they see, in every tab of this browser. You cannot
        change anything, and their own work goes on undisturbed.
      </p>
      <Textarea
        {...field}
        label="Reason"
        description="The audit log keeps it; the administrators of the organization can read it."
        placeholder="For example: they report that a list stays empty"
        autosize
        minRows={2}
        maxLength={500}
      />
    </FormDialog>
  )
}

/** For somebody who has lost phone, passkey and codes; told to them, with the reason. */
function ResetFactors({ orgId, user, onClose }: AccessProps) {
  const reset = useChange(resetFactors)
  const { field, submit, isBusy } = useOneField('reason', '', async (reason) => {
    await reset.mutateAsync({ params: { orgId, userId: user.id }, body: { reason } })
    toast.success(`The second step of ${user.name} was reset.`)
    onClose()
  })
  return (
    <FormDialog
      title={`Reset the second step of ${user.name}?`}
      submitLabel="Reset second step"
      isDangerous
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        The authenticator app, all passkeys and the recovery codes are removed, and {user.name} is signed out
        everywhere. The password stays; the next sign-in asks for a new second step where one is required.
      </p>
      <p>Make sure that it is really {user.name} who asks, for example by calling them.</p>
      <TextInput
        {...field}
        label="Reason"
        description="It goes into the mail that they get, and into the audit log."
        maxLength={500}
        autoComplete="off"
      />
    </FormDialog>
  )
}

/** What an administrator can do about how somebody signs in. */
const actions: readonly Action[] = [
  {
    key: 'view-as',
    label: 'View as this person',
    about: 'See the console as they see it, for half an hour and without changing anything.',
    fits: (user, actor) => actor === 'superadmin' && user.role !== 'superadmin' && user.state === 'active',
    dialog: ViewAs,
  },
  {
    key: 'unlock',
    label: 'Unlock',
    about: 'Too many wrong passwords have switched the right one off.',
    fits: (_user, _actor, isLockedOut) => isLockedOut,
    dialog: Unlock,
  },
  {
    key: 'ask-for-password',
    label: 'Ask for a new password',
    about: 'When their password may have become known to somebody else.',
    fits: (user) => user.state === 'active',
    dialog: AskForPassword,
  },
  {
    key: 'reset-factors',
    label: 'Reset second step',
    about: 'For somebody who has lost their phone, their passkeys and their recovery codes.',
    fits: () => true,
    dialog: ResetFactors,
  },
]

export function UserAccess({ orgId, user }: { orgId: string; user: User }) {
  const [open, setOpen] = useState<Action | null>(null)
  const actor = useUser().role
  const params = { orgId, userId: user.id }
  const { page } = useList(listUserSessions, { params }, { every: 30_000 })
  const isLockedOut = page?.isLockedOut ?? false
  const connections = page?.connections ?? []
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="user-access"
    >
      <h2 id="user-access">Sign-in</h2>
      {connections.length > 0 && (
        <p>
          {user.name} signs in by {new Intl.ListFormat(language).format(connections)}.
        </p>
      )}
      <Lines>
        {actions
          .filter(({ fits }) => fits(user, actor, isLockedOut))
          .map((action) => (
            <li key={action.key}>
              <p>{action.about}</p>
              <Button variant="default" aria-haspopup="dialog" onClick={() => setOpen(action)}>
                {action.label}
              </Button>
            </li>
          ))}
      </Lines>
      <UserSessions orgId={orgId} user={user} />
      {open && <open.dialog orgId={orgId} user={user} onClose={() => setOpen(null)} />}
    </section>
  )
}

/** Where somebody is signed in, and an end to it. */
function UserSessions({ orgId, user }: { orgId: string; user: User }) {
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
      <header className={shapes.spaceBetween}>
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
