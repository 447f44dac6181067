import { Button, TextInput } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { removePasskey, type Passkey, readFactors, renamePasskey } from '#contract/identity/factors.ts'
import { attempt } from '#web/api/attempt.ts'
import { explainPasskey, makePasskey } from '#web/api/passkeys.ts'
import { passkeysWork } from '#web/api/passkeySupport.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { plural } from '#web/ui/format.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { refreshFactors } from './refresh.ts'
import { Section } from './Section.tsx'
import type { FactorProps } from './Recovery.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useOneField } from '#web/api/forms/oneField.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'

type OpenDialog = { what: 'rename' | 'remove'; passkey: Passkey }

export function Passkeys({ factors: { passkeys }, onCodes }: FactorProps) {
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const count = passkeys.length
  return (
    <Section
      title="Passkeys"
      badge={
        count > 0 ? { tone: 'success', word: plural(count, 'passkey') } : { tone: 'neutral', word: 'None' }
      }
      about="Sign in with your finger, your face, a PIN or a security key, without a password. A passkey works only on the real site, so nobody can trick you out of it."
      actions={<AddPasskey isFirst={count === 0} onCodes={onCodes} />}
    >
      {count > 0 && (
        <Lines label="Your passkeys">
          {passkeys.map((passkey) => (
            <Row key={passkey.id} passkey={passkey} onOpen={(what) => setOpen({ what, passkey })} />
          ))}
        </Lines>
      )}
      {open?.what === 'rename' && <RenamePasskey passkey={open.passkey} onClose={() => setOpen(null)} />}
      {open?.what === 'remove' && <RemovePasskey passkey={open.passkey} onClose={() => setOpen(null)} />}
    </Section>
  )
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useChange(renamePasskey, [readFactors])
  const { field, submit, isBusy } = useOneField('name', passkey.name, async (name) => {
    await rename.mutateAsync({ params: { passkeyId: passkey.id }, body: { name } })
    onClose()
  })
  return (
    <FormDialog
      title="Rename the passkey"
      submitLabel="Save name"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        {...field}
        label="Name"
        description="So that you know which device it is on."
        maxLength={100}
        autoComplete="off"
      />
    </FormDialog>
  )
}

function AddPasskey({ isFirst, onCodes }: { isFirst: boolean; onCodes: FactorProps['onCodes'] }) {
  const [isBusy, setBusy] = useState(false)
  if (!passkeysWork())
    return <p>Passkeys do not work at this address: they need https and a name instead of numbers.</p>
  const add = async () => {
    setBusy(true)
    try {
      const { recoveryCodes } = await makePasskey()
      await refreshFactors()
      toast.success('The passkey was added.')
      onCodes(recoveryCodes)
    } catch (error) {
      const { title, detail } = explainPasskey(error)
      toast.failure(`${/[.!?]$/.test(title) ? title : `${title}.`} ${detail}`.trim())
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant={isFirst ? 'filled' : 'default'} loading={isBusy} onClick={() => void add()}>
      Add a passkey
    </Button>
  )
}

function Row({ passkey, onOpen }: { passkey: Passkey; onOpen: (what: OpenDialog['what']) => void }) {
  const { name, createdAt, lastUsedAt, synced } = passkey
  return (
    <li>
      <IconKey size={20} aria-hidden />
      <div>
        <strong>{name}</strong>
        <small>
          Added on <DateTime iso={createdAt} />
          {lastUsedAt ? (
            <>
              , last used <RelativeTime iso={lastUsedAt} />
            </>
          ) : (
            ', not used yet'
          )}
          . {synced ? 'Kept on several devices.' : 'On one device only.'}
        </small>
      </div>
      <div className={shapes.row}>
        <Button variant="default" size="xs" aria-label={`Rename ${name}`} onClick={() => onOpen('rename')}>
          Rename
        </Button>
        <Button variant="default" size="xs" aria-label={`Remove ${name}`} onClick={() => onOpen('remove')}>
          Remove
        </Button>
      </div>
    </li>
  )
}

function RemovePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const remove = useChange(removePasskey)
  const confirm = () =>
    attempt(async () => {
      await remove.mutateAsync({ params: { passkeyId: passkey.id } })
      await refreshFactors()
    }, `${passkey.name} was removed.`)
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${passkey.name}?`}
      confirmLabel="Remove passkey"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>It no longer signs in here. You may also delete it on the device itself.</p>
      <p>If it is the last one and there is no app, nothing but your password protects your account then.</p>
    </ConfirmDialog>
  )
}
