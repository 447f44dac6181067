import { Button, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconReplace, IconSend, IconTrash } from '@tabler/icons-react'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { language } from '#contract/platform/text/language.ts'
import {
  listProjects,
  readVideo,
  type Project,
  type VideoDetail,
  deleteVideo,
  listVideos,
  searchVideos,
  type Video,
  updateVideo,
  videoPrivacies,
  VideoInput,
} from '#contract/videos/videos.ts'
import { listVideoTags, tagKey, tagLimits } from '#contract/videos/tags.ts'
import { readChapters } from '#contract/videos/chapters.ts'
import { readPosters } from '#contract/videos/posters.ts'
import { prefetch, queryOf, soon, useEndpoint, useChange, fetchFresh } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { usePathParams, type LoadInput } from '#web/layout/page.ts'
import { Facts, optional } from '#web/ui/fields/Field.tsx'
import { formatBytes, formatClock, formatRuntime } from '#web/ui/format.ts'
import { dialogOnDemand, onDemand } from '#web/ui/browser/onDemand.tsx'
import type { FrameProps } from '#web/ui/PageFrame.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { ContinueUpload } from './uploads/ContinueUpload.tsx'
import { Progress } from './uploads/Progress.tsx'
import {
  isInLine,
  lookAgain,
  mayRetry,
  mayUseRest,
  movementOf,
  stateLabels,
  warningText,
  privacyLabels,
} from './states.ts'
import { useFailure } from './uploads/useFailure.ts'
import { Uploads } from './uploads/Uploads.tsx'
import { useUploadsByVideo } from './uploads/useUploads.ts'
import { PlayerStage } from './PlayerStage.tsx'
import { Transcript } from './Transcript.tsx'
import { Retry } from './uploads/Retry.tsx'
import { VideoFrame, VideoHead } from './VideoHead.tsx'
import classes from '#web/ui/table/columns.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { attempt } from '#web/api/attempt.ts'
import { undoing } from '#web/lists/operations/undo.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { uploads } from './uploads/uploadStore.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { projectChoices } from './projects.ts'

/** Projects of the video's organization; a superadmin would otherwise be offered those of all. */
const projectsOf = (organizationId: string) => ({ query: { limit: 100, organizationId } })

export async function load({ params: { videoId } }: LoadInput<'/content/$videoId'>) {
  const params = { videoId }
  const video = await prefetch(readVideo, { params })
  await Promise.all([
    prefetch(listProjects, projectsOf(video.organizationId)),
    video.playback && soon(partsOf(videoId)),
  ])
}

/** What stands below the player, so that it comes with the page and moves nothing. */
function partsOf(videoId: string): Promise<unknown>[] {
  const params = { videoId }
  return [
    ChaptersForm.fetch(),
    PosterChoice.fetch(),
    fetchFresh(readChapters, { params }),
    prefetch(readPosters, { params }),
  ]
}

const ReplaceVideo = dialogOnDemand(async () => (await import('./ReplaceVideo.tsx')).ReplaceVideo)
const ChaptersForm = onDemand(async () => (await import('./chapters/ChaptersForm.tsx')).ChaptersForm)
const PosterChoice = onDemand(async () => (await import('./PosterChoice.tsx')).PosterChoice)
const Captions = onDemand(async () => (await import('./captions/Captions.tsx')).Captions)
const PreviewStrip = onDemand(async () => (await import('./PreviewStrip.tsx')).PreviewStrip)

/** Its head and tabs, while the video is not there. */
export const Frame = (frame: FrameProps) => <VideoFrame hasAction {...frame} />

const labels = {
  title: 'Title',
  description: 'Description',
  tags: 'Tags',
  projectId: 'Project',
  privacy: 'Who may watch',
}

const valuesOf = ({ title, description, tags, projectId, privacy }: Video) => ({
  title,
  description: description ?? '',
  tags,
  projectId,
  privacy,
})

