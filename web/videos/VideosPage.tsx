import './videos.css'
import { Button } from '@mantine/core'
import { IconFolders, IconMovie, IconUpload } from '@tabler/icons-react'
import { Suspense, useCallback, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { attentionOf } from '#contract/attention.ts'
import { listProjects, listVideos, searchVideos, videoStates, type Video } from '#contract/videos.ts'
import { explain } from '#web/api/errors.ts'
import { prefetch, useList } from '#web/api/query.ts'
import { readSearch, usePageSearch, type LoadInput } from '#web/shell/page.ts'
import { ViewsMenu } from '#web/shell/list/ViewsMenu.tsx'
import { OrganizationFilter } from '#web/shell/organizationFilter/OrganizationFilter.tsx'
import { useUser } from '#web/shell/useSession.ts'
import { EmptyState } from '#web/ui/EmptyState.tsx'
import { ErrorState } from '#web/ui/ErrorState.tsx'
import { dialogOnDemand } from '#web/ui/onDemand.tsx'
import { OnlyThese } from '#web/ui/OnlyThese.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Pager } from '#web/ui/Pager.tsx'
import { SearchField } from '#web/ui/SearchField.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { Updated } from '#web/ui/Time.tsx'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { onlyWords } from '#web/words/only.ts'
import { DropZone } from './DropZone.tsx'
import { FileButton } from './FileButton.tsx'
import { projectChoices } from './projects.ts'
import { lookAgain, stateWords } from './states.ts'
import { addFiles } from './uploading.ts'
import { UploadList } from './UploadList.tsx'
import { isRunning } from './uploadStore.ts'
import { useUploads } from './useUploads.ts'
import { VideoCard } from './VideoCard.tsx'

const empty = (
  <EmptyState title="No videos yet" icon={<IconMovie size={24} />}>
    Upload a video, or drop files anywhere on this page. As soon as it is ready you can send it.
  </EmptyState>
)

const id = z.catch(z.union([z.uuid(), z.literal('')]), '')
export const search = z.object({
  /** A keyword of digits arrives as a number. */
  q: z.catch(z.union([z.string(), z.pipe(z.number(), z.transform(String))]), ''),
  organization: id,
  project: id,
  state: z.catch(z.enum(['', ...videoStates]), ''),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(attentionOf.videos)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0), z.lte(10_000)), 0),
  dialog: z.catch(z.enum(['', 'projects']), ''),
})
type Search = z.output<typeof search>

const limit = 24

/** Without a keyword the list, with one the search: both answer pages of videos, and the list knows no keyword. */
function source({ q, organization, project, state, attention, offset }: Search) {
  const query = {
    keyword: q,
    offset,
    limit,
    ...(organization ? { organizationId: organization } : {}),
    ...(project ? { projectId: project } : {}),
    ...(state ? { state } : {}),
    ...(attention ? { attention } : {}),
  }
  return {
    endpoint: q === '' ? (listVideos as unknown as typeof searchVideos) : searchVideos,
    address: { query },
  }
}

function projectsQuery(organization: string) {
  return { query: { limit: 100, ...(organization ? { organizationId: organization } : {}) } }
}

export function load({ search: given }: LoadInput) {
  const state = readSearch(search, given)
  const { endpoint, address } = source(state)
  return Promise.all([prefetch(endpoint, address), prefetch(listProjects, projectsQuery(state.organization))])
}

const ProjectsDialog = dialogOnDemand(async () => (await import('./ProjectsDialog.tsx')).ProjectsDialog)

