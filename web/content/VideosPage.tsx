import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconFolders, IconMovie, IconUpload, IconLayoutGrid, IconTable } from '@tabler/icons-react'
import { fetchFile } from '#web/api/client.ts'
import { Suspense, useCallback, useMemo } from 'react'
import { listProjects, videoStates, type Video } from '#contract/videos/videos.ts'
import type { Reply } from '#contract/endpoint.ts'
import { listVideoTags, tagKey } from '#contract/videos/tags.ts'
import { prefetch, queryOf, soon, useList } from '#web/api/query.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/layout/page.ts'
import { choice, type Filter } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { useListLook } from '#web/lists/search.ts'
import { useUser } from '#web/session/useSession.ts'
import { BegunHere } from '#web/lists/operations/Operations.tsx'
import { DataTable, type Column } from '#web/ui/table/DataTable.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/table/Pager.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { useSelection } from '#web/ui/table/useSelection.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { onlyThese } from '#web/lists/only.ts'
import { Cards, type ListedVideo } from './Cards.tsx'
import { Moments } from './Moments.tsx'
import { DropZone } from './uploads/DropZone.tsx'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { projectChoices } from './projects.ts'
import { cards, filterOf, isFiltered, search, source, unfiltered, useShape, type Shape } from './search.ts'
import { lookAgain, stateLabels, isMoving, movementOf, privacyLabels } from './states.ts'
import { addFiles, videoFiles } from './uploads/uploading.ts'
import { Uploads } from './uploads/Uploads.tsx'
import { useUploadsByVideo, type UploadHere } from './uploads/useUploads.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { named, whole } from '#web/ui/overlays/tips.ts'
import classes from './ShapeChoice.module.css'
import { Link } from '@tanstack/react-router'
import { paths } from '#web/paths.ts'
import { formatBytes, formatRuntime } from '#web/ui/format.ts'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import { Poster } from '#web/ui/figures/Poster.tsx'
import { useFailure } from './uploads/useFailure.ts'

const empty = (
  <EmptyState title="No videos yet" icon={<IconMovie size={24} />}>
    Upload a video, or drop files anywhere on this page. As soon as it is ready you can send it.
  </EmptyState>
)

function projectsQuery(organization: string) {
  return { query: { limit: 100, ...(organization ? { organizationId: organization } : {}) } }
}

const tagsQuery = (organization: string) => ({
  query: organization ? { organizationId: organization } : {},
})

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  const { endpoint, address } = source(state)
  return soon([
    prefetch(endpoint, address),
    prefetch(listProjects, projectsQuery(state.organization)),
    prefetch(listVideoTags, tagsQuery(state.organization)),
  ])
}

const ProjectsDialog = dialogOnDemand(async () => (await import('./ProjectsDialog.tsx')).ProjectsDialog)

const exporting = async () => (await import('#contract/videos/record-bulk.ts')).exportVideos
const VideoBulk = onDemand(async () => (await import('./VideoBulk.tsx')).VideoBulk)

const orders = [
  ['-createdAt', 'Newest first'],
  ['createdAt', 'Oldest first'],
  ['title', 'Title A–Z'],
  ['-title', 'Title Z–A'],
  ['-duration', 'Longest first'],
  ['duration', 'Shortest first'],
] as const

const stateOptions = videoStates.map((value) => [value, stateLabels[value].word] as const)

const choices = [
  { shape: 'gallery', word: 'Gallery', Icon: IconLayoutGrid },
  { shape: 'table', word: 'Table', Icon: IconTable },
] as const

/** Pictures or rows. */
function ShapeChoice({ shape, onChoose }: { shape: Shape; onChoose: (next: Shape) => void }) {
  return (
    <div role="group" aria-label="Show videos as" className={classes.shape} data-screen-only>
      {choices.map(({ shape: one, word, Icon }) => (
        <button
          key={one}
          type="button"
          aria-pressed={shape === one}
          {...named(word)}
          onClick={() => onChoose(one)}
        >
          <Icon size={18} aria-hidden />
        </button>
      ))}
    </div>
  )
}

