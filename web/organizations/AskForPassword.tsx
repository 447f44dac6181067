import { Button } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { readUser, sendReset, type User } from '#contract/users.ts'
import { sentence } from '../api/errors.ts'
import { useChange } from '../api/query.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { toast } from '../ui/toasts.ts'

type Props = { orgId: string; user: User }

/** An administrator can ask for another password, and never sets one. */
export function AskForPassword({ orgId, user }: Props) {
  const [isAsking, setAsking] = useState(false)
  const ask = useChange(sendReset, [readUser])
  const close = () => setAsking(false)
  const confirm = async () => {
    try {
      await ask.mutateAsync({ params: { orgId, userId: user.id } })
      toast.success(`${user.name} was asked to choose a new password.`)
    } catch (error) {
      toast.failure(sentence(error))
    }
    close()
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconKey size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        Ask for a new password
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Ask ${user.name} for a new password?`}
        confirmLabel="Ask for a new password"
        isDangerous={false}
        onConfirm={confirm}
        onClose={close}
      >
        <p>
          They are signed out everywhere at once, and a mail to {user.email} tells them how to choose a new
          password. You never see it.
        </p>
      </ConfirmDialog>
    </>
  )
}
