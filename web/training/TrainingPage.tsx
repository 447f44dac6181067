import './training.css'
import { Button } from '@mantine/core'
import { IconSchool } from '@tabler/icons-react'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import * as z from 'zod/mini'
import type { Reply } from '#contract/endpoint.ts'
import {
  listTraining,
  mostTrainingVideos,
  readTraining,
  trainingSorts,
  trainingStates,
  type TrainingVideo,
} from '#contract/training.ts'
import { trainingLead, trainingMeanings } from '#contract/training-words.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { session } from '#web/api/session.ts'
import { paths } from '#web/paths.ts'
import { ViewsMenu } from '#web/shell/list/ViewsMenu.tsx'
import { OrganizationFilter } from '#web/shell/organizationFilter/OrganizationFilter.tsx'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { Meanings } from '#web/ui/Meanings.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { usePrinting } from '#web/ui/printing.ts'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { Export } from './Export.tsx'
import { Grid, type Chosen } from './Grid.tsx'
import { Legend } from './Legend.tsx'
import { mostPrinted, Paper } from './Paper.tsx'
import { PersonList } from './PersonList.tsx'
import { Print } from './Print.tsx'
import { states } from './states.ts'
import { isNothing } from './picked.ts'
import { usePhone } from './usePhone.ts'
import { usePicked } from './usePicked.ts'
import { knownRows, mostRows, pageAt, pageSize, useRows, type RowQuery } from './useRows.ts'
import { useSight } from './useSight.ts'

const PickBar = onDemand(async () => (await import('./PickBar.tsx')).PickBar)
const CellPanel = dialogOnDemand(async () => (await import('./CellPanel.tsx')).CellPanel)

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')
const search = z.object({
  organization: id,
  q: z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), ''),
  group: id,
  project: id,
  videos: z.catch(z.enum(['assigned', 'any']), 'assigned'),
  state: z.catch(z.union([z.enum(trainingStates), z.literal('')]), ''),
  sort: z.catch(z.enum(trainingSorts), 'name'),
  /** Order of the columns. */
  order: z.catch(z.enum(['title', 'newest', 'open', 'overdue']), 'title'),
  look: z.catch(z.enum(['words', 'signs']), 'words'),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
  /** The open cell: a person and a video. */
  cell: z.catch(z.string().check(z.regex(/^[\da-f-]{36}\.[\da-f-]{36}$/)), ''),
})
type Search = z.output<typeof search>

function filterOf({ q, group, project, videos }: Search) {
  return {
    ...(q ? { q } : {}),
    ...(group ? { groupId: group } : {}),
    ...(project ? { projectId: project } : {}),
    videos,
  }
}

function rowsOf(state: Search): RowQuery {
  return { ...filterOf(state), sort: state.sort, ...(state.state ? { state: state.state } : {}) }
}

export async function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  const orgId = session.read().user?.organizationId ?? state.organization
  if (!orgId) return
  await Promise.all([
    prefetch(readTraining, { params: { orgId }, query: filterOf(state) }),
    prefetch(listTraining, pageAt(orgId, rowsOf(state), 0)),
  ])
}

const columnOrders: Record<
  Search['order'],
  { label: string; by: (a: TrainingVideo, b: TrainingVideo) => number }
> = {
  title: { label: 'By title', by: () => 0 },
  newest: { label: 'Newest first', by: (a, b) => b.createdAt.localeCompare(a.createdAt) },
  open: { label: 'Most open first', by: (a, b) => b.required - b.done - (a.required - a.done) },
  overdue: { label: 'Most overdue first', by: (a, b) => b.overdue - a.overdue },
}

const sorts: Record<Search['sort'], string> = {
  name: 'Name A to Z',
  '-name': 'Name Z to A',
  done: 'Least done first',
  '-done': 'Most done first',
  '-overdue': 'Most overdue first',
  overdue: 'Least overdue first',
}

export function TrainingPage() {
  const user = useUser()
  const [state, change] = usePageSearch(search)
  const orgId = user.organizationId ?? state.organization
  if (orgId) return <Matrix orgId={orgId} state={state} change={change} />
  return (
    <>
      <PageHead title="Training Matrix" lead={trainingLead} />
      <div className="ui-filters">
        <OrganizationFilter value="" onChange={(organization) => change({ organization })} />
      </div>
      <div className="ui-card">
        <EmptyState title="Choose an organization" icon={<IconSchool size={24} />}>
          A matrix shows the people and videos of one organization.
        </EmptyState>
      </div>
    </>
  )
}

type Props = { orgId: string; state: Search; change: (patch: Partial<Search>) => void }