export function VideosPage() {
  const [state, change] = usePageSearch(search)
  const { endpoint, address } = source(state)
  const [every, setEvery] = useState<number | false>(false)
  const { page, isStale, error, retry, updatedAt } = useList(endpoint, address, { every })
  const projects = useList(listProjects, projectsQuery(state.organization)).page?.items
  const pace = lookAgain(page?.items ?? [])
  if (pace !== every) setEvery(pace)

  const own = useUser().organizationId
  const organizationId = own ?? (state.organization || null)
  const { project } = state
  const upload = useCallback(
    (files: File[]) => addFiles(files, { organizationId, projectId: project || null }),
    [organizationId, project],
  )
  const mayUpload = organizationId !== null
  if (error) return <ErrorState {...explain(error)} onRetry={retry} />
  return (
    <DropZone onFiles={mayUpload ? upload : undefined} refusal="Choose an organization first">
      <PageHead
        title="Content"
        lead="Videos to send and to show. They are made ready for every device by themselves."
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconFolders size={16} aria-hidden />}
              onClick={() => change({ dialog: 'projects' })}
            >
              Projects
            </Button>
            {mayUpload ? (
              <FileButton isMultiple isCreation onFiles={upload} icon={<IconUpload size={16} aria-hidden />}>
                Upload videos
              </FileButton>
            ) : null}
          </>
        }
      />
      <UploadList />
      <div className="ui-filters">
        <SearchField label="Search videos" value={state.q} onSearch={(q) => change({ q })} />
        {own === null && (
          <OrganizationFilter
            value={state.organization}
            onChange={(organization) => change({ organization, project: '' })}
          />
        )}
        <NativeChoice
          aria-label="Project"
          value={state.project}
          onChange={(event) => change({ project: event.currentTarget.value })}
          data={[{ value: '', label: 'All projects' }, ...projectChoices(projects ?? [])]}
        />
        <NativeChoice
          aria-label="State"
          value={state.state}
          onChange={(event) =>
            change({ state: readSearch(search, { state: event.currentTarget.value }).state })
          }
          data={[
            { value: '', label: 'All states' },
            ...videoStates.map((value) => ({ value, label: stateWords[value].word })),
          ]}
        />
        {!mayUpload && <p className="videos-hint">Choose an organization to upload videos to it.</p>}
        <div className="ui-filters-end">
          {every !== false && <Updated at={updatedAt} />}
          <ViewsMenu list="content" orgId={own ?? undefined} />
        </div>
      </div>
      {state.attention && (
        <OnlyThese says={onlyWords[state.attention]} onAll={() => change({ attention: undefined })} />
      )}
      <Cards
        videos={page?.items}
        projectNames={useMemo(() => new Map(projects?.map(({ id: key, name }) => [key, name])), [projects])}
        isMixed={organizationId === null}
        isStale={isStale}
        isFiltered={
          state.q !== '' || state.project !== '' || state.state !== '' || state.attention !== undefined
        }
        onReset={() => change({ q: '', project: '', state: '', attention: undefined })}
      />
      {page && <Pager {...page} limit={limit} onOffset={(offset) => change({ offset })} />}
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

type CardsProps = {
  videos: readonly Video[] | undefined
  projectNames: ReadonlyMap<string, string>
  /** Of several organizations. */
  isMixed: boolean
  isStale: boolean
  isFiltered: boolean
  onReset: () => void
}

function Cards({ videos, projectNames, isMixed, isStale, isFiltered, onReset }: CardsProps) {
  const here = new Set(
    useUploads().flatMap((item) => (isRunning(item) || item.state === 'paused' ? [item.videoId] : [])),
  )
  if (videos?.length === 0)
    return (
      <div className="ui-card">
        {isFiltered ? (
          <EmptyState
            title="No video fits these filters"
            action={
              <Button variant="default" onClick={onReset}>
                Show all videos
              </Button>
            }
          />
        ) : (
          empty
        )}
      </div>
    )
  return (
    <ul
      className="videos-cards"
      aria-label="Videos"
      aria-busy={!videos || isStale}
      data-stale={isStale || undefined}
    >
      {videos
        ? videos.map((video) => (
            <VideoCard
              key={video.id}
              video={video}
              projectName={video.projectId === null ? undefined : projectNames.get(video.projectId)}
              organizationName={isMixed ? video.organizationName : undefined}
              isUploadingHere={here.has(video.id)}
            />
          ))
        : ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
            <li key={key} className="ui-card videos-card" aria-hidden>
              <div className="videos-poster" />
              <div className="videos-card-text">
                <Bone width="70%" />
                <Bone width="40%" />
              </div>
            </li>
          ))}
    </ul>
  )
}
