import { Button } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { listInvitations, resendInvitation, type InviteRow } from '#contract/directory/invitations.ts'
import { reasonText } from '#contract/platform/reasons.ts'
import { attempt } from '#web/api/attempt.ts'
import { type Explanation } from '../../api/errors.ts'
import { useChange } from '../../api/query.ts'
import { OutboxNote, useMailRests } from '../../layout/OutboxNote.tsx'
import { DataTable, type Column } from '../../ui/table/DataTable.tsx'
import { plural } from '../../ui/format.ts'
import { Notice } from '../../ui/feedback/Notice.tsx'
import { StatusBadge } from '../../ui/figures/StatusBadge.tsx'
import { ListLink } from './ListLink.tsx'
import { invitedText, isInvited, outcomes } from './labels.ts'
import { tipStop } from '#web/ui/overlays/tips.ts'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  rows: readonly InviteRow[]
  /** The invitations have left; before that, this is what would become of them. */
  isSent: boolean
  orgId: string | null
  problem: Explanation | null
  isBusy: boolean
  onSend: () => void
  onBack: () => void
  onMore: () => void
}

/** Each address with what becomes of it. */
export function InviteResult(props: Props) {
  const { rows, isSent, problem } = props
  const rests = useMailRests()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const invited = rows.filter(isInvited).length
  const left = rows.length - invited
  const hasReasons = rows.some(({ reason }) => reason !== null)
  // The same line may stand in the list twice.
  const numbers = new Map(rows.map((row, at) => [row, String(at)]))
  return (
    <section className={shapes.stack} aria-labelledby="invite-result">
      <h2 id="invite-result" ref={heading} tabIndex={-1}>
        {isSent
          ? rests
            ? `${plural(invited, 'invitation')} in the outbox`
            : `${plural(invited, 'invitation')} sent`
          : `${plural(invited, 'invitation')} to send`}
      </h2>
      <p className={shapes.lead}>{leftOut(left)}</p>
      <OutboxNote />
      {problem && (
        <Notice tone="danger" role="alert">
          <strong>{problem.title}</strong> {problem.detail}
        </Notice>
      )}
      <DataTable
        name="Addresses"
        columns={columnsFor(isSent).filter(({ key }) => key !== 'reason' || hasReasons)}
        rows={rows}
        rowKey={(row) => numbers.get(row) ?? ''}
        empty={null}
        {...(isSent ? { actions: again, actionsWidth: '136px' } : {})}
      />
      <Buttons {...props} invited={invited} />
    </section>
  )
}

function leftOut(count: number): string {
  if (count === 0) return 'Every address in the list is fine.'
  return `${plural(count, 'line')} of the list ${count === 1 ? 'stays' : 'stay'} out, for the reason beside ${count === 1 ? 'it' : 'each'}.`
}

function Buttons({ isSent, orgId, isBusy, invited, onSend, onBack, onMore }: Props & { invited: number }) {
  if (isSent)
    return (
      <div className={shapes.row}>
        <Button variant="default" onClick={onMore}>
          Invite more
        </Button>
        <ListLink orgId={orgId}>Show all invitations</ListLink>
      </div>
    )
  return (
    <div className={shapes.row}>
      <Button variant="default" onClick={onBack}>
        Edit the list
      </Button>
      <Button loading={isBusy} disabled={invited === 0} onClick={onSend}>
        Send {plural(invited, 'invitation')}
      </Button>
    </div>
  )
}

const again = (row: InviteRow) => <InviteAgain row={row} />

function columnsFor(isSent: boolean): readonly Column<InviteRow>[] {
  return [
    {
      key: 'email',
      header: 'Address',
      isName: true,
      cell: ({ email, given }) =>
        email === null || email === given ? given : <span {...tipStop(given)}>{email}</span>,
    },
    { key: 'name', header: 'Name', from: 'md', dimmed: true, cell: ({ name }) => name },
    {
      key: 'outcome',
      header: isSent ? 'Result' : 'What happens',
      width: '216px',
      cell: ({ outcome }) => (
        <StatusBadge tone={outcomes[outcome].tone}>
          {outcomes[outcome][isSent ? 'after' : 'before']}
        </StatusBadge>
      ),
    },
    {
      key: 'reason',
      header: 'Why',
      from: 'md',
      cell: ({ reason }) => reason && reasonText({ code: reason }),
    },
  ]
}

function InviteAgain({ row: { outcome, invitationId, email } }: { row: InviteRow }) {
  const resend = useChange(resendInvitation, [listInvitations])
  const rests = useMailRests()
  if (outcome !== 'already_invited' || invitationId === null) return null
  const send = () =>
    attempt(() => resend.mutateAsync({ params: { invitationId } }), invitedText(email ?? '', rests))
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={resend.isPending}
      disabled={resend.isSuccess}
      aria-label={`Invite ${email} again`}
      onClick={() => void send()}
    >
      {resend.isSuccess ? 'Done' : 'Invite again'}
    </Button>
  )
}
