import { Button, TextInput } from '@mantine/core'
import { readProject, updateProject, type Project } from '#contract/videos/videos.ts'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { useEditForm } from '#web/api/forms/editForm.ts'
import { fetchFresh, useChange } from '#web/api/query.ts'
import { MergeNote } from '#web/ui/fields/MergeNote.tsx'
import classes from './ProjectsDialog.module.css'
import shapes from '#web/ui/look/shapes.module.css'

const labels = { name: 'Name' }
const valuesOf = ({ name }: Project) => ({ name })

type Props = {
  project: Project
  /** What shows the name elsewhere. */
  readers: readonly EndpointDefinition[]
  onDone: () => void
}

/** The name of a project, in its row. */
export function RenameProject({ project, readers, onDone }: Props) {
  const params = { projectId: project.id }
  const rename = useChange(updateProject, readers)
  const { field, layout } = useEditForm({
    what: 'this project',
    schema: updateProject.body,
    labels,
    loaded: project,
    read: () => fetchFresh(readProject, { params }),
    valuesOf,
    trace: { entity: 'project', entityId: project.id },
    save: (body, condition) => rename.mutateAsync({ params, body, ...condition }),
    onSaved: async () => onDone(),
  })
  const { label: _label, error, ...input } = field('name')
  const problem = layout.problem && `${layout.problem.title}. ${layout.problem.detail}`
  return (
    <form
      className={`${shapes.row} ${classes.line}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        layout.onSubmit()
      }}
    >
      {layout.merge && <MergeNote {...layout.merge} />}
      <TextInput
        {...input}
        aria-label={`New name of ${project.name}`}
        error={error ?? problem}
        maxLength={200}
        ref={selectOnce}
      />
      <Button type="submit" loading={layout.isSaving}>
        Save
      </Button>
      <Button variant="default" onClick={onDone}>
        Cancel
      </Button>
    </form>
  )
}

/** Whoever pressed the pencil wants to type. */
function selectOnce(input: HTMLInputElement | null): void {
  input?.select()
}
