import { IconMailCheck } from '@tabler/icons-react'
import { useState } from 'react'
import {
  changeBarredAddresses,
  listBarredAddresses,
  previewBarredAddresses,
  type BarredFilter,
} from '#contract/transmissions/barred-addresses.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { plural } from '#web/ui/format.ts'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'

type Props = BarProps & { orgId: string; filter: BarredFilter }

const wording: Pick<Bulk, 'button' | 'willBe'> = {
  button: (n) => `Lift ${plural(n, 'bar')}`,
  willBe: (n) => (
    <>
      <strong>{plural(n, 'bar')}</strong> will be lifted.
    </>
  ),
}

/** This is the bar of the list of barred addresses of one organization. */
export function LiftBars({ orgId, filter, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [isAsked, setAsked] = useState(false)
  const begin = useChange(changeBarredAddresses, [listBarredAddresses])
  const input = (expected: number) => ({
    params: { orgId },
    body: { selection: wantedOf(selection, filter, expected), do: { action: 'lift' as const } },
  })
  return (
    <>
      <SelectionBar {...bar}>
        <Act icon={IconMailCheck} label="Lift" onClick={() => setAsked(true)} />
      </SelectionBar>
      {isAsked && (
        <BulkDialog
          title="Send messages to these addresses again?"
          {...wording}
          consequences={
            <p>
              From the next message on. What was left out is not sent by that. For 30 days the bars can be set
              again. Whoever unsubscribed gets messages again: lift that only where they asked for it.
            </p>
          }
          preview={previewOf(previewBarredAddresses, input(0))}
          begin={(expected) => begin.mutateAsync(input(expected))}
          onBegun={() => onSelect(nothingSelected)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
