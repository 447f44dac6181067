import type { ReactNode } from 'react'
import type { Transmission } from '#contract/transmissions/transmissions.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { useUrgent } from '../compose/useUrgent.tsx'
import { nameOf } from '../labels.ts'

type Props = {
  transmission: Transmission
  /** Its recipients, counted. */
  many: string
  /** When it leaves. */
  children: ReactNode
  onSend: (given: { urgentReason?: string }) => Promise<void>
  onClose: () => void
}

/** Asks before what was kept as a draft is sent. */
export function SendDialog({ transmission, many, children, onSend, onClose }: Props) {
  const urgent = useUrgent(transmission.video ? [transmission.video.id] : [])
  return (
    <ConfirmDialog
      isOpen
      title={`Send “${nameOf(transmission)}” to ${many}?`}
      confirmLabel={`Send to ${many}`}
      isDangerous={false}
      isReady={urgent.isReady}
      onConfirm={() => onSend(urgent.given)}
      onClose={onClose}
    >
      <p>
        {children} Where your organization asks for approval of so many, it waits until somebody else has
        given it.
      </p>
      {urgent.field}
    </ConfirmDialog>
  )
}