export function VideosPage() {
  const [state, change] = usePageSearch(search)
  const [shape, setShape] = useShape(state, change)
  const { endpoint, address } = source(state)
  const { page, isStale, error, retry, updatedAt } = useList(endpoint, address, {
    every: ({ items }) => lookAgain(items),
  })
  const projects = useList(listProjects, projectsQuery(state.organization)).page?.items

  const { data: tags } = useQuery(queryOf(listVideoTags, tagsQuery(state.organization)))

  const own = useUser().organizationId
  const organizationId = own ?? (state.organization || null)
  const isMixed = organizationId === null
  const { project } = state
  const upload = useCallback(
    (files: File[]) => addFiles(files, { organizationId, projectId: project || null }),
    [organizationId, project],
  )
  const uploads = useUploadsByVideo()
  const projectNames = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects])
  const columns = useMemo(
    () => videoColumns({ projectNames, isMixed, uploads }),
    [projectNames, isMixed, uploads],
  )
  const { look, view, pager } = useListLook('content', columns, [state, change])
  const filter = filterOf(state)
  const [selection, onSelect] = useSelection(filter)
  const mayUpload = organizationId !== null
  const videos = page?.items
  const selecting = organizationId === null ? undefined : { selection, onSelect, nameOf }
  const nothing = isFiltered(state) ? (
    <EmptyState
      title="No video fits these filters"
      action={
        <Button variant="default" onClick={() => change(unfiltered)}>
          Show all videos
        </Button>
      }
    />
  ) : (
    empty
  )
  return (
    <DropZone onFiles={mayUpload ? upload : undefined} refusal="Choose an organization first">
      <PageHead
        title="Content"
        more={
          <Button
            variant="default"
            leftSection={<IconFolders size={16} aria-hidden />}
            onClick={() => change({ dialog: 'projects' })}
          >
            Projects
          </Button>
        }
        actions={
          mayUpload && (
            <FileButton
              accept={videoFiles}
              isMultiple
              data-create
              onFiles={upload}
              leftSection={<IconUpload size={16} aria-hidden />}
            >
              Upload videos
            </FileButton>
          )
        }
      />
      <Uploads />
      <ListBar
        search={{ label: 'Search videos', value: state.q, onSearch: (q) => change({ q }) }}
        filters={[
          ...onlyThese(state.attention, () => change({ attention: undefined })),
          choice({
            label: 'Project',
            none: 'All projects',
            options: projectChoices(projects ?? []).map(
              ({ value, label }) =>
                [value, label, projects?.find(({ id }) => id === value)?.videoCount] as const,
            ),
            value: state.project,
            onChange: (value) => change({ project: value ?? '' }),
          }),
          choice({
            label: 'State',
            none: 'All states',
            options: stateOptions,
            value: state.state,
            onChange: (value) => change({ state: value ?? '' }),
          }),
          ...tagFilter(state.tag, tags?.items ?? [], (tag) => change({ tag })),
        ]}
        onClear={() => change(unfiltered)}
        found={isStale ? undefined : page}
        updatedAt={updatedAt}
        views={{ list: 'content', orgId: own ?? undefined, drawn: view, unsaid: { shape } }}
        table={shape === 'table' ? view : undefined}
        files={[
          {
            name: 'videos',
            note: 'All videos that the filters find, in the order of the list.',
            read: async (format) =>
              fetchFile(await exporting(), { body: { filter, sort: state.sort, format } }),
          },
        ]}
      >
        {isMixed && (
          <p className={shapes.hint}>Choose an organization to upload to it, or to change several.</p>
        )}
        {shape === 'gallery' && (
          <NativeChoice
            aria-label="Order"
            value={state.sort}
            onChange={({ currentTarget: { value } }) =>
              change({ sort: readSearch(search, { sort: value }).sort })
            }
            data={orders.map(([value, label]) => ({ value, label }))}
          />
        )}
        <ShapeChoice shape={shape} onChoose={setShape} />
      </ListBar>
      {error && <NotRead error={error} retry={retry} />}
      {error && !page ? null : shape === 'table' ? (
        <DataTable
          look={look}
          name="Videos"
          columns={columns}
          rows={videos}
          rowKey={({ id }) => id}
          sort={state.sort}
          onSort={(sort) => change({ sort: readSearch(search, { sort }).sort })}
          isStale={isStale}
          empty={nothing}
          selecting={selecting}
        />
      ) : videos?.length === 0 ? (
        <div className={shapes.card}>{nothing}</div>
      ) : (
        <Cards {...{ videos, projectNames, isMixed, isStale, uploads, selecting }} />
      )}
      {page && shape === 'gallery' && (
        <Pager {...page} offset={state.offset} limit={cards} onOffset={pager.onOffset} />
      )}
      {page && shape === 'table' && <Pager {...page} {...pager} />}
      {page && organizationId !== null && selection !== nothingSelected && (
        <Suspense>
          <VideoBulk
            {...page}
            {...{ filter, selection, onSelect }}
            orgId={organizationId}
            sort={state.sort}
            projects={projects ?? []}
            tags={tags?.items.map(({ tag }) => tag) ?? []}
          />
        </Suspense>
      )}
      <BegunHere />
      {state.dialog === 'projects' && (
        <Suspense>
          <ProjectsDialog
            projects={projects ?? []}
            organizationId={organizationId}
            onClose={() => change({ dialog: '' })}
          />
        </Suspense>
      )}
    </DropZone>
  )
}

