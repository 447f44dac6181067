import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { changeGroups, previewGroups } from '#contract/directory/bulk.ts'
import type { GroupFilter } from '#contract/directory/groups.ts'
import { useChange } from '../../api/query.ts'
import { plural } from '../../ui/format.ts'
import { nothingSelected } from '../../ui/table/selection.ts'
import { SelectionBar } from '../../ui/table/SelectionBar.tsx'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type Bulk } from '#web/lists/bulk/BulkDialog.tsx'
import { previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'

type Props = BarProps & { orgId: string; filter: GroupFilter }

const wording: Pick<Bulk, 'button' | 'willBe'> = {
  button: (n) => `Remove ${plural(n, 'group')}`,
  willBe: (n) => (
    <>
      <strong>{plural(n, 'group')}</strong> will be removed.
    </>
  ),
}

/** The bar of the list of groups. */
export function GroupBulk({ orgId, filter, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [isAsked, setAsked] = useState(false)
  const begin = useChange(changeGroups)
  const input = (expected: number) => ({
    params: { orgId },
    body: { selection: wantedOf(selection, filter, expected), do: { action: 'remove' as const } },
  })
  return (
    <>
      <SelectionBar {...bar}>
        <Act icon={IconTrash} label="Remove" isDangerous onClick={() => setAsked(true)} />
      </SelectionBar>
      {isAsked && (
        <BulkDialog
          title="Remove groups?"
          {...wording}
          isDangerous
          consequences={
            <p>
              Their members stay in the organization, and who administers these groups loses sight of them.
              Can be undone for 30 days.
            </p>
          }
          preview={previewOf(previewGroups, input(0))}
          begin={(expected) => begin.mutateAsync(input(expected))}
          onBegun={() => onSelect(nothingSelected)}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}