function Matrix({ orgId, state, change }: Props) {
  const isPhone = usePhone()
  const isSuperadmin = useUser().role === 'superadmin'
  const query = rowsOf(state)
  const head = useList(readTraining, { params: { orgId }, query: filterOf(state) })
  if (head.error) return <ErrorState {...explain(head.error)} onRetry={head.retry} />
  const { page } = head
  return (
    <>
      <PageHead
        title="Training Matrix"
        lead={trainingLead}
        actions={
          <>
            <Print orgId={orgId} query={query} />
            <Export orgId={orgId} query={query} />
          </>
        }
      />
      <div className="ui-filters training-filters">
        {isSuperadmin && (
          <OrganizationFilter
            value={state.organization}
            name={page?.organization.name}
            onChange={(organization) => change({ organization, group: '', project: '', cell: '' })}
          />
        )}
        <SearchField label="Search people" value={state.q} onSearch={(q) => change({ q })} />
        <Filters state={state} change={change} page={page} isPhone={isPhone} />
        <div className="ui-filters-end">
          <ViewsMenu list="training" orgId={isSuperadmin ? undefined : orgId} />
        </div>
      </div>
      <div className="training" data-look={state.look}>
        {page ? <Overview page={page} state={state} change={change} /> : <Bone height={64} />}
        {page && (
          <Body orgId={orgId} state={state} change={change} page={page} query={query} isPhone={isPhone} />
        )}
        <Meanings meanings={trainingMeanings} />
      </div>
    </>
  )
}

type Page = Reply<typeof readTraining>
type FilterProps = Omit<Props, 'orgId'> & { page: Page | undefined; isPhone: boolean }

function Filters({ state, change, page, isPhone }: FilterProps) {
  const choice = (key: 'group' | 'project', all: string) => {
    const named = page?.[`${key}s`] ?? []
    if (named.length === 0) return null
    const options = named.map(({ id: value, name }) => ({ value, label: name }))
    return (
      <NativeChoice
        aria-label={key === 'group' ? 'Group' : 'Project'}
        value={state[key]}
        onChange={({ currentTarget }) => change({ [key]: currentTarget.value })}
        data={[{ value: '', label: all }, ...options]}
      />
    )
  }
  const pick = <Key extends 'videos' | 'sort' | 'order' | 'look'>(
    label: string,
    key: Key,
    words: Record<Search[Key], string>,
  ) => (
    <NativeChoice
      aria-label={label}
      value={state[key]}
      onChange={({ currentTarget }) => change(readSearch(search, { ...state, [key]: currentTarget.value }))}
      data={Object.entries<string>(words).map(([value, word]) => ({ value, label: word }))}
    />
  )
  const orders = Object.fromEntries(
    Object.entries(columnOrders).map(([key, { label }]) => [key, label]),
  ) as Record<Search['order'], string>
  return (
    <>
      {choice('group', 'All groups')}
      {choice('project', 'All projects')}
      {pick('Videos', 'videos', { assigned: 'Sent videos', any: 'Sent or watched' })}
      {pick('Order of people', 'sort', sorts)}
      {!isPhone && pick('Order of videos', 'order', orders)}
      {!isPhone && pick('Look', 'look', { words: 'With words', signs: 'Signs only' })}
    </>
  )
}

function Overview({ page, state, change }: Pick<Props, 'state' | 'change'> & { page: Page }) {
  const { required, done, overdue, people, videos, videoTotal, isDiscreet } = page
  return (
    <>
      <p className="training-note" role="status">
        {plural(people, 'person', 'people')}, {plural(videos.length, 'video')}.{' '}
        {required > 0 &&
          `${formatShare(done / required)} done: ${formatNumber(done)} of ${formatNumber(required)}. ${formatNumber(overdue)} overdue.`}
        {videoTotal > mostTrainingVideos &&
          ` These are the first ${mostTrainingVideos} of ${formatNumber(videoTotal)} videos by title; choose a project to see the others.`}
        {people > mostRows &&
          ` The first ${formatNumber(mostRows)} people can be scrolled to; search, or choose a group, to see the others.`}
        {isDiscreet &&
          ' This organization records only who completed a video, and on which day: who started or passed is not shown.'}
      </p>
      <Legend counts={page.counts} state={state.state} onState={(chosen) => change({ state: chosen })} />
    </>
  )
}

type BodyProps = Props & { page: Page; query: RowQuery; isPhone: boolean }

