import { attempt } from '#web/api/attempt.ts'
import type { Group } from '#contract/directory/groups.ts'
import { setGroupadmin, type Member } from '#contract/directory/members.ts'
import { readUser, updateUser } from '#contract/directory/users.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { toast } from '../ui/toasts.ts'
import { memberEndpoints } from './endpoints.ts'

type Props = { orgId: string; group: Group; member: Member; onClose: () => void }

/** Lets a member administer the group, or not any more. */
export function Groupadmin({ orgId, group, member, onClose }: Props) {
  const mark = useChange(setGroupadmin, memberEndpoints)
  const update = useChange(updateUser, [...memberEndpoints, readUser])
  const { id, name, email, groupadmin, role } = member
  const needsRole = !groupadmin && role === null
  const confirm = () =>
    attempt(async () => {
      if (needsRole)
        await update.mutateAsync({ params: { orgId, userId: id }, body: { name, email, role: 'groupadmin' } })
      const params = { orgId, groupId: group.id, userId: id }
      await mark.mutateAsync({ params, body: { groupadmin: !groupadmin } })
      toast.success(
        groupadmin
          ? `${name} no longer administers ${group.name}.`
          : `${name} administers ${group.name} now.`,
      )
    })
  return (
    <ConfirmDialog
      isOpen
      title={groupadmin ? `Take ${group.name} from ${name}?` : `Let ${name} administer ${group.name}?`}
      confirmLabel={
        groupadmin
          ? 'Take it'
          : needsRole
            ? 'Invite and make group administrator'
            : 'Make group administrator'
      }
      isDangerous={groupadmin}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        {groupadmin
          ? `${name} no longer sees the people of this group${group.kind === 'rule' ? ', and leaves it unless the rule says otherwise' : ', but stays a member'}.`
          : `${name} will see the people of this group, add others and take them out.`}
      </p>
      {needsRole && (
        <p>
          They only receive videos so far. {email} gets an invitation to sign in here as group administrator.
        </p>
      )}
    </ConfirmDialog>
  )
}
