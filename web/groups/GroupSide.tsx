import { useNavigate } from '@tanstack/react-router'
import { readGroup } from '#contract/directory/groups.ts'
import { paths } from '../paths.ts'
import { toast } from '../ui/feedback/toasts.ts'
import { createdText, EditGroupForm, NewGroupForm } from './GroupForms.tsx'
import { Adding, Editing, useFresh, type Over } from '../organizations/forms/OverList.tsx'

type Props = Over & { orgId: string }

/** The form of a group over the list of groups. */
export function GroupSide({ orgId, form, onClose }: Props) {
  const navigate = useNavigate()
  if (form !== 'new') return <GroupEditing {...{ orgId, form, onClose }} />
  return (
    <Adding title="Add a group" page={paths.groupCreate(orgId)} onClose={onClose}>
      {({ cancel, goOn }) => (
        <NewGroupForm
          orgId={orgId}
          cancel={cancel}
          hasAnother
          onSaved={(created, isAnother) => {
            if (isAnother) return goOn(`${created.name} was created.`)
            const choose = () => void navigate({ to: paths.groupEdit(orgId, created.id) })
            toast.success(
              createdText(created),
              created.kind === 'rule' ? undefined : { label: 'Choose members', run: choose },
            )
            onClose()
          }}
        />
      )}
    </Adding>
  )
}

function GroupEditing({ orgId, form, onClose }: Props) {
  const group = useFresh(readGroup, { params: { orgId, groupId: form } })
  const page = paths.groupEdit(orgId, form)
  return (
    <Editing {...group} form={form} page={page} onClose={onClose}>
      {(loaded) => <EditGroupForm group={loaded} onSaved={onClose} />}
    </Editing>
  )
}
