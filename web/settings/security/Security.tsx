import { useState } from 'react'
import { readFactors } from '#contract/identity/factors.ts'
import type { Reply } from '#contract/endpoint.ts'
import { useList } from '#web/api/query.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { AppFactor } from './AppFactor.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Recovery } from './Recovery.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { Button } from '@mantine/core'
import { useUser } from '#web/session/useSession.ts'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { RecoveryCodes } from '#web/ui/fields/RecoveryCodes.tsx'

type Factors = Reply<typeof readFactors>

/** How the reader proves who they are, beside the password. */
export function Security() {
  const { page: factors, error, retry } = useList(readFactors, {})
  const [codes, setCodes] = useState<readonly string[]>([])
  if (error || !factors) return <NotRead error={error} retry={retry} height={480} />
  return (
    <div className={`${shapes.stack} ${shapes.narrow}`}>
      <p>{leadOf(factors)}</p>
      <AppFactor factors={factors} onCodes={setCodes} />
      <Passkeys factors={factors} onCodes={setCodes} />
      <Recovery factors={factors} onCodes={setCodes} />
      {codes.length > 0 && <NewCodes codes={codes} onClose={() => setCodes([])} />}
    </div>
  )
}

type Props = { codes: readonly string[]; onClose: () => void }

/** Shown once; closing it by mistake costs nothing but making new ones. */
function NewCodes({ codes, onClose }: Props) {
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

function leadOf({ totp, passkeys, required }: Factors): string {
  const has = totp !== null || passkeys.length > 0
  if (required)
    return 'Your account must have a second step: an authenticator app or a passkey. The last one cannot be removed.'
  return has
    ? 'Signing in asks for your password and one of these. A passkey alone is enough, too.'
    : 'At present nothing but a password protects your account. Add an authenticator app or a passkey, so that a stolen password is not enough.'
}
