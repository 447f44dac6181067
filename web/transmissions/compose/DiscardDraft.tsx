import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  changeTransmission,
  listTransmissions,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import type { Saver } from './saving.ts'

type Props = { saver: Saver; back: string; onDiscard: () => void }

/** Ends the draft that was kept of what is written here. */
export function DiscardDraft({ saver, back, onDiscard }: Props) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const change = useChange(changeTransmission, [readTransmission, listTransmissions])
  const discard = async () => {
    await saver.flush()
    const saved = saver.saved()
    if (!saved) return
    const { id: transmissionId, version } = saved
    const isDone = await attempt(
      () => change.mutateAsync({ params: { transmissionId }, body: { action: 'cancel', version } }),
      () => 'Discarded. Nothing was sent.',
    )
    if (!isDone) return
    onDiscard()
    await navigate({ to: back })
  }
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Discard draft
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Discard this draft?"
        confirmLabel="Discard draft"
        cancelLabel="Keep it"
        onConfirm={discard}
        onClose={() => setAsking(false)}
      >
        <p>Nothing of it has been sent, and nothing will be. It stays in the list as cancelled.</p>
      </ConfirmDialog>
    </>
  )
}