function VideoForm({ video, projects }: { video: VideoDetail; projects: readonly Project[] }) {
  const params = { videoId: video.id }
  const change = useChange(updateVideo, [listVideos, searchVideos, readVideo, listProjects, listVideoTags])
  const { data: used } = useQuery(queryOf(listVideoTags, { query: { organizationId: video.organizationId } }))
  const { form, field, layout, isDirty } = useEditForm<Video, ReturnType<typeof valuesOf>>({
    what: 'this video',
    schema: VideoInput,
    labels,
    loaded: video,
    read: () => fetchFresh(readVideo, { params }),
    valuesOf,
    draft: `video:${video.id}`,
    trace: { entity: 'video', entityId: video.id },
    words(name, value) {
      if (name === 'projectId') return projects.find(({ id }) => id === value)?.name
      if (name === 'tags' && Array.isArray(value)) return value.join(', ')
      if (name === 'privacy')
        return videoPrivacies.flatMap((one) => (one === value ? privacyLabels[one].word : []))[0]
      return undefined
    },
    save(values, condition) {
      const body = { ...values, description: values.description.trim() || null }
      return change.mutateAsync({ params, body, ...condition })
    },
    onSaved: async () => toast.success('The changes are saved.'),
  })
  const project = field('projectId')
  return (
    <section aria-labelledby="details-title">
      <h2 id="details-title" className={shapes.sr}>
        Details
      </h2>
      <FormLayout {...layout} submitLabel="Save changes">
        <TextInput {...field('title')} maxLength={200} />
        <Textarea
          {...field('description')}
          label={optional(labels.description)}
          description="Viewers read it beside the video. Addresses in it become links."
          rows={5}
        />
        <TagsInput
          {...field('tags')}
          label={optional(labels.tags)}
          description="Up to 20. Enter or a comma ends a tag."
          data={used?.items.map(({ tag }) => tag) ?? []}
          maxTags={tagLimits.tags}
          isDuplicate={(tag, chosen) => chosen.some((one) => tagKey(one) === tagKey(tag))}
          maxLength={tagLimits.signs}
          acceptValueOnBlur
        />
        <NativeChoice
          {...project}
          value={form.getValues().projectId ?? ''}
          onChange={(event) => form.setFieldValue('projectId', event.currentTarget.value || null)}
          data={[{ value: '', label: 'No project' }, ...projectChoices(projects)]}
        />
        <NativeChoice
          {...field('privacy')}
          description={privacyLabels[form.getValues().privacy].means}
          data={videoPrivacies.map((value) => ({ value, label: privacyLabels[value].word }))}
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} isKept />
    </section>
  )
}

export function VideoPage() {
  const { videoId } = usePathParams('/content/$videoId')
  const video = useEndpoint(readVideo, { params: { videoId } }, { every: (found) => lookAgain([found]) })
  const projects = useEndpoint(listProjects, projectsOf(video.organizationId)).items
  const [isLeaving, setLeaving] = useState(false)
  const [isReplacing, setReplacing] = useState(false)
  const { word, tone, means } = stateLabels[video.state]
  return (
    <>
      <VideoHead
        video={video}
        lead={
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
        }
        more={
          <>
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => setLeaving(true)}
            >
              Remove
            </Button>
            {video.state === 'ready' && (
              <Button
                variant="default"
                leftSection={<IconReplace size={16} aria-hidden />}
                onClick={() => setReplacing(true)}
              >
                Replace
              </Button>
            )}
          </>
        }
        actions={
          (video.state === 'ready' || video.state === 'processing') && (
            <Button
              leftSection={<IconSend size={16} aria-hidden />}
              renderRoot={(props) => (
                <Link to={paths.transmissionCreate()} search={{ videoId: video.id }} {...props} />
              )}
            >
              Send this video
            </Button>
          )
        }
      />
      <Uploads />
      <div className={classes.side}>
        <div className={shapes.stack}>
          <Stage key={video.id} video={video} />
          <FactsCard video={video} projects={projects} />
          {video.versionId !== null && (
            <Suspense>
              <Captions key={video.id} videoId={video.id} title={video.title} />
            </Suspense>
          )}
        </div>
        <VideoForm key={video.id} video={video} projects={projects} />
      </div>
      <Suspense>{isReplacing && <ReplaceVideo video={video} onClose={() => setReplacing(false)} />}</Suspense>
      <RemoveVideo video={video} isOpen={isLeaving} onClose={() => setLeaving(false)} />
    </>
  )
}

type Props = { video: Video; isOpen: boolean; onClose: () => void }

