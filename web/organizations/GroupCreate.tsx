import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { createGroup } from '#contract/groups.ts'
import { readOrganization } from '#contract/organizations.ts'
import { useContractForm } from '../api/form.ts'
import { prefetch, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { useUser } from '../shell/useSession.ts'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { organizationCrumbs } from './crumbs.tsx'
import { bodyOf, GroupFields, GroupForm, labels, useMayRule, valuesOf } from './GroupFields.tsx'
import { userEndpoints } from './RemoveUser.tsx'

export function load({ params }: LoadInput) {
  return prefetch(readOrganization, { params: { orgId: params['orgId'] ?? '' } })
}

export function GroupCreate() {
  const orgId = usePathParam('orgId')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const isGroupadmin = useUser().role === 'groupadmin'
  const navigate = useNavigate()
  const create = useChange(createGroup, userEndpoints)
  const mayRule = useMayRule()
  const form = useContractForm({
    schema: GroupForm,
    initialValues: valuesOf(undefined, mayRule),
    labels,
    draft: `group:new:${orgId}`,
    save: (values) => create.mutateAsync({ params: { orgId }, body: bodyOf(values) }),
    async onSaved(created) {
      toast.success(
        created.kind === 'rule'
          ? `${created.name} was created. Its rule keeps it up to date.`
          : `${created.name} was created. Now choose who is in it.`,
      )
      await navigate({ to: paths.groupEdit(orgId, created.id), replace: true })
    },
  })
  return (
    <>
      <PageHead
        title="New group"
        lead={
          isGroupadmin
            ? `A group in ${organization.name}, which you will administer.`
            : `People of ${organization.name} whom you send to together.`
        }
        crumbs={organizationCrumbs(organization, 'groups')}
      />
      <FormLayout
        {...form.layout}
        isNew
        submitLabel={form.form.values.rule ? 'Create group' : 'Create and choose members'}
        cancel={
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to={paths.organizationDashboard(orgId)} search={{ tab: 'groups' }} {...props} />
            )}
          >
            Cancel
          </Button>
        }
      >
        <GroupFields form={form} orgId={orgId} />
      </FormLayout>
      <UnsavedGuard isDirty={form.isDirty} isKept />
    </>
  )
}
