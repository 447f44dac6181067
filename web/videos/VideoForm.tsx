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
  type VideoDetail,
} from '#contract/videos.ts'
import { useContractForm } from '#web/api/form.ts'
import { useChange } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/shell/UnsavedGuard.tsx'
import { optional } from '#web/ui/Field.tsx'
import { FormLayout } from '#web/ui/FormLayout.tsx'
import { toast } from '#web/ui/toasts.ts'
import { NativeChoice } from '#web/ui/NativeChoice.tsx'
import { projectChoices } from './projects.ts'
import { privacyWords } from './states.ts'

const labels = { title: 'Title', description: 'Description', projectId: 'Project', privacy: 'Who may watch' }

export function VideoForm({ video, projects }: { video: VideoDetail; projects: readonly Project[] }) {
  const change = useChange(updateVideo, [listVideos, searchVideos, readVideo, listProjects])
  const { form, field, layout, isDirty } = useContractForm({
    schema: VideoInput,
    initialValues: {
      title: video.title,
      description: video.description ?? '',
      projectId: video.projectId,
      privacy: video.privacy,
    },
    labels,
    save: async (values) => {
      await change.mutateAsync({
        params: { videoId: video.id },
        body: { ...values, description: values.description.trim() || null },
        ifMatch: video,
      })
      form.resetDirty(values)
      toast.success('The changes are saved.')
    },
  })
  const project = field('projectId')
  return (
    <section aria-labelledby="details-title" className="videos-details">
      <h2 id="details-title" className="ui-sr">
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
          description={privacyWords[form.getValues().privacy].means}
          data={videoPrivacies.map((value) => ({ value, label: privacyWords[value].word }))}
        />
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} />
    </section>
  )
}
