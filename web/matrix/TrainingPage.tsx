import { useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, useSyncExternalStore } from 'react'
import {
  listTraining,
  mostTrainingVideos,
  readTraining,
  exportTraining,
  type trainingForms,
  type TrainingVideo,
} from '#contract/matrix/training.ts'
import { trainingLead, trainingMeanings } from '#contract/matrix/training-labels.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { prefetch, soon, useList } from '#web/api/query.ts'
import { useReading } from '#web/api/reading.ts'
import { session } from '#web/api/session.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { ChooseOrganization } from '#web/lists/ChooseOrganization.tsx'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { useUser } from '#web/session/useSession.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { Freshness } from '#web/ui/figures/Freshness.tsx'
import { formatNumber, formatShare, plural } from '#web/ui/format.ts'
import { Meanings } from '#web/ui/Meanings.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { usePrinting } from '#web/ui/browser/printing.ts'
import { Pager } from '#web/ui/table/Pager.tsx'
import { Bone, RowBones } from '#web/ui/feedback/Skeletons.tsx'
import { choiceFrom, choiceText, chosenFrom, choicePattern } from './choice.ts'
import { everything, filtersOf } from './filters.ts'
import { Grid, type CellIds } from './Grid.tsx'
import { Nothing } from './Nothing.tsx'
import { mostPrinted, Paper } from './Paper.tsx'
import { PersonList } from './PersonList.tsx'
import { Orders } from './Orders.tsx'
import { Print } from './Print.tsx'
import { isNothing } from './picked.ts'
import { stateAt, states } from '#web/ui/figures/standings.ts'
import { filterOf, rowsOf, search, shownVideos, type Page, type Search } from './search.ts'
import { usePhone } from '#web/ui/browser/usePhone.ts'
import { usePicked } from './usePicked.ts'
import { every, knownRows, mostRows, pageAt, pageSize, useRows, type RowQuery } from './useRows.ts'
import { useVisibleCells } from './useVisibleCells.ts'
import styles from './Training.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import type { FileFormat } from '#contract/platform/file-formats.ts'
import { fetchFile } from '#web/api/client.ts'
import type { Downloadable } from '#web/lists/download/Download.tsx'
import { keep } from '#web/ui/browser/persisted.ts'
import { trainingStates, type TrainingState } from '#contract/matrix/standing.ts'
import { Mark } from '#web/ui/figures/Standing.tsx'
import { tip } from '#web/ui/overlays/tips.ts'
import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { formatDayOfYear } from '#contract/platform/text/format.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'

const PickBar = onDemand(async () => (await import('./PickBar.tsx')).PickBar)
const VideoPanel = onDemand(async () => (await import('./VideoPanel.tsx')).VideoPanel)
const CellPanel = dialogOnDemand(async () => (await import('./CellPanel.tsx')).CellPanel)

export async function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  const orgId = session.read().user?.organizationId ?? state.organization
  if (!orgId) return
  await soon([
    prefetch(readTraining, { params: { orgId }, query: filterOf(state) }),
    prefetch(listTraining, pageAt(orgId, rowsOf(state), 0)),
  ])
}

/** This is the choice of videos by organization, as the address writes it. */
type Choices = Readonly<Record<string, string>>

function parse(text: string | null): Choices {
  const given: unknown = JSON.parse(text ?? '{}')
  const entries = Object.entries(given as object).flatMap(([orgId, cols]) =>
    typeof cols === 'string' && choicePattern.test(cols) ? [[orgId, cols] as const] : [],
  )
  return Object.fromEntries(entries)
}

const storedColumns = keep<Choices>('training-videos', { parse, format: JSON.stringify })

type ChangeSearch = (patch: Partial<Search>) => void

/** Returns which videos have a column: as the address says, and where it says nothing, as this browser remembers. */
function useKeptColumns(orgId: string, given: Search, change: ChangeSearch): [Search, ChangeSearch] {
  const remembered = useSyncExternalStore(storedColumns.subscribe, storedColumns.read)[orgId] ?? ''
  if (given.cols !== '' || remembered === '') return [given, (patch) => change(noted(orgId, patch))]
  const order = choiceFrom(remembered).kind === 'only' ? 'chosen' : given.order
  const state = { ...given, cols: remembered, order }
  return [state, (patch) => change(noted(orgId, { cols: remembered, order, ...patch }))]
}

function noted(orgId: string, patch: Partial<Search>): Partial<Search> {
  const { cols, organization } = patch
  if (cols !== undefined && organization === undefined)
    storedColumns.save({ ...storedColumns.read(), [orgId]: cols })
  return patch
}

