import { useNavigate } from '@tanstack/react-router'
import {
  listOrganizations,
  OrganizationInput,
  readOrganization,
  updateOrganization,
} from '#contract/organizations.ts'
import { useContractForm } from '../api/form.ts'
import { useChange } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { ConflictNote } from '../ui/ConflictNote.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { organizationCrumbs } from './crumbs.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { labels, OrganizationFields, valuesOf } from './OrganizationFields.tsx'
import { fetchFresh, useEdit } from './useEdit.ts'

export function load({ params }: LoadInput) {
  return fetchFresh(readOrganization, { params: { orgId: params['orgId'] ?? '' } })
}

export function OrganizationEdit() {
  const orgId = usePathParam('orgId')
  return <Editor key={orgId} orgId={orgId} />
}

function Editor({ orgId }: { orgId: string }) {
  const edit = useEdit(readOrganization, { params: { orgId } })
  const { name } = edit.base
  return (
    <>
      <PageHead
        title={`Edit ${name}`}
        lead="Name, state, what counts as watched, and how people sign in."

        crumbs={organizationCrumbs(edit.base)}
        actions={<HistoryLink entity="organization" id={orgId} />}
      />
      <EditForm key={edit.base.updatedAt} orgId={orgId} edit={edit} />
    </>
  )
}

type Props = { orgId: string; edit: ReturnType<typeof useEdit<typeof readOrganization>> }

function EditForm({ orgId, edit }: Props) {
  const navigate = useNavigate()
  const update = useChange(updateOrganization, [listOrganizations, readOrganization])
  const form = useContractForm({
    schema: OrganizationInput,
    initialValues: valuesOf(edit.base),
    labels,
    async save(body) {
      const saved = await edit.guard((condition) =>
        update.mutateAsync({ params: { orgId }, body, ...condition }),
      )
      toast.success(`${saved.name} was saved.`)
      await navigate({ to: paths.organizationDashboard(orgId) })
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        {edit.isContested && (
          <ConflictNote
            what="this organization"
            onReload={() => void edit.reload()}
            onOverwrite={() => edit.overwrite(form.layout.onSubmit)}
          />
        )}
        <OrganizationFields form={form} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} />
    </>
  )
}
