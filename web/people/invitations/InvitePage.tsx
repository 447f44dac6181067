import { Textarea } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import {
  BulkInput,
  invitable,
  inviteMany,
  listInvitations,
  type InviteRow,
} from '#contract/directory/invitations.ts'
import { readOrganization } from '#contract/directory/organizations.ts'
import type { Role } from '#contract/roles.ts'
import { listUsers } from '#contract/directory/users.ts'
import { explain, type Explanation } from '../../api/errors.ts'
import { useContractForm } from '../../api/forms/form.ts'
import { prefetch, useChange, useEndpoint } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { usePathParams } from '../../layout/page.ts'
import { OutboxNote } from '../../layout/OutboxNote.tsx'
import { UnsavedGuard } from '../../layout/UnsavedGuard.tsx'
import { roleNames } from '../../session/roleNames.ts'
import { useUser } from '../../session/useSession.ts'
import '../../ui/fields/fields.ts'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { optional } from '../../ui/fields/Field.tsx'
import { FormLayout } from '../../ui/fields/FormLayout.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { organizationCrumbs } from '../../organizations/crumbs.tsx'
import { GroupPicker } from '../../organizations/GroupPicker.tsx'
import { InviteResult } from './InviteResult.tsx'
import { ListLink } from './ListLink.tsx'

/** Of both pages: superadmins are invited into no organization. */
export function load({ params: { orgId } }: { params: { orgId?: string } }): Promise<unknown> {
  return orgId === undefined ? Promise.resolve() : prefetch(readOrganization, { params: { orgId } })
}

export function OrganizationInvite() {
  const { orgId } = usePathParams('/organizations/$orgId/invite')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  return (
    <InvitePage
      orgId={orgId}
      title="Invite people"
      lead={`They get a mail with a link, choose a password and help to manage ${organization.name}.`}
      crumbs={organizationCrumbs(organization, 'invitations')}
    />
  )
}

export function SuperadminInvite() {
  return (
    <InvitePage
      orgId={null}
      title="Invite a superadmin"
      lead="Whoever accepts can see and manage everything, in every organization."
      crumbs={[
        <Link key="all" to={paths.organizations()}>
          Organizations
        </Link>,
        <Link key="invited" to={paths.superadminInvitations()}>
          Invited superadmins
        </Link>,
      ]}
    />
  )
}

type Values = {
  organizationId: string | null
  addresses: string
  role: Role
  groupIds: string[]
  dryRun: true
}
type InviteResultState = { rows: InviteRow[]; isSent: boolean }
type PageProps = { orgId: string | null; title: string; lead: string; crumbs: ReactNode }

/** Addresses, role and groups; then what would become of each; then what has. */
function InvitePage({ orgId, ...head }: PageProps) {
  const [shown, setShown] = useState<InviteResultState | null>(null)
  const [problem, setProblem] = useState<Explanation | null>(null)
  const invite = useChange(inviteMany, [listInvitations, listUsers])
  const form = useInviteForm(orgId, async (body) => {
    const { rows } = await invite.mutateAsync({ body, timeout })
    setProblem(null)
    setShown({ rows, isSent: false })
  })
  const send = async () => {
    try {
      const { rows } = await invite.mutateAsync({
        body: { ...form.form.getValues(), dryRun: false },
        timeout,
      })
      setShown({ rows, isSent: true })
    } catch (error) {
      setProblem(explain(error))
    }
  }
  const startAnew = () => {
    form.form.setFieldValue('addresses', '')
    setShown(null)
  }
  const isUnsaved = () => !shown?.isSent && form.form.getValues().addresses.trim() !== ''
  return (
    <>
      <PageHead {...head} />
      {shown ? (
        <InviteResult
          {...shown}
          key={String(shown.isSent)}
          orgId={orgId}
          problem={problem}
          isBusy={invite.isPending}
          onSend={() => void send()}
          onBack={() => setShown(null)}
          onMore={startAnew}
        />
      ) : (
        <InviteForm form={form} orgId={orgId} />
      )}
      <UnsavedGuard isDirty={isUnsaved} />
    </>
  )
}

/** A thousand mails take a while. */
const timeout = 120_000

function useInviteForm(orgId: string | null, save: (values: Values) => Promise<void>) {
  const { role } = useUser()
  const [least = role] = invitable(role, orgId === null ? 'installation' : 'organization').toReversed()
  return useContractForm<Values>({
    schema: BulkInput,
    initialValues: { organizationId: orgId, addresses: '', role: least, groupIds: [], dryRun: true },
    labels: { addresses: 'Email addresses', role: 'Role', groupIds: 'Groups' },
    save,
  })
}

type FormProps = { form: ReturnType<typeof useInviteForm>; orgId: string | null }

const means: Record<Role, string> = {
  superadmin: 'Sees and manages everything, in every organization.',
  admin: 'Manages everything in this organization.',
  groupadmin: 'Looks after the groups chosen below and their members.',
}

function InviteForm({ form, orgId }: FormProps) {
  const { role } = useUser()
  const offered = invitable(role, orgId === null ? 'installation' : 'organization')
  return (
    <FormLayout
      {...form.layout}
      note={<OutboxNote />}
      isNew
      submitLabel="Check addresses"
      cancel={
        <ListLink orgId={orgId} variant="default">
          Cancel
        </ListLink>
      }
    >
      <Textarea
        {...form.field('addresses')}
        description="One per line, or with commas between them; “Ada Berg <ada@example.com>” works too. Up to 1,000."
        rows={6}
        autoComplete="off"
        spellCheck={false}
      />
      {offered.length > 1 && (
        <RadioChoices
          {...form.field('role')}
          choices={offered.map((value) => ({ value, label: roleNames[value], means: means[value] }))}
        />
      )}
      {orgId !== null && <Groups form={form} orgId={orgId} />}
    </FormLayout>
  )
}

function Groups({ form: { form, field }, orgId }: { form: FormProps['form']; orgId: string }) {
  const isOwn = useUser().role === 'groupadmin'
  const [known, setKnown] = useState<{ id: string; name: string }[]>([])
  const { role, groupIds } = form.values
  return (
    <GroupPicker
      id={field('groupIds').id}
      label={isOwn ? 'Groups' : optional('Groups')}
      description={
        role === 'groupadmin' ? 'Groups that they will look after.' : 'Groups that they will be members of.'
      }
      error={form.errors['groupIds']}
      orgId={orgId}
      known={known}
      value={groupIds}
      onPick={(groups) => {
        const ids = groups.map(({ id }) => id)
        setKnown((before) => [...before.filter(({ id }) => !ids.includes(id)), ...groups])
        form.setFieldValue('groupIds', ids)
      }}
    />
  )
}