export function TrainingPage() {
  const user = useUser()
  const [given, set] = usePageSearch(search)
  const orgId = user.organizationId ?? given.organization
  const [state, change] = useKeptColumns(orgId, given, set)
  if (orgId) return <Matrix orgId={orgId} state={state} change={change} />
  return (
    <>
      <PageHead title="Training Matrix" lead={trainingLead} />
      <ChooseOrganization why="A matrix shows the people and videos of one organization." />
    </>
  )
}

const reads = [readTraining, listTraining]
const viewsHold =
  'Search, filters, order, look and the choice of videos are saved, not the people who are found now.'

type Props = { orgId: string; state: Search; change: (patch: Partial<Search>) => void }

type Form = (typeof trainingForms)[number]
const forms: readonly { form: Form; title: string; about: string; note?: string }[] = [
  { form: 'matrix', title: 'Matrix', about: 'A row for each person, a column for each video.' },
  {
    form: 'cells',
    title: 'Details',
    about: 'A row for each person and video, with every date and reason.',
    note: 'Both hold all videos that the filters find, also those that you have left out here.',
  },
]

/** Offers the people and videos of the filters as files. */
function filesOf(orgId: string, query: RowQuery): readonly Downloadable[] {
  // Dates and reasons are those of now, and not of an earlier day.
  return (query.on ? forms.slice(0, 1) : forms).map(({ form, title, about, note }) => ({
    title,
    about,
    note,
    name: `training-${form}${query.on ? `-of-${query.on}` : ''}`,
    read: (format: FileFormat) =>
      fetchFile(exportTraining, { params: { orgId }, query: { ...query, form, format } }),
  }))
}

type PastProps = { on: string; toNow: () => void }

const ToNow = ({ toNow }: Pick<PastProps, 'toNow'>) => (
  <Button variant="default" onClick={toNow}>
    Show it as it is now
  </Button>
)

/** Says above a matrix of an earlier day which day it is. */
function Past({ on, toNow }: PastProps) {
  return (
    <Notice tone="info" icon={IconHistory} action={<ToNow toNow={toNow} />}>
      This is how the matrix read at the end of {formatDayOfYear(on)}. What became known later is not in it.
      Names, groups and projects are those of now.
    </Notice>
  )
}

/** Stands in place of a day that cannot be shown. */
function NoSuchDay({ on, toNow, why }: PastProps & { why: string }) {
  return (
    <>
      <PageHead title="Training Matrix" lead={trainingLead} />
      <div className={shapes.card} role="alert">
        <EmptyState
          title={`The matrix of ${formatDayOfYear(on)} cannot be shown`}
          icon={<IconHistory size={24} />}
          action={<ToNow toNow={toNow} />}
        >
          {why}
        </EmptyState>
      </div>
    </>
  )
}

function Matrix({ orgId, state, change }: Props) {
  const isPhone = usePhone()
  const isSuperadmin = useUser().role === 'superadmin'
  const query = rowsOf(state)
  const head = useList(readTraining, { params: { orgId }, query: filterOf(state) }, { every })
  const reading = useReading(reads, head.page?.asOf)
  const { on } = state
  const toNow = () => change({ on: '' })
  const noSuchDay = serverFieldErrors(head.error)['on']
  if (noSuchDay) return <NoSuchDay on={on} toNow={toNow} why={noSuchDay} />
  const { page } = head
  const legend = page && (
    <Legend counts={page.counts} state={state.state} onState={(chosen) => change({ state: chosen })} />
  )
  return (
    <>
      <PageHead title="Training Matrix" lead={page ? answerOf(page) : head.error ? trainingLead : null} />
      {on !== '' && <Past on={on} toNow={toNow} />}
      <ListBar
        search={{ label: 'Search people', value: state.q, onSearch: (q) => change({ q }) }}
        filters={filtersOf({ state, change, page })}
        onClear={() => change(everything)}
        views={{ list: 'training', orgId: isSuperadmin ? undefined : orgId, holds: viewsHold }}
        look={
          page && {
            label: 'Videos, order and look',
            panel: (
              <>
                <Orders state={state} change={change} isPhone={isPhone} />
                <VideoPanel
                  videos={page.videos}
                  choice={choiceFrom(state.cols)}
                  onChoose={(choice, isOrdered) =>
                    change({ cols: choiceText(choice), ...(isOrdered ? { order: 'chosen' } : {}) })
                  }
                />
              </>
            ),
          }
        }
        files={filesOf(orgId, query)}
        items={<Print orgId={orgId} query={query} />}
      >
        {!head.error && <Freshness {...reading} isLive />}
      </ListBar>
      <div className={`${shapes.stack} ${styles.page}`} data-look={state.look}>
        {head.error ? (
          <NotRead error={head.error} retry={head.retry} />
        ) : page ? (
          <>
            {!isPhone && legend}
            <Body orgId={orgId} state={state} change={change} page={page} query={query} isPhone={isPhone} />
            {isPhone && legend}
            <p className={shapes.hint} role="status">
              {notesOf(page, state)}
            </p>
          </>
        ) : (
          <Coming isPhone={isPhone} />
        )}
        <Meanings meanings={trainingMeanings} />
      </div>
    </>
  )
}

