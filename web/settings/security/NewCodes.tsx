import { Button } from '@mantine/core'
import { useState } from 'react'
import { useUser } from '#web/session/useSession.ts'
import { Dialog } from '#web/ui/Dialog.tsx'
import { RecoveryCodes } from '#web/ui/RecoveryCodes.tsx'

type Props = { codes: readonly string[]; onClose: () => void }

/** Shown once; closing it by mistake costs nothing but making new ones. */
export function NewCodes({ codes, onClose }: Props) {
  const { email } = useUser()
  const [isSaved, setSaved] = useState(false)
  return (
    <Dialog
      title="Save your recovery codes"
      isOpen
      onClose={onClose}
      footer={
        <Button disabled={!isSaved} onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>
        If you lose your phone or your passkey, one of these codes lets you in. Each one works once. They are
        shown only now.
      </p>
      <RecoveryCodes codes={codes} email={email} isSaved={isSaved} onSaved={setSaved} />
    </Dialog>
  )
}
