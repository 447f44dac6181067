import { IconFileExport } from '@tabler/icons-react'
import * as z from 'zod/mini'
import { exportAudit, type AuditEntry, type AuditFilters } from '#contract/platform/audit.ts'
import { useBusy } from '#web/api/attempt.ts'
import { fetchFile } from '#web/api/client.ts'
import { dayFilter } from '#web/lists/bar/dayFilter.tsx'
import { choice, type Filter } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { OrganizationFilter } from '#web/lists/organizationFilter/OrganizationFilter.tsx'
import { useSession, useUser } from '#web/session/useSession.ts'
import { offerDated } from '#web/ui/browser/download.ts'
import { leaveFlyout } from '#web/ui/overlays/Flyout.tsx'
import rows from '#web/ui/overlays/menu.module.css'
import { tip } from '#web/ui/overlays/tips.ts'

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')
const day = z.catch(z.string().check(z.regex(/^(\d{4}-\d\d-\d\d)?$/)), '')
/** What the address of the page says of its filters. */
export const search = z.object({
  tab: z.catch(z.string(), 'audit'),
  q: z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), ''),
  action: z.catch(z.string().check(z.regex(/^[a-z_.]*$/)), ''),
  organization: id,
  actor: id,
  entity: z.catch(z.string(), ''),
  entityId: id,
  from: day,
  to: day,
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
})
export type AuditState = z.output<typeof search>

type Props = {
  state: AuditState
  /** The state in the words of the API. */
  filters: AuditFilters
  onChange: (patch: Partial<AuditState>) => void
  /** Where the names of a person or thing that is filtered by are found. */
  entries: readonly AuditEntry[] | undefined
  /** How many there are, once they are what the filters ask for. */
  found: { total: number } | undefined
}

/** Beginnings of actions. */
const kinds: readonly (readonly [string, string])[] = [
  ['auth.', 'Signing in'],
  ['view_as.', 'Viewing as somebody'],
  ['user.', 'People'],
  ['group.', 'Groups'],
  ['organization.', 'Organizations'],
  ['video.', 'Videos'],
  ['project.', 'Projects'],
  ['transmission.', 'Transmissions'],
  ['security.', 'Security settings'],
  ['audit.', 'Exports of this log'],
]

const everything = { q: '', action: '', from: '', to: '', actor: '', entity: '', entityId: '' }

/** The bar above the log. */
export function Filters({ state, filters, onChange, entries, found }: Props) {
  const isSuperadmin = useUser().role === 'superadmin'
  const { viewing } = useSession()
  const isKnown = state.action === '' || kinds.some(([value]) => value === state.action)
  return (
    <ListBar
      search={{
        label: 'Search the audit log',
        placeholder: 'Name, address or action',
        value: state.q,
        onSearch: (q) => onChange({ q }),
      }}
      filters={[
        choice({
          label: 'Kind of action',
          none: 'Everything',
          options: isKnown ? kinds : [...kinds, [state.action, state.action]],
          value: state.action,
          onChange: (action) => onChange({ action: action ?? '' }),
        }),
        dayFilter({ label: 'From', value: state.from, onChange: (from) => onChange({ from }) }),
        dayFilter({ label: 'To', value: state.to, onChange: (to) => onChange({ to }) }),
        ...narrowed(state, onChange, entries),
      ]}
      onClear={() => onChange(everything)}
      found={found}
      items={
        !viewing && (
          <>
            <ExportRow filters={filters} format="jsonl" />
            <ExportRow filters={filters} format="csv" />
          </>
        )
      }
    >
      {isSuperadmin && (
        <OrganizationFilter
          value={state.organization}
          onChange={(organization) => onChange({ organization })}
        />
      )}
    </ListBar>
  )
}

/** One person's or one thing's entries, as a link in an entry set it. */
function narrowed(
  { actor, entityId }: AuditState,
  onChange: Props['onChange'],
  entries: Props['entries'],
): Filter[] {
  const by = entries?.find((entry) => entry.actor?.id === actor)?.actor?.name ?? 'one person'
  const about = entries?.find((entry) => entry.entityId === entityId)?.entityName ?? 'one thing'
  return [
    { label: 'Done by', chosen: actor ? by : null, clear: () => onChange({ actor: '' }), field: null },
    {
      label: 'About',
      chosen: entityId ? about : null,
      clear: () => onChange({ entity: '', entityId: '' }),
      field: null,
    },
  ]
}

const formats = {
  jsonl: { label: 'Export to verify', about: 'JSON Lines: can be verified without the server' },
  csv: { label: 'Export CSV', about: 'CSV: for a spreadsheet' },
}

function ExportRow({ filters, format }: { filters: AuditFilters; format: keyof typeof formats }) {
  const [isBusy, run] = useBusy()
  const { label, about } = formats[format]
  const save = () =>
    run(async () =>
      offerDated(await fetchFile(exportAudit, { query: { ...filters, format } }), 'audit', format),
    )
  return (
    <button
      type="button"
      className={rows.row}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      {...tip(about)}
      onClick={({ currentTarget }) => {
        leaveFlyout(currentTarget)
        if (!isBusy) void save()
      }}
    >
      <IconFileExport size={18} aria-hidden />
      {label}
    </button>
  )
}
