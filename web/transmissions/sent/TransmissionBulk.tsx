import { IconBan } from '@tabler/icons-react'
import { useState } from 'react'
import {
  changeTransmissions,
  exportTransmissions,
  previewTransmissions,
} from '#contract/videos/record-bulk.ts'
import type { TransmissionFilter, transmissionSorts } from '#contract/transmissions/transmissions.ts'
import { fetchFile } from '#web/api/client.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { idsOf, previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { Download, type Downloadable } from '#web/lists/download/Download.tsx'
import { plural } from '#web/ui/format.ts'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'

type Props = BarProps & {
  orgId: string
  filter: TransmissionFilter
  sort: (typeof transmissionSorts)[number]
}

const wording: Pick<Bulk, 'button' | 'willBe'> = {
  button: (n) => `Cancel ${plural(n, 'transmission')}`,
  willBe: (n) => (
    <>
      <strong>{plural(n, 'transmission')}</strong> will be cancelled.
    </>
  ),
}

/**
 * This is the bar of the list of transmissions of one organization. It does not approve, because each approval is for a number that was
 * shown.
 */
export function TransmissionBulk({ orgId, filter, sort, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [isAsked, setAsked] = useState(false)
  const begin = useChange(changeTransmissions)
  const files: Downloadable[] = [
    {
      name: 'transmissions',
      read: (format) =>
        fetchFile(exportTransmissions, {
          body: { filter: { ...filter, organizationId: orgId }, sort, format, ...idsOf(selection) },
        }),
    },
  ]
  const input = (expected: number) => ({
    params: { orgId },
    body: { selection: wantedOf(selection, filter, expected), do: { action: 'cancel' as const } },
  })
  return (
    <>
      <SelectionBar {...bar}>
        <Download files={files} />
        <Act icon={IconBan} label="Cancel sending" isDangerous onClick={() => setAsked(true)} />
      </SelectionBar>
      {isAsked && (
        <BulkDialog
          title="Cancel transmissions?"
          {...wording}
          dismiss="Keep them"
          isDangerous
          consequences={
            <p>
              Nobody gets them. For 30 days they can be made drafts again, which somebody has to send anew.
              What is being sent already is stopped on its own page, and what waits for approval is approved
              there: each approval is for the number of people that was shown.
            </p>
          }
          preview={previewOf(previewTransmissions, input(0))}
          begin={(expected) => begin.mutateAsync(input(expected))}
          onBegun={() => onSelect(nothingSelected)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
