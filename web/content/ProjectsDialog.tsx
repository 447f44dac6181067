import { Button, TextInput } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import {
  createProject,
  deleteProject,
  listProjects,
  listVideos,
  readProject,
  readVideo,
  searchVideos,
  type Project,
} from '#contract/videos/videos.ts'
import { attempt } from '#web/api/attempt.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { fetchFresh, useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Dialog } from '#web/ui/overlays/Dialog.tsx'
import { rememberPlace } from '#web/ui/browser/focus.ts'
import { plural } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { IconButton } from '#web/ui/IconButton.tsx'
import { asTree } from './projects.ts'
import { RenameProject } from './RenameProject.tsx'
import { Lines } from '#web/ui/Lines.tsx'
import classes from './ProjectsDialog.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const readers = [listProjects, listVideos, searchVideos, readVideo]

type Props = { projects: readonly Project[]; organizationId: string | null; onClose: () => void }

/** Create, rename and remove the folders of videos. */
export function ProjectsDialog({ projects, organizationId, onClose }: Props) {
  const [renamed, setRenamed] = useState<Project | null>(null)
  /** Whose new name was just saved or given up. */
  const [after, setAfter] = useState<string | null>(null)
  const [leaving, setLeaving] = useState<Project | null>(null)
  const goBack = useRef<(() => void) | null>(null)
  const remove = useChange(deleteProject, readers)
  /** Read anew, for the version that is changed. */
  const begin = ({ id: projectId }: Project) =>
    attempt(async () => {
      setRenamed(await fetchFresh(readProject, { params: { projectId } }))
    })
  const above = projects.find(({ id }) => id === leaving?.parentId)
  return (
    <Dialog title="Projects" isOpen onClose={onClose}>
      {projects.length === 0 ? (
        <p>Projects keep videos together that belong together. There is none yet.</p>
      ) : (
        <Lines>
          {asTree(projects).map(({ project, isInner }) => (
            <li key={project.id} className={isInner ? classes.inner : undefined}>
              {renamed?.id === project.id ? (
                <RenameProject
                  project={renamed}
                  readers={readers}
                  onDone={() => {
                    setRenamed(null)
                    setAfter(project.id)
                  }}
                />
              ) : (
                <Row
                  project={project}
                  wasRenamed={after === project.id}
                  onRename={() => void begin(project)}
                  onRemove={(button) => {
                    goBack.current = rememberPlace(button)
                    setLeaving(project)
                  }}
                />
              )}
            </li>
          ))}
        </Lines>
      )}
      {organizationId === null ? (
        <p className={shapes.hint}>Choose an organization on the page to add a project to it.</p>
      ) : (
        <Create projects={projects} organizationId={organizationId} />
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        title={`Remove the project “${leaving?.name ?? ''}”?`}
        confirmLabel="Remove project"
        onConfirm={async () => {
          await attempt(async () => {
            if (leaving) await remove.mutateAsync({ params: { projectId: leaving.id } })
          })
          requestAnimationFrame(() => goBack.current?.())
        }}
        onClose={() => setLeaving(null)}
      >
        {leaving?.videoCount
          ? `Its ${plural(leaving.videoCount, 'video')} ${leaving.videoCount === 1 ? 'stays' : 'stay'} and ${leaving.videoCount === 1 ? 'moves' : 'move'} ${above ? `to “${above.name}”` : 'out of it'}.`
          : 'There are no videos in it.'}
      </ConfirmDialog>
    </Dialog>
  )
}

type RowProps = {
  project: Project
  wasRenamed: boolean
  onRename: () => void
  onRemove: (button: Element) => void
}

function Row({ project, wasRenamed, onRename, onRemove }: RowProps) {
  const { name, videoCount } = project
  return (
    <>
      <span>{name}</span>
      <span className={shapes.hint}>{plural(videoCount, 'video')}</span>
      <IconButton
        tone="quiet"
        size={36}
        icon={IconPencil}
        label={`Rename ${name}`}
        title="Rename"
        ref={wasRenamed ? focusOn : undefined}
        onClick={onRename}
      />
      <IconButton
        tone="quiet"
        size={36}
        icon={IconTrash}
        label={`Remove ${name}`}
        title="Remove"
        onClick={(event) => onRemove(event.currentTarget)}
      />
    </>
  )
}

function Create({ projects, organizationId }: { projects: readonly Project[]; organizationId: string }) {
  const [name, setName] = useState('')
  const [parentId, setParentId] = useState('')
  const create = useChange(createProject, [listProjects])
  const [isMissing, setMissing] = useState(false)
  const add = () => {
    setMissing(name.trim() === '')
    if (name.trim() === '') return
    create.mutate(
      { body: { name: name.trim(), parentId: parentId || null, organizationId } },
      { onSuccess: () => setName('') },
    )
  }
  const tops = projects.filter((project) => project.parentId === null)
  return (
    <div>
      <form
        className={`${shapes.row} ${classes.line}`}
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <TextInput
          label="New project"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={isMissing ? missing : errorOf(create.error)}
          maxLength={200}
        />
        {tops.length > 0 && (
          <NativeChoice
            label="Inside"
            value={parentId}
            onChange={(event) => setParentId(event.currentTarget.value)}
            data={[
              { value: '', label: 'No other project' },
              ...tops.map((project) => ({ value: project.id, label: project.name })),
            ]}
          />
        )}
        <Button type="submit" variant="default" loading={create.isPending}>
          Add
        </Button>
      </form>
    </div>
  )
}

const missing = 'Please fill this in.'

function focusOn(button: HTMLElement | null): void {
  button?.focus()
}

function errorOf(error: Error | null): string | null {
  if (!error) return null
  return serverFieldErrors(error)['name'] ?? sentence(error)
}
