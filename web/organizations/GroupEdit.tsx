import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { GroupInput, readGroup, updateGroup, type Group } from '#contract/groups.ts'
import { readOrganization } from '#contract/organizations.ts'
import { listUsers } from '#contract/users.ts'
import { useEditForm } from '../api/editForm.ts'
import { fetchFresh, prefetch, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { readSearch, usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { organizationCrumbs } from './crumbs.tsx'
import { GroupFields, labels, valuesOf } from './GroupFields.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { Members, memberQuery, memberSearch } from './Members.tsx'
import { RemoveGroup } from './RemoveGroup.tsx'
import { userEndpoints } from './RemoveUser.tsx'
import { useRemoval } from './useRemoval.ts'

export function load({ params, search }: LoadInput) {
  const { orgId = '', groupId = '' } = params
  const query = memberQuery(groupId, readSearch(memberSearch, search))
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    fetchFresh(readGroup, { params: { orgId, groupId } }),
    prefetch(listUsers, { params: { orgId }, query }),
  ])
}

export function GroupEdit() {
  const orgId = usePathParam('orgId')
  const groupId = usePathParam('groupId')
  return <Editor key={groupId} orgId={orgId} groupId={groupId} />
}

function Editor({ orgId, groupId }: { orgId: string; groupId: string }) {
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const group = useEndpoint(readGroup, { params: { orgId, groupId } })
  const navigate = useNavigate()
  const removal = useRemoval<Group>()
  const leave = () =>
    void navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'groups' }, replace: true })
  return (
    <>
      <PageHead
        title={group.name}
        lead={`A group in ${organization.name}.`}
        crumbs={organizationCrumbs(organization, 'groups')}
        actions={
          <>
            <HistoryLink entity="group" id={groupId} />
            <Button
              variant="default"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={(event) => removal.ask(group, event)}
            >
              Remove group
            </Button>
          </>
        }
      />
      <EditForm group={group} isGone={removal.isGone} />
      <Members orgId={orgId} group={group} />
      <RemoveGroup removal={removal} onRemoved={leave} />
    </>
  )
}

type Props = { group: Group; isGone: () => boolean }

function EditForm({ group, isGone }: Props) {
  const { organizationId, id } = group
  const params = { orgId: organizationId, groupId: id }
  const navigate = useNavigate()
  const update = useChange(updateGroup, [...userEndpoints])
  const form = useEditForm({
    what: 'this group',
    schema: GroupInput,
    labels,
    loaded: group,
    read: () => fetchFresh(readGroup, { params }),
    valuesOf,
    draft: `group:${id}`,
    trace: { entity: 'group', entityId: id },
    save: (body, condition) => update.mutateAsync({ params, body, ...condition }),
    async onSaved(saved) {
      toast.success(`${saved.name} was saved.`)
      await navigate({ to: paths.organizationDashboard(params.orgId), search: { tab: 'groups' } })
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <GroupFields form={form} />
      </FormLayout>
      <UnsavedGuard isDirty={() => !isGone() && form.isDirty()} isKept />
    </>
  )
}
