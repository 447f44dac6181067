import { Button } from '@mantine/core'
import { IconMailForward } from '@tabler/icons-react'
import { createInvitation, listInvitations, resendInvitation } from '#contract/directory/invitations.ts'
import type { User } from '#contract/directory/users.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange, useList } from '../../api/query.ts'
import { useMailRests } from '../../layout/OutboxNote.tsx'
import { toast } from '../../ui/feedback/toasts.ts'
import { invitedText } from './labels.ts'

/** For whoever has a role and never accepted: once more, with a new link. */
export function ResendToPerson({ person }: { person: User }) {
  return person.state === 'invited' && person.role !== null ? <Resend person={person} /> : null
}

function Resend({ person: { id, organizationId, email, role } }: { person: User }) {
  const { page } = useList(listInvitations, { query: { userId: id, limit: 1 } })
  const resend = useChange(resendInvitation, [listInvitations])
  const create = useChange(createInvitation, [listInvitations])
  const newest = page?.items[0]
  const rests = useMailRests()
  const send = () =>
    attempt(async () => {
      if (newest && newest.state !== 'accepted')
        await resend.mutateAsync({ params: { invitationId: newest.id } })
      else if (role) await create.mutateAsync({ body: { organizationId, email, role } })
      toast.success(invitedText(email, rests))
    })
  return (
    <Button
      variant="default"
      leftSection={<IconMailForward size={16} aria-hidden />}
      disabled={page === undefined}
      loading={resend.isPending || create.isPending}
      onClick={() => void send()}
    >
      Resend invitation
    </Button>
  )
}
