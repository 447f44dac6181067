import { IconLinkOff } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Delivery } from '#contract/transmissions.ts'
import { IconButton } from '#web/ui/IconButton.tsx'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'
import { tipStop } from '#web/ui/tips.ts'

// What a form needs is more than the page itself.
const RevokeDialog = dialogOnDemand(async () => (await import('./RevokeDialog.tsx')).RevokeDialog)

type Props = { transmissionId: string; delivery: Delivery }

/** Takes the personal link of one recipient back; of one that was taken back it says so. */
export function RevokeLink({ transmissionId, delivery }: Props) {
  const [isOpen, setOpen] = useState(false)
  const { user, state, linkRevokedAt, linkRevokedReason } = delivery
  const name = user.name || user.email
  if (linkRevokedAt) return <span {...tipStop(linkRevokedReason)}>Link revoked</span>
  if (state === 'skipped' || state === 'cancelled') return null
  return (
    <>
      <IconButton
        icon={IconLinkOff}
        label={`Revoke the link of ${name}`}
        title="Revoke the personal link"
        onClick={() => setOpen(true)}
      />
      {/* Outside of the row, whose style is for one line. */}
      {isOpen &&
        createPortal(
          <Suspense>
            <RevokeDialog
              transmissionId={transmissionId}
              delivery={delivery}
              onClose={() => setOpen(false)}
            />
          </Suspense>,
          document.body,
        )}
    </>
  )
}