function RemoveVideo({ video, isOpen, onClose }: Props) {
  const remove = useChange(deleteVideo, [listVideos, searchVideos, listProjects])
  const navigate = useNavigate()
  const confirm = () =>
    attempt(async () => {
      const { operationId } = await remove.mutateAsync({ params: { videoId: video.id } })
      for (const { key, videoId } of uploads.read()) if (videoId === video.id) uploads.remove(key)
      toast.success(`“${video.title}” is removed.`, operationId === null ? undefined : undoing(operationId))
      await navigate({ to: paths.content(), replace: true })
    })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Remove “${video.title}”?`}
      confirmLabel="Remove video"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Nobody can watch it any more, also not through links that were sent.{' '}
        {video.state === 'uploading'
          ? 'What has arrived of its file is deleted.'
          : 'It can be brought back for 30 days; then its file is deleted.'}
      </p>
      <p>What people have watched so far stays in the reports.</p>
    </ConfirmDialog>
  )
}

/** The video, or in its place what keeps it from playing. A version that plays stays while a newer one is made. */
function Stage({ video }: { video: VideoDetail }) {
  const { playback, state } = video
  const [element, setElement] = useState<HTMLVideoElement>()
  const hash = useLocation({ select: (found) => found.hash })
  const [from, setFrom] = useState(() => linkedMoment(hash))
  const [followed, follow] = useState(hash)
  if (followed !== hash) {
    follow(hash)
    setFrom(linkedMoment(hash))
  }
  return (
    <>
      {state !== 'ready' && state !== 'archived' && <Waiting video={video} />}
      {video.warnings.map((warning) => (
        <Notice tone="warning" key={`${warning.code} ${warning.startMs}`}>
          {warningText(warning)}
        </Notice>
      ))}
      {playback && <PlayerStage video={video} playback={playback} from={from} onVideo={setElement} />}
      {playback && <Transcript key={`said ${video.versionId}`} {...video} video={element} onPlay={setFrom} />}
      {playback && (
        <Suspense>
          <PreviewStrip videoId={video.id} video={element} />
        </Suspense>
      )}
      {playback && (
        <Suspense>
          <ChaptersForm
            key={video.versionId}
            videoId={video.id}
            video={element}
            onPlay={(ms) => setFrom({ ms })}
          />
        </Suspense>
      )}
      {playback && (
        <Suspense>
          <PosterChoice
            key={`poster ${video.versionId}`}
            videoId={video.id}
            durationMs={video.durationMs ?? 0}
            video={element}
          />
        </Suspense>
      )}
    </>
  )
}

/** The moment that a link leads to (`#t=190`, in seconds). */
function linkedMoment(hash: string): { ms: number } | undefined {
  const [, seconds] = /^t=(\d+(?:\.\d+)?)$/.exec(hash) ?? []
  return seconds === undefined ? undefined : { ms: Number(seconds) * 1_000 }
}

function Waiting({ video }: { video: VideoDetail }) {
  const upload = useUploadsByVideo().get(video.id)
  const failure = useFailure(video)
  const { state, progress, title } = video
  if (state === 'failed')
    return (
      <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} role="alert">
        <h2>This video could not be made ready</h2>
        <p>{failure}</p>
        {mayUseRest(video) && (
          <p>
            You can upload the whole file anew, or use what is there: a shorter video that ends where the file
            does.
          </p>
        )}
        {mayRetry(video) || mayUseRest(video) ? (
          <div>
            <Retry video={video} />
          </div>
        ) : (
          <p>Please remove it and upload the file again.</p>
        )}
      </div>
    )
  const isWaiting = state === 'uploading' && upload !== 'here'
  return (
    <div className={`${shapes.card} ${shapes.pad} ${shapes.stack}`}>
      <h2>{headOf(video, isWaiting)}</h2>
      <p>
        {isInLine(video)
          ? 'Other videos are being prepared before it. You can leave this page; it goes on.'
          : state === 'processing'
            ? 'It is being made ready to play on every device. You can leave this page; it goes on.'
            : isWaiting
              ? 'A part of the file has not arrived. Choose the same file again: it goes on where it was.'
              : 'You can go to other pages of the console. Keep this browser tab open.'}
      </p>
      {upload === undefined && (
        <div className={`${shapes.spaceBetween} ${shapes.hint}`}>
          <Progress
            name={`${stateLabels[state].word}: ${title}`}
            share={progress}
            isIdle={isWaiting || isInLine(video)}
          />
          <span>{movementOf(video)}</span>
        </div>
      )}
      {isWaiting && upload === undefined && <ContinueUpload video={video} />}
    </div>
  )
}

function headOf(video: VideoDetail, isWaiting: boolean): string {
  if (isInLine(video)) return 'The video waits for its turn'
  if (video.state === 'processing') return 'The video is being prepared'
  return isWaiting ? 'The upload is unfinished' : 'The video is being uploaded'
}

/** Which version plays since when, and what is other in it than before. */
function replacedText({ number, at, parts }: NonNullable<VideoDetail['replaced']>) {
  const spans = parts?.map(([from, to]) => `${formatClock(from)} to ${formatClock(to)}`)
  const changed =
    spans === undefined
      ? 'all of it is watched anew'
      : spans.length === 0
        ? 'what was watched counts on'
        : `changed from ${new Intl.ListFormat(language).format(spans)}`
  return (
    <>
      Version {number}, <DateTime iso={at} />: {changed}
    </>
  )
}

function FactsCard({ video, projects }: { video: VideoDetail; projects: readonly Project[] }) {
  const { durationMs, width, height, size, fileName, sha256, createdAt, updatedAt, projectId, replaced } =
    video
  const facts = [
    { label: 'Duration', value: durationMs === null ? null : formatRuntime(durationMs) },
    { label: 'Resolution', value: width === null ? null : `${width} × ${height}` },
    { label: 'File', value: fileName },
    { label: 'Size of the file', value: size === null ? null : formatBytes(size) },
    { label: 'SHA-256 of the file', value: sha256 },
    { label: 'Project', value: projects.find(({ id }) => id === projectId)?.name ?? null },
    { label: 'Added', value: <DateTime iso={createdAt} /> },
    ...(replaced ? [{ label: 'Replaced', value: replacedText(replaced) }] : []),
    { label: 'Last changed', value: <DateTime iso={updatedAt} /> },
  ]
  return (
    <section className={`${shapes.card} ${shapes.pad}`} aria-labelledby="facts-title">
      <h2 id="facts-title">About this video</h2>
      <Facts facts={facts.map(({ label, value }) => ({ label, value: value ?? '–' }))} />
    </section>
  )
}