type LegendProps = {
  counts: TrainingVideo['counts']
  state: TrainingState | ''
  onState: (state: TrainingState | '') => void
}

/** Says what the signs mean and how often each stands there, and filters by them. It leaves out signs that nobody has. */
function Legend({ counts, state, onState }: LegendProps) {
  const shown = trainingStates.filter((one) => counts[one] || one === state)
  if (shown.length === 0) return null
  return (
    <ul
      className={`${shapes.row} ${styles.legend}`}
      data-stop
      aria-label="States; press one to see only people who have it"
    >
      {shown.map((one) => (
        <li key={one}>
          <button
            type="button"
            aria-pressed={state === one}
            {...tip(states[one].means)}
            onClick={() => onState(state === one ? '' : one)}
          >
            <Mark state={one} />
            <strong>{formatNumber(counts[one] ?? 0)}</strong>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Shows the line of the states, and rows, while nothing is known. */
function Coming({ isPhone }: { isPhone: boolean }) {
  return isPhone ? (
    <RowBones />
  ) : (
    <>
      <div className={styles.legend}>
        <Bone width="60%" height={24} />
      </div>
      <RowBones isMatrix />
    </>
  )
}

/** Says how far everybody is, in one line. */
function answerOf({ required, done, overdue, people, videos }: Page): string {
  const far =
    required > 0 &&
    `${formatShare(done / required)} completed: ${formatNumber(done)} of ${formatNumber(required)}. ${formatNumber(overdue)} late.`
  return `${plural(people, 'person', 'people')}, ${plural(videos.length, 'video')}. ${far || ''}`
}

/** Says what has to be known about what is left out. */
function notesOf({ videos, videoTotal, people, isDiscreet }: Page, { cols }: Search): string {
  const chosen = chosenFrom(videos, choiceFrom(cols)).length
  return [
    chosen < videos.length &&
      `You see ${formatNumber(chosen)} of these videos; all sums and shares are of ${formatNumber(videos.length)}.`,
    videoTotal > mostTrainingVideos &&
      `These are the first ${mostTrainingVideos} of ${formatNumber(videoTotal)} videos by title; choose a project to see the others.`,
    people > mostRows &&
      `The first ${formatNumber(mostRows)} people can be scrolled to; search, or choose a group, to see the others.`,
    isDiscreet &&
      'This organization records only who completed a video, and on which day: who started or passed is not shown.',
  ]
    .filter(Boolean)
    .join(' ')
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
  const visibleCells = useVisibleCells({ rows: count, columns: videos.length, signs: state.look === 'signs' })
  const span = isPhone ? { from: state.offset, until: state.offset + 1 } : visibleCells.rows
  const { rowAt, error, retry, isStale } = useRows(orgId, query, span)
  const videoIds = known.page?.videoIds
  const places = useMemo(() => new Map(videoIds?.map((one, at) => [one, at])), [videoIds])
  const placeOf = (videoId: string) => places.get(videoId) ?? -1
  if (error) return <NotRead error={error} retry={retry} />
  if (!known.page) return <RowBones isMatrix={!isPhone} />
  if (videos.length === 0 || count === 0) return <Nothing state={state} change={change} page={page} />
  const people = Array.from(
    { length: Math.min(pageSize, count - state.offset) },
    (_none, n) => rowAt(state.offset + n) ?? [],
  )
  const inSight = isPhone
    ? people.flat()
    : Array.from({ length: span.until - span.from }, (_none, n) => rowAt(span.from + n))
  const stateOf = ({ userId, videoId }: CellIds) =>
    stateAt(inSight.find((row) => row?.id === userId)?.cells ?? '', placeOf(videoId))
  const mayOpenContent = role !== 'groupadmin'
  const isPast = state.on !== ''
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
          visibleCells={visibleCells}
          picking={isPast ? null : picking}
        />
      )}
      {!isPhone && !isPast && !isNothing(picking.picked) && (
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
            then={isPast ? { on: state.on, state: stateOf(open) } : undefined}
            mayOpenContent={mayOpenContent}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Keeps the open cell in the address, beside the position of the page. */
function useCell(cell: string): [CellIds | null, (chosen: CellIds | null) => void] {
  const given = useLocation({ select: (location) => location.search })
  const navigate = useNavigate()
  const [userId = '', videoId = ''] = cell.split('.')
  const choose = (chosen: CellIds | null) => {
    const next = { ...given, cell: chosen ? `${chosen.userId}.${chosen.videoId}` : undefined }
    void navigate({ to: '.', search: next, replace: true, resetScroll: false })
  }
  return [cell === '' ? null : { userId, videoId }, choose]
}
