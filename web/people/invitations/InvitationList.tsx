import { Button } from '@mantine/core'
import { IconMailForward, IconMailPlus, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { alertsOf } from '#contract/platform/alerts.ts'
import {
  invitationStates as states,
  listInvitations,
  type Invitation,
  resendInvitation,
  revokeInvitation,
} from '#contract/directory/invitations.ts'
import { prefetch, useList, useChange } from '../../api/query.ts'
import { paths } from '../../paths.ts'
import { readSearch, usePageSearch } from '../../layout/page.ts'
import { roleNames } from '../../session/roleNames.ts'
import { DataTable, type Column } from '../../ui/table/DataTable.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { NotRead } from '#web/api/NotRead.tsx'
import { formatDateTime, formatDay, plural } from '../../ui/format.ts'
import { Pager } from '../../ui/table/Pager.tsx'
import { StatusBadge } from '../../ui/figures/StatusBadge.tsx'
import { RelativeTime } from '../../ui/Time.tsx'
import { choice } from '#web/lists/bar/filters.ts'
import { ListBar } from '#web/lists/bar/ListBar.tsx'
import { onlyThese } from '#web/lists/only.ts'
import { all, useUniform } from '#web/lists/uniform.ts'
import { RowMenu, type RowAct } from '#web/ui/table/RowMenu.tsx'
import { useRemoval } from '#web/lists/useRemoval.ts'
import { invitationStates, mailStates, invitedText } from './labels.ts'
import { tipStop } from '#web/ui/overlays/tips.ts'
import { useMailRests } from '../../layout/OutboxNote.tsx'
import { ConfirmDialog } from '../../ui/overlays/ConfirmDialog.tsx'

export const invitationSearch = z.object({
  q: z.catch(z.string(), ''),
  sort: z.catch(z.enum(['-createdAt', 'createdAt', 'expiresAt', '-expiresAt']), '-createdAt'),
  state: z.catch(z.optional(z.enum(states)), undefined),
  /** What a dashboard led to. */
  attention: z.catch(z.optional(z.enum(alertsOf.invitations)), undefined),
  offset: z.catch(z.coerce.number().check(z.gte(0)), 0),
})
type Search = z.output<typeof invitationSearch>

/** What the address says, in the words of the API. Without an organization: those to administer the installation. */
function invitationQuery(orgId: string | null, { q, sort, state, attention, offset }: Search) {
  return { organizationId: orgId ?? ('none' as const), q, sort, state, attention, offset }
}

export function loadInvitations(orgId: string | null, given: unknown) {
  return prefetch(listInvitations, { query: invitationQuery(orgId, readSearch(invitationSearch, given)) })
}

const counted = (total: number) => plural(total, 'invitation')
const allColumns: readonly Column<Invitation>[] = [
  {
    key: 'email',
    header: 'Email',
    isName: true,
    cell: ({ email, name }) => (name ? <span {...tipStop(`${name}, ${email}`)}>{email}</span> : email),
  },
  {
    key: 'role',
    header: 'Role',
    phone: 'line',
    width: '208px',
    from: 'md',
    uniformWord: ({ id, role, groups }) => (groups.length > 0 ? id : all(roleNames[role])),
    cell: ({ role, groups }) => [roleNames[role], ...groups.map(({ name }) => name)].join(', '),
  },
  {
    key: 'state',
    header: 'State',
    phone: 'end',
    width: '124px',
    uniformWord: ({ state }) => all(invitationStates[state].word),
    cell: ({ state }) => (
      <StatusBadge tone={invitationStates[state].tone} title={invitationStates[state].means}>
        {invitationStates[state].word}
      </StatusBadge>
    ),
  },
  {
    key: 'mail',
    header: 'Mail',
    width: '140px',
    from: 'md',
    uniformWord: ({ id, mail }) => (mail ? id : ''),
    cell: ({ mail }) => mail && <MailState mail={mail} />,
  },
  {
    key: 'created',
    header: 'Invited',
    sort: 'createdAt',
    width: '120px',
    from: 'lg',
    dimmed: true,
    cell: ({ createdAt, invitedBy }) => <RelativeTime iso={createdAt} more={`by ${invitedBy}`} />,
  },
  {
    key: 'expires',
    header: 'Ends',
    phone: 'end',
    sort: 'expiresAt',
    width: '96px',
    from: 'md',
    cell: ({ state, expiresAt }) =>
      (state === 'pending' || state === 'expired') && (
        <time dateTime={expiresAt} {...tipStop(formatDateTime(expiresAt))}>
          {formatDay(expiresAt)}
        </time>
      ),
  },
]

function MailState({ mail: { state, error } }: { mail: NonNullable<Invitation['mail']> }) {
  const { tone, word, means } = mailStates[state]
  return (
    <StatusBadge tone={tone} title={error ? `${means} ${error}` : means}>
      {state === 'failed' && error ? `${word}: ${error}` : word}
    </StatusBadge>
  )
}

type Props = { orgId: string | null }

/** Everybody who was invited and what has become of it. */
export function InvitationList({ orgId }: Props) {
  const [search, change] = usePageSearch(invitationSearch)
  const list = useList(listInvitations, { query: invitationQuery(orgId, search) })
  const { page, isStale, error, retry, updatedAt } = list
  const { columns, uniform } = useUniform({ ...list, of: orgId ?? '', columns: allColumns, counted })
  const revocation = useRemoval<Invitation>()
  const resending = useRemoval<Invitation>()
  if (error) return <NotRead error={error} retry={retry} />
  const actions = (invitation: Invitation) => (
    <RowMenu name={invitation.email} acts={actsOf(invitation, { resending, revocation })} />
  )
  return (
    <section aria-label="Invitations">
      <ListBar
        search={{ label: 'Search invitations', value: search.q, onSearch: (q) => change({ q }) }}
        filters={[
          ...onlyThese(search.attention, () => change({ attention: undefined })),
          choice({
            label: 'State',
            none: 'All states',
            options: stateOptions,
            value: search.state,
            onChange: (state) => change({ state }),
          }),
        ]}
        onClear={() => change(allInvitations)}
        found={isStale ? undefined : page}
        {...{ uniform, updatedAt }}
        table={{ table: 'invitations', columns }}
      />
      <DataTable
        id="invitations"
        name="Invitations"
        columns={columns}
        rows={page?.items}
        rowKey={({ id }) => id}
        sort={search.sort}
        onSort={(sort) => change({ sort: readSearch(invitationSearch, { sort }).sort })}
        isStale={isStale}
        empty={
          search.q || search.state || search.attention ? (
            <NothingFound change={change} />
          ) : (
            <Nobody orgId={orgId} />
          )
        }
        actions={actions}
      />
      {page && <Pager {...page} onOffset={(offset) => change({ offset })} />}
      <ResendInvitation removal={resending} />
      <RevokeInvitation removal={revocation} />
    </section>
  )
}

type ChangeInvitationProps = { removal: ReturnType<typeof useRemoval<Invitation>> }

function RevokeInvitation({ removal }: ChangeInvitationProps) {
  const revoke = useChange(revokeInvitation, [listInvitations])
  const { row } = removal
  if (!row) return null
  const confirm = () =>
    removal.run(
      () => revoke.mutateAsync({ params: { invitationId: row.id } }),
      `The invitation to ${row.email} was taken back. “Invite again” in its row undoes that.`,
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Take back the invitation to ${row.email}?`}
      confirmLabel="Take back"
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>The link in their mail stops working at once. You can invite them again at any time.</p>
    </ConfirmDialog>
  )
}

function ResendInvitation({ removal }: ChangeInvitationProps) {
  const resend = useChange(resendInvitation, [listInvitations])
  const rests = useMailRests()
  const { row } = removal
  if (!row) return null
  const isPending = row.state === 'pending'
  const confirm = () =>
    removal.run(() => resend.mutateAsync({ params: { invitationId: row.id } }), invitedText(row.email, rests))
  return (
    <ConfirmDialog
      isOpen
      isDangerous={false}
      title={isPending ? `Resend the invitation to ${row.email}?` : `Invite ${row.email} again?`}
      confirmLabel={isPending ? 'Resend' : 'Invite again'}
      onConfirm={confirm}
      onClose={removal.close}
    >
      <p>
        They get a mail with a new link that works for seven days.
        {isPending && ' The link that they have stops working.'}
      </p>
    </ConfirmDialog>
  )
}

type Asking = Record<'resending' | 'revocation', ReturnType<typeof useRemoval<Invitation>>>

/** Nothing where it was accepted. */
function actsOf(invitation: Invitation, { resending, revocation }: Asking): readonly RowAct[] {
  const onPress = (button: HTMLElement) => resending.ask(invitation, { currentTarget: button })
  if (invitation.state === 'accepted') return []
  if (invitation.state !== 'pending') return [{ icon: IconMailPlus, label: 'Invite again', onPress }]
  return [
    { icon: IconMailForward, label: 'Resend', onPress },
    {
      icon: IconX,
      label: 'Take back',
      isDangerous: true,
      onPress: (button) => revocation.ask(invitation, { currentTarget: button }),
    },
  ]
}

type ChangeSearch = (patch: Partial<Search>) => void

const allInvitations = { q: '', state: undefined, attention: undefined } as const
const stateOptions = states.map((value) => [value, invitationStates[value].word] as const)

function NothingFound({ change }: { change: ChangeSearch }) {
  return (
    <EmptyState
      title="No invitation matches"
      action={
        <Button variant="default" onClick={() => change(allInvitations)}>
          Show all invitations
        </Button>
      }
    >
      Try another state, or a part of the email.
    </EmptyState>
  )
}

function Nobody({ orgId }: Props) {
  return (
    <EmptyState
      title="Nobody was invited yet"
      icon={<IconMailPlus size={24} />}
      action={
        <Button
          component={Link}
          to={orgId === null ? paths.superadminInvite() : paths.organizationInvite(orgId)}
          leftSection={<IconMailPlus size={16} aria-hidden />}
        >
          {orgId === null ? 'Invite a superadmin' : 'Invite people'}
        </Button>
      }
    >
      {orgId === null
        ? 'A superadmin sees and manages everything. Each gets a mail with a link to choose a password.'
        : 'Invite those who help you to manage this organization. Each gets a mail with a link to choose a password.'}
    </EmptyState>
  )
}
