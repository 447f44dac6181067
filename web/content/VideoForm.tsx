import { Textarea, TextInput } from '@mantine/core'
import {
  listProjects,
  listVideos,
  readVideo,
  searchVideos,
  updateVideo,
  videoPrivacies,
  VideoInput,
  type Project,
  type Video,
  type VideoDetail,
} from '#contract/videos/videos.ts'
import { useEditForm } from '#web/api/editForm.ts'
import { fetchFresh, useChange } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { optional } from '#web/ui/Field.tsx'
import { FormLayout } from '#web/ui/FormLayout.tsx'
import { toast } from '#web/ui/toasts.ts'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { projectChoices } from './projects.ts'
import { privacyLabels } from './states.ts'
import shapes from '#web/ui/shapes.module.css'

const labels = { title: 'Title', description: 'Description', projectId: 'Project', privacy: 'Who may watch' }

const valuesOf = ({ title, description, projectId, privacy }: Video) => ({
  title,
  description: description ?? '',
  projectId,
  privacy,
})

export function VideoForm({ video, projects }: { video: VideoDetail; projects: readonly Project[] }) {
  const params = { videoId: video.id }
  const change = useChange(updateVideo, [listVideos, searchVideos, readVideo, listProjects])
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
        <Textarea {...field('description')} label={optional(labels.description)} rows={5} />
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
