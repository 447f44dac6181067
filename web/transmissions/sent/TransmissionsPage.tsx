import { Button } from '@mantine/core'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { fetchFile } from '#web/api/client.ts'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import {
  listTransmissions,
  transmissionSorts,
  transmissionStates,
  type Transmission,
} from '#contract/transmissions/transmissions.ts'
import { prefetch, soon, useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { choice } from '#web/lists/bar/filters.ts'
import { listParts, pageQuery } from '#web/lists/search.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { transmissionLabels } from '#web/transmissions/sent/sent-labels.ts'
import { useUser } from '#web/session/useSession.ts'
import { type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'
import { onDemand } from '#web/ui/browser/onDemand.tsx'
import { ShareBar } from '#web/ui/figures/ShareBar.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime, RelativeTime } from '#web/ui/Time.tsx'
import { Poster } from '#web/ui/figures/Poster.tsx'
import { isActive, nameOf, partsOf, recipientsOf, sentOf, stateWordsOf } from '../labels.ts'
import { TransmissionsHead } from '../TransmissionsHead.tsx'
import { RecordList } from '#web/lists/RecordList.tsx'
import { all } from '#web/lists/uniform.ts'
import { whole } from '#web/ui/overlays/tips.ts'
import two from '#web/ui/look/twoLines.module.css'
import share from '#web/ui/figures/ShareBar.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const create = (
  <Button
    component={Link}
    to={paths.transmissionCreate()}
    data-create
    leftSection={<IconPlus size={16} aria-hidden />}
  >
    Add a transmission
  </Button>
)
const empty = (
  <EmptyState title="Nothing has been sent yet" icon={<IconSend size={24} />} action={create}>
    A transmission sends one video with a message to people you choose, and shows who watched which part.
  </EmptyState>
)

const search = z.object({
  ...listParts,
  state: z.catch(z.optional(z.enum(transmissionStates)), undefined),
  /** A dashboard led to these, in one organization or in all. */
  attention: z.catch(z.optional(z.enum(alertsOf.transmissions)), undefined),
  organization: z.catch(z.optional(z.uuid()), undefined),
  sort: z.catch(z.enum(transmissionSorts), '-createdAt'),
})

function filterFrom({ state, attention, organization: organizationId }: z.output<typeof search>) {
  return { state, attention, organizationId }
}

function queryFrom(given: z.output<typeof search>) {
  const { before: _none, ...position } = pageQuery(given)
  return { ...filterFrom(given), sort: given.sort, ...position }
}
const everything = { state: undefined, attention: undefined }

const exporting = async () => (await import('#contract/videos/record-bulk.ts')).exportTransmissions
const TransmissionBulk = onDemand(async () => (await import('./TransmissionBulk.tsx')).TransmissionBulk)

export function load({ search: given }: LoadInput) {
  return soon([prefetch(listTransmissions, { query: queryFrom(readSearch(search, given)) })])
}

/** Shows how many were sent. Before there is a list of recipients, it names the number for which its approval was asked. */
function Sent(transmission: Transmission) {
  const { audienceTotal, approval } = transmission
  if (audienceTotal === 0 && approval)
    return <span>Meant for {plural(approval.askedFor, 'person', 'people')}</span>
  if (recipientsOf(transmission) === 0) return null
  return (
    <span className={share.progress}>
      <ShareBar parts={partsOf(transmission)} total={recipientsOf(transmission)} />
      <span>
        {formatNumber(sentOf(transmission))} of {formatNumber(recipientsOf(transmission))}
      </span>
    </span>
  )
}

/** Returns whether the subject says more than the title of the video. */
const saysMore = ({ video, name }: Transmission) =>
  video !== null && name !== /* no text */ `Please watch: ${video.title}`

const columns: readonly Column<Transmission>[] = [
  {
    key: 'subject',
    header: 'Transmission',
    sort: 'subject',
    isName: true,
    cell: (one) => (
      <span className={shapes.named}>
        <Poster src={one.video?.poster ?? null} />
        <Link className={two.lines} to={paths.transmission(one.id)} {...whole}>
          <span>{one.video?.title ?? nameOf(one)}</span> {saysMore(one) && <span>{nameOf(one)}</span>}
        </Link>
      </span>
    ),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'end',
    sort: 'state',
    width: '128px',
    uniformWord: (transmission) => all(stateWordsOf(transmission).word),
    cell: (transmission) => {
      const { tone, word, means } = stateWordsOf(transmission)
      return (
        <StatusBadge tone={tone} title={means}>
          {word}
        </StatusBadge>
      )
    },
  },
  {
    key: 'sent',
    header: 'Recipients',
    phone: 'line',
    sort: 'recipients',
    width: '184px',
    cell: (one) => <Sent {...one} />,
  },
  {
    key: 'opened',
    header: 'Opened',
    align: 'end',
    width: '80px',
    from: 'md',
    cell: ({ opened }) => formatNumber(opened),
  },
  {
    key: 'completed',
    header: 'Completed',
    align: 'end',
    width: '96px',
    from: 'md',
    cell: ({ completed }) => formatNumber(completed),
  },
  {
    key: 'created',
    header: 'When',
    phone: 'end',
    sort: 'createdAt',
    width: '112px',
    dimmed: true,
    from: 'lg',
    cell: ({ createdAt, releasedAt, state, leavesAt }) =>
      state === 'scheduled' && leavesAt ? (
        <DateTime iso={leavesAt} />
      ) : (
        <RelativeTime iso={releasedAt ?? createdAt} />
      ),
  },
]
const organization: Column<Transmission> = {
  key: 'organization',
  header: 'Organization',
  phone: 'line',
  width: '136px',
  dimmed: true,
  from: 'lg',
  uniformWord: ({ organizationName }) => `all of ${organizationName}`,
  cell: ({ organizationName }) => organizationName,
}
const ofAll = [...columns.slice(0, -1), organization, ...columns.slice(-1)]

const stateOptions = (
  ['draft', 'pending_approval', 'held', 'sending', 'paused', 'completed', 'cancelled', 'failed'] as const
).map((state) => [state, transmissionLabels[state].word] as const)

export function TransmissionsPage() {
  const { role, organizationId } = useUser()
  const [state, change] = usePageSearch(search)
  const found = useList(listTransmissions, { query: queryFrom(state) }, { every: 5_000 })
  const filter = filterFrom(state)
  const orgId = organizationId ?? state.organization
  const running = found.page?.items.filter(isActive).length ?? 0
  return (
    <>
      <TransmissionsHead actions={create} />
      <RecordList
        list="transmissions"
        name="Transmissions"
        counted={(total) => plural(total, 'transmission')}
        orgId={organizationId ?? undefined}
        columns={role === 'superadmin' ? ofAll : columns}
        {...{ state, change, found, filter, empty }}
        narrowed={
          state.state || state.attention
            ? {
                all: everything,
                nothing: 'No transmission fits these filters',
                showAll: 'Show all transmissions',
              }
            : null
        }
        filters={[
          choice({
            label: 'State',
            none: 'All states',
            options: stateOptions,
            value: state.state,
            onChange: (value) => change({ state: value }),
          }),
        ]}
        tools={
          <>
            {orgId === undefined && <p className={shapes.hint}>Choose an organization to change several.</p>}
            {running > 0 && <span className={shapes.updated}>{running} being sent right now</span>}
          </>
        }
        files={[
          {
            name: 'transmissions',
            note: 'All transmissions that the filters find, in the order of the list.',
            read: async (format) =>
              fetchFile(await exporting(), { body: { filter, sort: state.sort, format } }),
          },
        ]}
        bulk={
          orgId === undefined
            ? undefined
            : {
                nameOf,
                renderBar: (chosen) => (
                  <TransmissionBulk {...chosen} {...{ orgId, filter }} sort={state.sort} />
                ),
              }
        }
      />
    </>
  )
}
