import { readUser } from '#contract/directory/users.ts'
import { paths } from '../paths.ts'
import { toast } from '../ui/feedback/toasts.ts'
import { EditUserForm, NewUserForm } from './UserForms.tsx'
import { Adding, Editing, useFresh, type Over } from '../organizations/forms/OverList.tsx'

type Props = Over & { orgId: string }

/** The form of a person over the list of people. */
export function UserSide({ orgId, form, onClose }: Props) {
  if (form !== 'new') return <UserEditing {...{ orgId, form, onClose }} />
  return (
    <Adding title="Add a person" page={paths.userCreate(orgId)} onClose={onClose}>
      {({ cancel, goOn }) => (
        <NewUserForm
          orgId={orgId}
          cancel={cancel}
          hasAnother
          onSaved={(said, isAnother) => {
            if (isAnother) return goOn(said)
            toast.success(said)
            onClose()
          }}
        />
      )}
    </Adding>
  )
}

function UserEditing({ orgId, form, onClose }: Props) {
  const user = useFresh(readUser, { params: { orgId, userId: form } })
  return (
    <Editing {...user} form={form} page={paths.userEdit(orgId, form)} onClose={onClose}>
      {(loaded) => <EditUserForm orgId={orgId} user={loaded} onSaved={onClose} />}
    </Editing>
  )
}