function Body({ orgId, state, change, page, query, isPhone }: BodyProps) {
  const role = useUser().role
  const [open, setOpen] = useCell(state.cell)
  const videos = useMemo(() => shownVideos(page.videos, state), [page.videos, state])
  const known = useList(listTraining, pageAt(orgId, query, 0))
  const shown = useMemo(() => videos.map((one) => one.id), [videos])
  const picking = usePicked({ orgId, query, videoIds: shown })
  const count = Math.min(known.page?.total ?? 0, mostRows)
  const isPrinting = usePrinting()
  const sight = useSight({ rows: count, columns: videos.length, signs: state.look === 'signs' })
  const span = isPhone ? { from: state.offset, until: state.offset + 1 } : sight.rows
  const { rowAt, error, retry, isStale } = useRows(orgId, query, span)
  const videoIds = known.page?.videoIds
  const places = useMemo(() => new Map(videoIds?.map((one, at) => [one, at])), [videoIds])
  const placeOf = (videoId: string) => places.get(videoId) ?? -1
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  if (!known.page) return <Bone height={400} />
  if (videos.length === 0 || count === 0) return <Nothing state={state} change={change} page={page} />
  const people = Array.from(
    { length: Math.min(pageSize, count - state.offset) },
    (_none, n) => rowAt(state.offset + n) ?? [],
  )
  const mayOpenContent = role !== 'groupadmin'
  const shared = { orgId, videos, placeOf, state: state.state, onOpen: setOpen }
  return (
    <>
      {isPhone ? (
        <>
          <PersonList {...shared} people={people.flat()} />
          <Pager {...known.page} offset={state.offset} onOffset={(offset) => change({ offset })} />
        </>
      ) : (
        <Grid
          {...shared}
          name="Training of people by videos"
          rowAt={rowAt}
          rowCount={count}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          mayOpenContent={mayOpenContent}
          isStale={isStale}
          sight={sight}
          picking={picking}
        />
      )}
      {!isPhone && !isNothing(picking.picked) && (
        <Suspense>
          <PickBar orgId={orgId} picking={picking} videoCount={videos.length} />
        </Suspense>
      )}
      {isPrinting && (
        <Paper
          people={knownRows(orgId, query).slice(0, mostPrinted)}
          total={known.page.total}
          videos={videos}
          placeOf={placeOf}
        />
      )}
      {open && (
        <Suspense>
          <CellPanel
            {...open}
            orgId={orgId}
            isDiscreet={page.isDiscreet}
            mayOpenContent={mayOpenContent}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  )
}

/** With a state, only the videos that have it with somebody. */
function shownVideos(videos: readonly TrainingVideo[], { state, order }: Search): readonly TrainingVideo[] {
  const wanted = state === '' ? videos : videos.filter(({ counts }) => (counts[state] ?? 0) > 0)
  return order === 'title' ? wanted : wanted.toSorted(columnOrders[order].by)
}

/** The open cell, in the address and beside the position of the page. */
function useCell(cell: string): [Chosen | null, (chosen: Chosen | null) => void] {
  const given = useLocation({ select: (location) => location.search })
  const navigate = useNavigate()
  const [userId = '', videoId = ''] = cell.split('.')
  const choose = (chosen: Chosen | null) => {
    const next = { ...given, cell: chosen ? `${chosen.userId}.${chosen.videoId}` : undefined }
    void navigate({ to: '.', search: next, replace: true, resetScroll: false })
  }
  return [cell === '' ? null : { userId, videoId }, choose]
}

function Nothing({ state, change, page }: Pick<BodyProps, 'state' | 'change' | 'page'>) {
  const isNarrowed = state.q !== '' || state.group !== '' || state.project !== '' || state.state !== ''
  const mayContent = useUser().role !== 'groupadmin'
  const all = { q: '', group: '', project: '', state: '' } as const
  return (
    <div className="ui-card">
      {isNarrowed ? (
        <EmptyState
          title={
            state.state === '' ? 'Nothing matches' : `Nobody is ${states[state.state].word.toLowerCase()}`
          }
          action={
            <Button variant="default" onClick={() => change(all)}>
              Show everybody
            </Button>
          }
        />
      ) : (
        <EmptyState
          title={page.people === 0 ? 'Nobody to see yet' : 'Nothing was sent yet'}
          icon={<IconSchool size={24} />}
          action={
            mayContent && page.people > 0 ? (
              <Button component={Link} to={paths.transmissionCreate()}>
                Send a video
              </Button>
            ) : undefined
          }
        >
          {page.people === 0
            ? 'Add the people who receive your videos, or become administrator of their group.'
            : 'As soon as a video is sent, everybody who got it has a row with it here.'}
        </EmptyState>
      )}
    </div>
  )
}
