import { Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import {
  countEvidenceSession,
  doubtEvidenceSession,
  listEvidence,
  readEvidence,
  readEvidenceSession,
  type EvidenceSession,
} from '#contract/evidence/evidence.ts'
import { adminRoles } from '#contract/roles.ts'
import { attempt } from '#web/api/attempt.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { useUser } from '#web/session/useSession.ts'
import '#web/ui/fields.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/shapes.module.css'

/** What shows a change of a decision. */
const touched = [readEvidence, readEvidenceSession, listEvidence]

type Props = {
  params: { orgId: string; userId: string; videoId: string; sessionId: string }
  doubt: NonNullable<EvidenceSession['doubt']>
}

/** Why something in this session does not count, and what was decided about it. */
export function Doubt({ params, doubt: { userAgent, decision } }: Props) {
  const [isDeciding, setDeciding] = useState(false)
  const end = useChange(doubtEvidenceSession, touched)
  const { role, id } = useUser()
  const mayDecide = adminRoles.includes(role) && id !== params.userId
  const takeBack = () =>
    attempt(() => end.mutateAsync({ params }), 'What looked like a program does not count again.')
  return (
    <div className={shapes.stack}>
      <p>
        Reports of this session came from a browser that calls itself a program: “{userAgent ?? 'unknown'}”.{' '}
        {decision
          ? 'They count, because an administrator decided that a person watched.'
          : 'What they brought does not count; everything else does.'}
      </p>
      {decision && (
        <p>
          Decided by {decision.by} on <DateTime iso={decision.at} />: {decision.reason}
        </p>
      )}
      {mayDecide && (
        <p>
          {decision ? (
            <Button variant="default" loading={end.isPending} onClick={() => void takeBack()}>
              Take the decision back
            </Button>
          ) : (
            <Button variant="default" onClick={() => setDeciding(true)}>
              A person watched
            </Button>
          )}
        </p>
      )}
      {isDeciding && <Decide params={params} onClose={() => setDeciding(false)} />}
    </div>
  )
}

/** Asks why. */
function Decide({ params, onClose }: Pick<Props, 'params'> & { onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<string>()
  const count = useChange(countEvidenceSession, touched)
  const submit = async () => {
    if (reason.trim() === '') return setError('Please fill this in.')
    try {
      await count.mutateAsync({ params, body: { reason } })
      onClose()
    } catch (failure) {
      setError(sentence(failure))
    }
  }
  return (
    <FormDialog
      title="A person watched"
      submitLabel="Let it count"
      isBusy={count.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Reason"
        description="Kept with your name, and shown to whoever checks."
        value={reason}
        error={error}
        maxLength={500}
        rows={3}
        data-autofocus
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
    </FormDialog>
  )
}
