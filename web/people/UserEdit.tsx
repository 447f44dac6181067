import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { listFields } from '#contract/directory/fields.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import { readUser, type User, listUsers } from '#contract/directory/users.ts'
import { fetchFresh, prefetch, useEndpoint, useChange } from '../api/query.ts'
import { paths } from '../paths.ts'
import { useBack } from '../layout/back.ts'
import { usePathParams, type LoadInput } from '../layout/page.ts'
import { useUser } from '../session/useSession.ts'
import { useVisit } from '../layout/useVisit.ts'
import { formatDay } from '../ui/format.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { ResendToPerson } from './invitations/ResendToPerson.tsx'
import { organizationCrumbs } from '../organizations/crumbs.tsx'
import { EditUserForm } from './UserForms.tsx'
import { HistoryLink } from '../organizations/HistoryLink.tsx'
import { RemoveUser } from './RemoveUser.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'
import { UserAccess } from './UserAccess.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { deleteAvatar, putAvatar } from '#contract/directory/pictures.ts'
import { PictureField } from '../organizations/pictures/PictureField.tsx'

export function load({ params }: LoadInput<'/organizations/$orgId/users/$userId/edit'>) {
  const { orgId, userId } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(listFields, { params: { orgId } }),
    fetchFresh(readUser, { params: { orgId, userId } }),
  ])
}

export function UserEdit() {
  const { orgId, userId } = usePathParams('/organizations/$orgId/users/$userId/edit')
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
  const back = useBack()
  const removal = useRemoval<User>()
  return (
    <>
      <PageHead
        title={user.name}
        lead={leadOf(user, isSelf)}
        crumbs={organizationCrumbs(organization)}
        more={
          <>
            <HistoryLink entity="user" id={userId} />
            <ResendToPerson person={user} />
          </>
        }
        seldom={
          !isSelf && (
            <Button
              variant="default"
              color="red"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={(event) => removal.ask(user, event)}
            >
              Remove person
            </Button>
          )
        }
      />
      <div className={shapes.stack}>
        <UserPicture orgId={orgId} userId={userId} />
        <EditUserForm
          orgId={orgId}
          user={user}
          isGone={removal.isGone}
          onSaved={() => back({ to: paths.organizationDashboard(orgId), search: { tab: 'users' } })}
        />
        {!isSelf && user.role !== null && <UserAccess orgId={orgId} user={user} />}
      </div>
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

/** The face of a person, saved by itself. One's own is changed in the settings. */
function UserPicture({ orgId, userId }: { orgId: string; userId: string }) {
  const params = { orgId, userId }
  const { name, avatar } = useEndpoint(readUser, { params })
  const isSelf = useUser().id === userId
  const put = useChange(putAvatar, [readUser, listUsers])
  const remove = useChange(deleteAvatar, [readUser, listUsers])
  if (isSelf) return null
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.narrow}`} aria-label="Picture">
      <PictureField
        kind="avatar"
        label="Picture"
        hint="Shown beside the name. PNG, JPEG or WebP."
        name={name}
        picture={avatar}
        onSave={(data) => put.mutateAsync({ params, body: { data } })}
        onRemove={() => remove.mutateAsync({ params })}
      />
    </section>
  )
}

function leadOf({ email, deleteAfter }: User, isSelf: boolean): string {
  if (isSelf) return `${email} · this is you`
  return deleteAfter === null ? email : `${email} · wants to leave, and does on ${formatDay(deleteAfter)}`
}
