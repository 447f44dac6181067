import { Button, TextInput } from '@mantine/core'
import { IconDownload, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { exportAudit, type AuditEntry, type AuditFilters } from '#contract/audit.ts'
import { attempt } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { OrganizationFilter } from '#web/lists/organizationFilter/OrganizationFilter.tsx'
import { useSession, useUser } from '#web/session/useSession.ts'
import { FilterBar } from '#web/ui/FilterBar.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { offerDated } from '#web/ui/download.ts'
import type { AuditState } from './AuditLog.tsx'
import { tip } from '#web/ui/tips.ts'

type Props = {
  state: AuditState
  /** The state in the words of the API. */
  filters: AuditFilters
  onChange: (patch: Partial<AuditState>) => void
  /** Where the names of a person or thing that is filtered by are found. */
  entries: readonly AuditEntry[] | undefined
}

/** Beginnings of actions. */
const kinds = [
  { value: '', label: 'Everything' },
  { value: 'auth.', label: 'Signing in' },
  { value: 'view_as.', label: 'Viewing as somebody' },
  { value: 'user.', label: 'People' },
  { value: 'group.', label: 'Groups' },
  { value: 'organization.', label: 'Organizations' },
  { value: 'video.', label: 'Videos' },
  { value: 'project.', label: 'Projects' },
  { value: 'transmission.', label: 'Transmissions' },
  { value: 'security.', label: 'Security settings' },
  { value: 'audit.', label: 'Exports of this log' },
]

export function Filters({ state, filters, onChange, entries }: Props) {
  const isSuperadmin = useUser().role === 'superadmin'
  const known = kinds.some(({ value }) => value === state.action)
  const other = known ? [] : [{ value: state.action, label: state.action }]
  return (
    <>
      <FilterBar>
        <SearchField
          label="Search the audit log"
          placeholder="Name, address or action"
          value={state.q}
          onSearch={(q) => onChange({ q })}
        />
        <NativeChoice
          aria-label="Kind of action"
          value={state.action}
          onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
          data={[...kinds, ...other]}
        />
        {isSuperadmin && (
          <OrganizationFilter
            value={state.organization}
            onChange={(organization) => onChange({ organization })}
          />
        )}
        <Days state={state} onChange={onChange} />
        <Exports filters={filters} />
      </FilterBar>
      <Narrowed state={state} onChange={onChange} entries={entries} />
    </>
  )
}

/** The fields of a day are many stops of the Tab key, so they come when they are asked for. */
function Days({ state: { from, to }, onChange }: Pick<Props, 'state' | 'onChange'>) {
  const [isOpen, setOpen] = useState(false)
  const hasDays = isOpen || from !== '' || to !== ''
  const choose = (wanted: string) => {
    setOpen(wanted !== '')
    if (wanted === '') onChange({ from: '', to: '' })
  }
  return (
    <>
      <NativeChoice
        aria-label="Period"
        value={hasDays ? 'days' : ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[
          { value: '', label: 'Since the beginning' },
          { value: 'days', label: 'Days to choose' },
        ]}
      />
      {hasDays && (
        <>
          <Day label="From" value={from} onChange={(day) => onChange({ from: day })} />
          <Day label="To" value={to} onChange={(day) => onChange({ to: day })} />
        </>
      )}
    </>
  )
}

type DayProps = { label: string; value: string; onChange: (day: string) => void }

function Day({ label, value, onChange }: DayProps) {
  return (
    <label className="audit-day">
      <span>{label}</span>
      <TextInput type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    </label>
  )
}

/** One person's or one thing's entries: whose, and the way back. */
function Narrowed({ state: { actor, entityId }, onChange, entries }: Omit<Props, 'filters'>) {
  if (!actor && !entityId) return null
  const by = entries?.find((entry) => entry.actor?.id === actor)?.actor?.name ?? 'one person'
  const about = entries?.find((entry) => entry.entityId === entityId)?.entityName ?? 'one thing'
  return (
    <div className="audit-narrowed" role="status">
      <span>
        Only what was done{actor && ` by ${by}`}
        {entityId && ` about ${about}`}.
      </span>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconX size={14} aria-hidden />}
        onClick={() => onChange({ actor: '', entity: '', entityId: '' })}
      >
        Show all
      </Button>
    </div>
  )
}

type Format = 'jsonl' | 'csv'

function Exports({ filters }: { filters: AuditFilters }) {
  const [busy, setBusy] = useState<Format | null>(null)
  if (useSession().viewing) return null
  const save = async (format: Format) => {
    setBusy(format)
    await attempt(async () => {
      const file = await fetchFile(exportAudit, { query: { ...filters, format } })
      offerDated(file, 'audit', format)
    })
    setBusy(null)
  }
  return (
    <div className="ui-filters-end">
      <Button
        variant="default"
        loading={busy === 'jsonl'}
        leftSection={<IconDownload size={16} aria-hidden />}
        {...tip('JSON Lines: can be verified without the server')}
        onClick={() => void save('jsonl')}
      >
        Export to verify
      </Button>
      <Button
        variant="default"
        loading={busy === 'csv'}
        leftSection={<IconDownload size={16} aria-hidden />}
        {...tip('CSV: for a spreadsheet')}
        onClick={() => void save('csv')}
      >
        Export CSV
      </Button>
    </div>
  )
}
