import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState, type ReactNode } from 'react'
import type { EndpointDefinition } from '#contract/endpoint.ts'
import { readGroup } from '#contract/groups.ts'
import { readOrganization } from '#contract/organizations.ts'
import { readUser } from '#contract/users.ts'
import type { Address } from '../../api/client.ts'
import { explain } from '../../api/errors.ts'
import { queryOf } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { Drawer } from '../../ui/Drawer.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { toast } from '../../ui/toasts.ts'
import { createdWords, EditGroupForm, NewGroupForm } from './GroupForms.tsx'
import { EditOrganizationForm, NewOrganizationForm } from './OrganizationForms.tsx'
import { FormBones, FormStart } from './FormStart.tsx'
import { EditUserForm, NewUserForm } from './UserForms.tsx'

type Props = {
  /** The id of the row that is edited, or `new`. */
  form: string
  onClose: () => void
}
type Within = Props & { orgId: string }

/** The form of a person over the list of people. */
export function UserSide({ orgId, form, onClose }: Within) {
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

function UserEditing({ orgId, form, onClose }: Within) {
  const user = useFresh(readUser, { params: { orgId, userId: form } })
  return (
    <Editing {...user} form={form} page={paths.userEdit(orgId, form)} onClose={onClose}>
      {(loaded) => <EditUserForm orgId={orgId} user={loaded} onSaved={onClose} />}
    </Editing>
  )
}

/** The form of a group over the list of groups. */
export function GroupSide({ orgId, form, onClose }: Within) {
  const navigate = useNavigate()
  if (form !== 'new') return <GroupEditing {...{ orgId, form, onClose }} />
  return (
    <Adding title="New group" page={paths.groupCreate(orgId)} onClose={onClose}>
      {({ cancel, goOn }) => (
        <NewGroupForm
          orgId={orgId}
          cancel={cancel}
          hasAnother
          onSaved={(created, isAnother) => {
            if (isAnother) return goOn(`${created.name} was created.`)
            const choose = () => void navigate({ to: paths.groupEdit(orgId, created.id) })
            toast.success(
              createdWords(created),
              created.kind === 'rule' ? undefined : { label: 'Choose members', run: choose },
            )
            onClose()
          }}
        />
      )}
    </Adding>
  )
}

function GroupEditing({ orgId, form, onClose }: Within) {
  const group = useFresh(readGroup, { params: { orgId, groupId: form } })
  const page = paths.groupEdit(orgId, form)
  return (
    <Editing {...group} form={form} page={page} onClose={onClose}>
      {(loaded) => <EditGroupForm group={loaded} onSaved={onClose} />}
    </Editing>
  )
}

/** The form of an organization over the list of organizations. */
export function OrganizationSide({ form, onClose }: Props) {
  const navigate = useNavigate()
  if (form !== 'new') return <OrganizationEditing {...{ form, onClose }} />
  return (
    <Adding title="New organization" page={paths.organizationCreate()} onClose={onClose}>
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

function OrganizationEditing({ form, onClose }: Props) {
  const organization = useFresh(readOrganization, { params: { orgId: form } })
  return (
    <Editing {...organization} form={form} page={paths.organizationEdit(form)} onClose={onClose}>
      {(loaded) => <EditOrganizationForm organization={loaded} onSaved={onClose} />}
    </Editing>
  )
}

/** What is edited is read anew, or saving would find one's own former change in the way. */
function useFresh<E extends EndpointDefinition>(endpoint: E, address: Address<E>) {
  const { data, error, isFetchedAfterMount } = useQuery({
    ...queryOf(endpoint, address),
    refetchOnMount: 'always',
  })
  return { loaded: isFetchedAfterMount ? data : undefined, error }
}

type EditingProps<R> = Props & {
  loaded: R | undefined
  error: Error | null
  page: string
  children: (loaded: R) => ReactNode
}

function Editing<R extends { name: string }>(given: EditingProps<R>) {
  const { loaded, error, form, page, onClose, children } = given
  return (
    <Drawer
      title={loaded ? `Edit ${loaded.name}` : error ? 'Nothing to edit' : 'One moment'}
      page={loaded || !error ? page : undefined}
      {...{ form, onClose }}
    >
      {error && !loaded ? (
        <ErrorState {...explain(error)} />
      ) : loaded ? (
        <Suspense fallback={<FormBones />}>
          <FormStart>{children(loaded)}</FormStart>
        </Suspense>
      ) : (
        <FormBones />
      )}
    </Drawer>
  )
}

type AddingProps = {
  title: string
  page: string
  onClose: () => void
  children: (around: { cancel: ReactNode; goOn: (said: string) => void }) => ReactNode
}

/** One after another: each begins with an empty form. */
function Adding({ title, page, onClose, children }: AddingProps) {
  const [{ round, news }, setRound] = useState({ round: 0, news: '' })
  const goOn = (said: string) => setRound({ round: round + 1, news: said })
  const cancel = (
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
  )
  return (
    <Drawer title={title} form="new" page={page} news={news} onClose={onClose}>
      <Suspense fallback={<FormBones />}>
        <FormStart key={round}>{children({ cancel, goOn })}</FormStart>
      </Suspense>
    </Drawer>
  )
}
