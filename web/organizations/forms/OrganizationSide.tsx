import { useNavigate } from '@tanstack/react-router'
import { readOrganization } from '#contract/directory/organizations.ts'
import { paths } from '../../paths.ts'
import { toast } from '../../ui/feedback/toasts.ts'
import { EditOrganizationForm, NewOrganizationForm } from './OrganizationForms.tsx'
import { Adding, Editing, useFresh, type Over } from './OverList.tsx'

/** The form of an organization over the list of organizations. */
export function OrganizationSide({ form, onClose }: Over) {
  const navigate = useNavigate()
  if (form !== 'new') return <OrganizationEditing {...{ form, onClose }} />
  return (
    <Adding title="Add an organization" page={paths.organizationCreate()} onClose={onClose}>
      {({ cancel, goOn }) => (
        <NewOrganizationForm
          cancel={cancel}
          hasAnother
          onSaved={({ id, name }, isAnother) => {
            const said = `${name} was created.`
            if (isAnother) return goOn(said)
            const open = () => void navigate({ to: paths.organizationDashboard(id) })
            toast.success(said, { label: 'Open it', run: open })
            onClose()
          }}
        />
      )}
    </Adding>
  )
}

function OrganizationEditing({ form, onClose }: Over) {
  const organization = useFresh(readOrganization, { params: { orgId: form } })
  return (
    <Editing {...organization} form={form} page={paths.organizationEdit(form)} onClose={onClose}>
      {(loaded) => <EditOrganizationForm organization={loaded} onSaved={onClose} />}
    </Editing>
  )
}
