import { Button, Textarea } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useState, type FormEvent } from 'react'
import { ViewAsInput, viewingMinutes } from '#contract/auth.ts'
import type { User } from '#contract/users.ts'
import { sentence } from '../api/errors.ts'
import { fieldErrors } from '../api/fieldErrors.ts'
import { useUser } from '../shell/useSession.ts'
import { startViewing } from '../shell/viewing/viewing.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { plural } from '../ui/format.ts'

/** For superadmins, on somebody who works in the console and may enter. */
export function ViewAs({ user }: { user: User }) {
  const [isAsked, setAsked] = useState(false)
  const isSuperadmin = useUser().role === 'superadmin'
  if (!isSuperadmin || user.role === null || user.role === 'superadmin' || user.state === 'disabled')
    return null
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconEye size={16} aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => setAsked(true)}
      >
        View as this person
      </Button>
      {isAsked && <Reason user={user} onClose={() => setAsked(false)} />}
    </>
  )
}

function Reason({ user, onClose }: { user: User; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const begin = async (event: FormEvent) => {
    event.preventDefault()
    const body = { userId: user.id, reason: reason.trim() }
    const wrong = fieldErrors(ViewAsInput, body)['reason']
    if (wrong) return setError(wrong)
    setBusy(true)
    try {
      await startViewing(body)
    } catch (refusal) {
      setError(sentence(refusal))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={`View as ${user.name}?`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form="view-as" loading={isBusy}>
            Start viewing
          </Button>
        </>
      }
    >
      <form id="view-as" noValidate onSubmit={(event) => void begin(event)}>
        <p>
          For {plural(viewingMinutes, 'minute')} you see what they see, in every tab of this browser. You
          cannot change anything, and their own work goes on undisturbed.
        </p>
        <Textarea
          label="Reason"
          description="The audit log keeps it; the administrators of the organization can read it."
          placeholder="For example: they report that a list stays empty"
          autosize
          minRows={2}
          maxLength={500}
          value={reason}
          error={error}
          onChange={({ currentTarget }) => {
            setReason(currentTarget.value)
            setError(null)
          }}
        />
      </form>
    </Dialog>
  )
}
