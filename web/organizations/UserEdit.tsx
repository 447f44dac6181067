import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { listFields } from '#contract/fields.ts'
import { readOrganization } from '#contract/organizations.ts'
import { readUser, updateUser, UserInput, type User } from '#contract/users.ts'
import { useEditForm } from '../api/editForm.ts'
import { fetchFresh, prefetch, useChange, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParam, type LoadInput } from '../shell/page.ts'
import { UnsavedGuard } from '../shell/UnsavedGuard.tsx'
import { useUser } from '../shell/useSession.ts'
import { useVisit } from '../shell/useVisit.ts'
import { FormLayout } from '../ui/FormLayout.tsx'
import { formatDay } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { toast } from '../ui/toasts.ts'
import { ResendToPerson } from './invitations/ResendToPerson.tsx'
import { organizationCrumbs } from './crumbs.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { userEndpoints, RemoveUser } from './RemoveUser.tsx'
import { useRemoval } from './useRemoval.ts'
import { UserAccess } from './UserAccess.tsx'
import { UserPicture } from './UserPicture.tsx'
import { labelsFor, tidy, UserFields, valuesOf, words } from './UserFields.tsx'

export function load({ params }: LoadInput) {
  const { orgId = '', userId = '' } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(listFields, { params: { orgId } }),
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
  const user = useEndpoint(readUser, { params: { orgId, userId } })
  useVisit({
    kind: 'user',
    title: user.name,
    detail: user.email,
    picture: user.avatar,
    path: paths.person(orgId, userId),
  })
  const isSelf = useUser().id === userId
  const navigate = useNavigate()
  const removal = useRemoval<User>()
  return (
    <>
      <PageHead
        title={user.name}
        lead={leadOf(user, isSelf)}
        crumbs={organizationCrumbs(organization)}
        actions={
          <>
            <HistoryLink entity="user" id={userId} />
            <ResendToPerson person={user} />
            {!isSelf && (
              <Button
                variant="default"
                color="red"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={(event) => removal.ask(user, event)}
              >
                Remove user
              </Button>
            )}
          </>
        }
      />
      <UserPicture orgId={orgId} userId={userId} />
      <EditForm orgId={orgId} user={user} isGone={removal.isGone} />
      {!isSelf && user.role !== null && <UserAccess orgId={orgId} user={user} />}
      <RemoveUser
        removal={removal}
        orgId={orgId}
        onRemoved={() =>
          void navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'users' }, replace: true })
        }
      />
    </>
  )
}

function leadOf({ email, deleteAfter }: User, isSelf: boolean): string {
  if (isSelf) return `${email} · this is you`
  return deleteAfter === null ? email : `${email} · wants to leave, and does on ${formatDay(deleteAfter)}`
}

type Props = { orgId: string; user: User; isGone: () => boolean }

function EditForm({ orgId, user, isGone }: Props) {
  const { id } = user
  const params = { orgId, userId: id }
  const navigate = useNavigate()
  const update = useChange(updateUser, [...userEndpoints, readUser])
  const fields = useEndpoint(listFields, { params: { orgId } }).items
  const form = useEditForm({
    what: 'this user',
    schema: UserInput,
    labels: labelsFor(fields),
    loaded: user,
    read: () => fetchFresh(readUser, { params }),
    valuesOf: (read) => valuesOf(read, fields),
    words,
    tidy,
    draft: `user:${id}`,
    trace: { entity: 'user', entityId: id },
    save: (body, condition) => update.mutateAsync({ params, body, ...condition }),
    async onSaved(saved) {
      toast.success(`${saved.name} was saved.`)
      await navigate({ to: paths.organizationDashboard(orgId), search: { tab: 'users' } })
    },
  })
  return (
    <>
      <FormLayout {...form.layout} submitLabel="Save changes">
        <UserFields form={form} orgId={orgId} user={form.base} />
      </FormLayout>
      <UnsavedGuard isDirty={() => !isGone() && form.isDirty()} isKept />
    </>
  )
}
