import { Button, TextInput } from '@mantine/core'
import { IconCircleX, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import {
  listDeliveries,
  mostUntyped,
  resolveDeliveries,
  type DeliveryFilter,
} from '#contract/transmissions/deliveries.ts'
import { readTransmission } from '#contract/transmissions/transmissions.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { idsOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { Download, type Downloadable } from '#web/lists/download/Download.tsx'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { countSelected, nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'
import '#web/ui/fields/fields.ts'

type Decision = 'send_again' | 'treat_as_failed'
type Props = BarProps & {
  transmissionId: string
  filter: DeliveryFilter
  files: (chosen: RecipientSelection) => readonly Downloadable[]
}
type RecipientSelection = { filter: DeliveryFilter; ids?: string[]; exceptIds?: string[] }

/** Decisions are offered where the list shows uncertain mails alone, so that the number says how many it is about. */
export function RecipientsBar({ transmissionId, filter, files, ...bar }: Props) {
  const [asking, setAsking] = useState<Decision | null>(null)
  const { selection, onSelect, total, totalIsMinimum } = bar
  const chosen: RecipientSelection = { filter, ...idsOf(selection) }
  const isCounted = !(selection.isAll && totalIsMinimum)
  return (
    <>
      <SelectionBar {...bar}>
        <Download files={files(chosen)} />
        {filter.state === 'unknown' && isCounted && (
          <>
            <Act icon={IconSend} label="Send again" onClick={() => setAsking('send_again')} />
            <Act icon={IconCircleX} label="Treat as failed" onClick={() => setAsking('treat_as_failed')} />
          </>
        )}
      </SelectionBar>
      {asking && (
        <DecideMany
          {...{ transmissionId, chosen }}
          decision={asking}
          count={countSelected(selection, total)}
          onDone={() => onSelect(nothingSelected)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}

type OpenDialog = {
  transmissionId: string
  chosen: RecipientSelection
  decision: Decision
  count: number
  onDone: () => void
  onClose: () => void
}

function DecideMany({ transmissionId, chosen, decision, count, onDone, onClose }: OpenDialog) {
  const [typed, setTyped] = useState('')
  const [isTried, setTried] = useState(false)
  const resolve = useChange(resolveDeliveries, [readTransmission, listDeliveries])
  const isAgain = decision === 'send_again'
  const mails = plural(count, 'mail')
  const isTyped = count <= mostUntyped || typed.trim() === String(count)
  const decide = async () => {
    setTried(true)
    if (!isTyped) return
    const isDone = await attempt(
      () =>
        resolve.mutateAsync({
          params: { transmissionId },
          body: { ...chosen, decision, expected: count },
        }),
      isAgain ? `${mails} will be sent again.` : `${mails} now count as failed.`,
    )
    if (isDone) onDone()
    onClose()
  }
  return (
    <Dialog
      isOpen
      title={isAgain ? `Send ${mails} again?` : `Treat ${mails} as failed?`}
      onClose={onClose}
      dismiss="Leave them open"
      actions={
        <Button loading={resolve.isPending} onClick={() => void decide()}>
          {isAgain ? `Send ${mails} again` : `Treat ${mails} as failed`}
        </Button>
      }
    >
      <p>
        {isAgain
          ? 'Nobody knows whether these mails arrived. Whoever has one already gets it a second time; the personal links stay the same.'
          : 'Nobody knows whether these mails arrived. They count as failed from now on, and nothing is sent again.'}
      </p>
      {count > mostUntyped && (
        <TextInput
          label={`Type ${count} to confirm`}
          inputMode="numeric"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={isTried && !isTyped ? `Please type the number ${formatNumber(count)}, without signs.` : null}
        />
      )}
    </Dialog>
  )
}
