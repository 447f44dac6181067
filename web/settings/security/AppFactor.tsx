import { Button } from '@mantine/core'
import { useState } from 'react'
import { removeTotp, type readFactors } from '#contract/identity/factors.ts'
import type { Reply } from '#contract/endpoint.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { refreshFactors } from './refresh.ts'
import { Section } from './Section.tsx'
import type { FactorProps } from './Security.tsx'
import { SetUpApp } from './SetUpApp.tsx'

type App = NonNullable<Reply<typeof readFactors>['totp']>

export function AppFactor({ factors: { totp }, onCodes }: FactorProps) {
  const [open, setOpen] = useState<'set-up' | 'remove' | null>(null)
  return (
    <Section
      title="Authenticator app"
      badge={totp ? { tone: 'success', word: 'On' } : { tone: 'neutral', word: 'Off' }}
      about="An app on your phone shows six digits that change every half minute. It works without a connection."
      actions={
        <>
          <Button variant={totp ? 'default' : 'filled'} onClick={() => setOpen('set-up')}>
            {totp ? 'Move to another app' : 'Set up an app'}
          </Button>
          {totp && (
            <Button variant="default" color="red" onClick={() => setOpen('remove')}>
              Remove app
            </Button>
          )}
        </>
      }
    >
      {totp && <Since app={totp} />}
      {open === 'set-up' && (
        <SetUpApp isMove={totp !== null} onCodes={onCodes} onClose={() => setOpen(null)} />
      )}
      <RemoveApp isOpen={open === 'remove'} onClose={() => setOpen(null)} />
    </Section>
  )
}

function Since({ app: { createdAt, lastUsedAt } }: { app: App }) {
  return (
    <p>
      Set up on <DateTime iso={createdAt} />
      {lastUsedAt && (
        <>
          , last used <RelativeTime iso={lastUsedAt} />
        </>
      )}
      .
    </p>
  )
}

function RemoveApp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const remove = useChange(removeTotp)
  const confirm = () =>
    attempt(async () => {
      await remove.mutateAsync({})
      await refreshFactors()
    }, 'The authenticator app was removed.')
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Remove the authenticator app?"
      confirmLabel="Remove app"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Its codes no longer work. Without a passkey nothing but your password protects your account then, and
        your recovery codes end.
      </p>
      <p>You stay signed in, here and elsewhere.</p>
    </ConfirmDialog>
  )
}
