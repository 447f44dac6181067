import { IconArchive, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import {
  changeOrganizations,
  previewOrganizations,
  type OrganizationAction,
} from '#contract/directory/bulk.ts'
import type { OrganizationFilter } from '#contract/directory/organizations.ts'
import { useChange } from '../../api/query.ts'
import { plural } from '../../ui/format.ts'
import { nothingSelected } from '../../ui/table/selection.ts'
import { SelectionBar } from '../../ui/table/SelectionBar.tsx'
import { organizationStates } from '../states.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type BulkWording } from '#web/lists/bulk/BulkDialog.tsx'
import { previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'

type Ask = 'active' | 'suspended' | 'archived' | 'remove'

const wordings: Record<Ask, BulkWording> = {
  active: {
    title: 'Activate organizations?',
    button: (n) => `Activate ${plural(n, 'organization')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'organization')}</strong> will be active.
      </>
    ),
    consequences: <p>{organizationStates.active.means}</p>,
  },
  suspended: {
    title: 'Suspend organizations?',
    button: (n) => `Suspend ${plural(n, 'organization')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'organization')}</strong> will be suspended.
      </>
    ),
    consequences: <p>{organizationStates.suspended.means}</p>,
  },
  archived: {
    title: 'Archive organizations?',
    button: (n) => `Archive ${plural(n, 'organization')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'organization')}</strong> will be archived.
      </>
    ),
    consequences: <p>{organizationStates.archived.means}</p>,
  },
  remove: {
    title: 'Remove organizations?',
    button: (n) => `Remove ${plural(n, 'organization')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'organization')}</strong> will be removed.
      </>
    ),
    isDangerous: true,
    consequences: (
      <p>
        They disappear with all people, groups and videos. Nobody of them can sign in any more, and who is
        signed in now is signed out. Evidence of viewing and the record of who changed what are kept. Can be
        undone for 30 days.
      </p>
    ),
  },
}

const actionOf = (ask: Ask): OrganizationAction =>
  ask === 'remove' ? { action: 'remove' } : { action: 'change', state: ask }

type Props = BarProps & { filter: OrganizationFilter }

/** The bar of the list of organizations, for whoever administers the installation. */
export function OrganizationBulk({ filter, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [ask, setAsk] = useState<Ask>()
  const begin = useChange(changeOrganizations)
  const input = (expected: number, asked: Ask) => ({
    body: { selection: wantedOf(selection, filter, expected), do: actionOf(asked) },
  })
  return (
    <>
      <SelectionBar {...bar}>
        <Act icon={IconPlayerPlay} label="Activate" onClick={() => setAsk('active')} />
        <Act icon={IconPlayerPause} label="Suspend" onClick={() => setAsk('suspended')} />
        <Act icon={IconArchive} label="Archive" onClick={() => setAsk('archived')} />
        <Act icon={IconTrash} label="Remove" isDangerous onClick={() => setAsk('remove')} />
      </SelectionBar>
      {ask && (
        <BulkDialog
          key={ask}
          {...wordings[ask]}
          preview={previewOf(previewOrganizations, input(0, ask))}
          begin={(expected) => begin.mutateAsync(input(expected, ask))}
          onBegun={() => onSelect(nothingSelected)}
          onClose={() => setAsk(undefined)}
        />
      )}
    </>
  )
}
