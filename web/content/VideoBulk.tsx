import { Autocomplete } from '@mantine/core'
import { IconEye, IconFolder, IconTag, IconTagOff, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { changeVideos, exportVideos, previewVideos, type VideoAction } from '#contract/videos/record-bulk.ts'
import type { FoundVideos, videoSorts } from '#contract/videos/videos.ts'
import { videoPrivacies, type Project } from '#contract/videos/videos.ts'
import { Tag, tagLimits } from '#contract/videos/tags.ts'
import { fetchFile } from '#web/api/client.ts'
import { useChange } from '#web/api/query.ts'
import { Act } from '#web/lists/bulk/Act.tsx'
import { BulkDialog, type BulkWording } from '#web/lists/bulk/BulkDialog.tsx'
import { idsOf, previewOf, wantedOf, type BarProps } from '#web/lists/bulk/selected.ts'
import { Download, type Downloadable } from '#web/lists/download/Download.tsx'
import { plural } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { nothingSelected } from '#web/ui/table/selection.ts'
import { SelectionBar } from '#web/ui/table/SelectionBar.tsx'
import { projectChoices } from './projects.ts'
import { privacyLabels } from './states.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = BarProps & {
  orgId: string
  filter: FoundVideos
  sort: (typeof videoSorts)[number]
  projects: readonly Project[]
  /** Those that videos have. */
  tags: readonly string[]
}

const wordings: Record<VideoAction['action'], BulkWording> = {
  remove: {
    title: 'Remove videos?',
    button: (n) => `Remove ${plural(n, 'video')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'video')}</strong> will be removed.
      </>
    ),
    isDangerous: true,
    consequences: (
      <p>
        Nobody can watch them any more, also not through links that were sent. They can be brought back for 30
        days; then their files are deleted. What people have watched so far stays in the reports.
      </p>
    ),
  },
  move: {
    title: 'Move videos',
    button: (n) => `Move ${plural(n, 'video')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'video')}</strong> will be moved.
      </>
    ),
  },
  change: {
    title: 'Change who may watch',
    button: (n) => `Change ${plural(n, 'video')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'video')}</strong> will be changed.
      </>
    ),
  },
  tag: {
    title: 'Add a tag',
    button: (n) => `Tag ${plural(n, 'video')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'video')}</strong> will get the tag.
      </>
    ),
  },
  untag: {
    title: 'Remove a tag',
    button: (n) => `Remove it from ${plural(n, 'video')}`,
    willBe: (n) => (
      <>
        <strong>{plural(n, 'video')}</strong> will lose the tag.
      </>
    ),
  },
}

/** What a choice means that nobody has made yet. */
const unchosen = '-'

/** The bar of the list of videos of one organization. */
export function VideoBulk({ orgId, filter, sort, projects, tags, ...bar }: Props) {
  const { selection, onSelect } = bar
  const [ask, setAsk] = useState<VideoAction['action']>()
  const [projectId, setProject] = useState(unchosen)
  const [privacy, setPrivacy] = useState<(typeof videoPrivacies)[number]>()
  const [tag, setTag] = useState('')
  const begin = useChange(changeVideos)
  const files: Downloadable[] = [
    {
      name: 'videos',
      read: (format) =>
        fetchFile(exportVideos, {
          body: { filter: { ...filter, organizationId: orgId }, sort, format, ...idsOf(selection) },
        }),
    },
  ]
  const input = (expected: number, asked: VideoAction) => ({
    params: { orgId },
    body: { selection: wantedOf(selection, filter, expected), do: asked },
  })
  const action = actionOf(ask, { projectId, privacy, tag })
  const close = () => setAsk(undefined)
  return (
    <>
      <SelectionBar {...bar}>
        <Act icon={IconFolder} label="Move" onClick={() => setAsk('move')} />
        <Act icon={IconEye} label="Who may watch" onClick={() => setAsk('change')} />
        <Act icon={IconTag} label="Add tag" onClick={() => setAsk('tag')} />
        <Act icon={IconTagOff} label="Remove tag" onClick={() => setAsk('untag')} />
        <Download files={files} />
        <Act icon={IconTrash} label="Remove" isDangerous onClick={() => setAsk('remove')} />
      </SelectionBar>
      {ask && (
        <BulkDialog
          key={ask}
          {...wordings[ask]}
          preview={action && previewOf(previewVideos, input(0, action))}
          begin={(expected) =>
            action ? begin.mutateAsync(input(expected, action)) : Promise.reject(new Error('nothing chosen'))
          }
          onBegun={() => onSelect(nothingSelected)}
          onClose={close}
        >
          {ask === 'move' && (
            <div className={shapes.stack}>
              <NativeChoice
                label="Project"
                value={projectId}
                onChange={({ currentTarget }) => setProject(currentTarget.value)}
                data={[
                  { value: unchosen, label: 'Choose a project', disabled: true },
                  { value: '', label: 'No project' },
                  ...projectChoices(projects),
                ]}
              />
            </div>
          )}
          {ask === 'change' && (
            <div className={shapes.stack}>
              <NativeChoice
                label="Who may watch"
                {...(privacy ? { description: privacyLabels[privacy].means } : {})}
                value={privacy ?? unchosen}
                onChange={({ currentTarget: { value } }) =>
                  setPrivacy(videoPrivacies.find((one) => one === value))
                }
                data={[
                  { value: unchosen, label: 'Choose', disabled: true },
                  ...videoPrivacies.map((value) => ({ value, label: privacyLabels[value].word })),
                ]}
              />
            </div>
          )}
          {(ask === 'tag' || ask === 'untag') && (
            <div className={shapes.stack}>
              <Autocomplete
                label="Tag"
                description={ask === 'tag' ? 'One that is in use, or a new one.' : undefined}
                value={tag}
                onChange={setTag}
                data={[...tags]}
                maxLength={tagLimits.signs}
                // What lies outside of a dialog lies behind it.
                comboboxProps={{ withinPortal: false }}
                data-autofocus
              />
            </div>
          )}
        </BulkDialog>
      )}
    </>
  )
}

type Choices = { projectId: string; tag: string; privacy: (typeof videoPrivacies)[number] | undefined }

/** Undefined as long as something is still to be chosen. */
function actionOf(
  ask: VideoAction['action'] | undefined,
  { projectId, privacy, tag }: Choices,
): VideoAction | undefined {
  if (ask === 'remove') return { action: ask }
  if (ask === 'move')
    return projectId === unchosen ? undefined : { action: ask, projectId: projectId || null }
  if (ask === 'tag' || ask === 'untag') {
    const { data } = Tag.safeParse(tag)
    return data === undefined ? undefined : { action: ask, tag: data }
  }
  return ask && privacy && { action: ask, privacy }
}