type Used = Reply<typeof listVideoTags>['items']

/** Left out where no video has a tag. One that a link names is there as well, though no video has it any more. */
function tagFilter(value: string, used: Used, onChange: (tag: string) => void): Filter[] {
  const isKnown = value === '' || used.some(({ tag }) => tagKey(tag) === tagKey(value))
  const options = [
    ...used.map(({ tag, videos }) => [tag, tag, videos] as const),
    ...(isKnown ? [] : [[value, value] as const]),
  ]
  if (options.length === 0) return []
  const chosen = options.find(([tag]) => tagKey(tag) === tagKey(value))?.[0]
  return [
    choice<string>({
      label: 'Tag',
      none: 'All tags',
      options,
      value: chosen,
      onChange: (tag) => onChange(tag ?? ''),
    }),
  ]
}

type Named = {
  projectNames: ReadonlyMap<string, string>
  /** Of several organizations. */
  isMixed: boolean
  uploads: ReadonlyMap<string, UploadHere>
}

/** Columns of the table of videos. */
function videoColumns({ projectNames, isMixed, uploads }: Named): readonly Column<ListedVideo>[] {
  const all: readonly Column<ListedVideo>[] = [
    {
      key: 'title',
      header: 'Title',
      sort: 'title',
      isName: true,
      cell: ({ id, title, poster, moments }) => (
        <>
          <span className={shapes.named}>
            <Poster src={poster} />
            <Link to={paths.video(id)} {...whole}>
              {title}
            </Link>
          </span>
          <Moments videoId={id} moments={moments} />
        </>
      ),
    },
    {
      key: 'state',
      header: 'State',
      phone: 'end',
      width: '192px',
      cell: (video) => <State video={video} upload={uploads.get(video.id)} />,
    },
    {
      key: 'duration',
      header: 'Length',
      phone: 'end',
      sort: 'duration',
      align: 'end',
      width: '84px',
      cell: ({ durationMs }) => durationMs !== null && formatRuntime(durationMs),
    },
    {
      key: 'project',
      header: 'Project',
      phone: 'line',
      width: '152px',
      from: 'md',
      cell: ({ projectId }) => (projectId === null ? null : (projectNames.get(projectId) ?? '…')),
    },
    {
      key: 'tags',
      header: 'Tags',
      phone: 'line',
      width: '152px',
      from: 'lg',
      dimmed: true,
      cell: ({ tags }) => tags.length > 0 && tags.join(', '),
    },
    {
      key: 'organization',
      header: 'Organization',
      width: '152px',
      from: 'lg',
      dimmed: true,
      cell: ({ organizationName }) => organizationName,
    },
    {
      key: 'privacy',
      header: 'Who may watch',
      width: '132px',
      from: 'lg',
      cell: ({ privacy }) => privacyLabels[privacy].word,
    },
    {
      key: 'size',
      header: 'Size of the file',
      align: 'end',
      width: '128px',
      isExtra: true,
      dimmed: true,
      cell: ({ size }) => size !== null && formatBytes(size),
    },
    {
      key: 'created',
      header: 'Added',
      sort: 'createdAt',
      width: '112px',
      dimmed: true,
      from: 'md',
      cell: ({ createdAt }) => <RelativeTime iso={createdAt} />,
    },
  ]
  return isMixed ? all : all.filter(({ key }) => key !== 'organization')
}

function State({ video, upload }: { video: Video; upload: UploadHere | undefined }) {
  const { word, tone, means } = stateLabels[video.state]
  const failure = useFailure(video)
  if (video.state === 'uploading' && upload !== 'here')
    return (
      <StatusBadge tone="warning" title="Part of the file is missing. Open the video to go on.">
        Upload unfinished
      </StatusBadge>
    )
  return (
    <span className={shapes.hint}>
      <StatusBadge tone={tone} title={failure || means}>
        {word}
      </StatusBadge>
      {isMoving(video) && upload === undefined && <span>{movementOf(video)}</span>}
    </span>
  )
}

const nameOf = ({ title }: Video) => title
