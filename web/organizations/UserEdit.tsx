import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { readOrganization } from '#contract/organizations.ts'
import { readUser, updateUser, UserInput, type User } from '#contract/users.ts'
import { useContractForm } from '../api/form.ts'
import { prefetch, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { useUser } from '../shell/useSession.ts'
import { ConflictNote } from '../ui/ConflictNote.tsx'
import { FormLayout } from '../ui/FormLayout.tsx'
import { formatDay } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { ResendToPerson } from './invitations/ResendToPerson.tsx'
import { organizationCrumbs } from './crumbs.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { userEndpoints, RemoveUser } from './RemoveUser.tsx'
import { fetchFresh, useEdit } from './useEdit.ts'
import { useRemoval } from './useRemoval.ts'
import { UserAccess } from './UserAccess.tsx'
import { labels, UserFields, valuesOf } from './UserFields.tsx'

export function load({ params }: LoadInput) {
  const { orgId = '', userId = '' } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    fetchFresh(readUser, { params: { orgId, userId } }),
  ])
}

export function UserEdit() {
  const orgId = usePathParam('orgId')
  const userId = usePathParam('userId')
  return <Editor key={userId} orgId={orgId} userId={userId} />
}

function Editor({ orgId, userId }: { orgId: string; userId: string }) {
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const edit = useEdit(readUser, { params: { orgId, userId } })
  const isSelf = useUser().id === userId
  const navigate = useNavigate()
  const removal = useRemoval<User>()
  return (
    <>
      <PageHead
        title={edit.base.name}
        lead={leadOf(edit.base, isSelf)}
        crumbs={organizationCrumbs(organization)}
        actions={
          <>
            <HistoryLink entity="user" id={userId} />
            <ResendToPerson person={edit.base} />
            {!isSelf && (
              <Button
                variant="default"
                color="red"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={(event) => removal.ask(edit.base, event)}
              >
                Remove user
              </Button>
            )}
          </>
        }
      />
      <EditForm key={edit.base.updatedAt} orgId={orgId} userId={userId} edit={edit} isGone={removal.isGone} />
      {!isSelf && edit.base.role !== null && <UserAccess orgId={orgId} user={edit.base} />}
      <RemoveUser
        removal={removal}
        orgId={orgId}
        onRemoved={() => void navigate({ to: paths.organizationDashboard(orgId), replace: true })}
      />
    </>
  )
}

function leadOf({ email, deleteAfter }: User, isSelf: boolean): string {
  if (isSelf) return `${email} · this is you`
  return deleteAfter === null ? email : `${email} · wants to leave, and does on ${formatDay(deleteAfter)}`
}

type Props = {
  orgId: string
  userId: string
  edit: ReturnType<typeof useEdit<typeof readUser>>
  isGone: () => boolean
}

function EditForm({ orgId, userId, edit, isGone }: Props) {
  const navigate = useNavigate()
  const update = useChange(updateUser, [...userEndpoints, readUser])
  const form = useContractForm({
    schema: UserInput,
    initialValues: valuesOf(edit.base),
    labels,
    async save(body) {
      const params = { orgId, userId }
      const saved = await edit.guard((condition) => update.mutateAsync({ params, body, ...condition }))
      toast.success(`${saved.name} was saved.`)
      await navigate({ to: paths.organizationDashboard(orgId) })
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        {edit.isContested && (
          <ConflictNote
            what="this user"
            onReload={() => void edit.reload()}
            onOverwrite={() => edit.overwrite(form.layout.onSubmit)}
          />
        )}
        <UserFields form={form} orgId={orgId} user={edit.base} />
      </FormLayout>
      <UnsavedGuard isDirty={() => !isGone() && form.isDirty()} />
    </>
  )
}
