import { Checkbox, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Key } from '#contract/service-accounts.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { useUser } from '#web/session/useSession.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { useKeyCalls } from './calls.ts'
import { dayOf } from './days.ts'
import { KeyFields, missingIn, networksIn, type Errors, type KeyDraft } from './KeyFields.tsx'

type Props = {
  /** Null: of the installation. */
  orgId: string | null
  of: Key
  onClose: () => void
}

/** Changes what a key may do; the token that its system has goes on working. */
export function EditKey({ orgId, of, onClose }: Props) {
  const { id } = useUser()
  const day = dayOf(of.expiresAt)
  const [draft, setDraft] = useState<KeyDraft>(() => ({
    name: of.name,
    scopes: of.scopes,
    expiresAt: day,
    networks: of.networks.join('\n'),
  }))
  const [isMine, setIsMine] = useState(false)
  const [errors, setErrors] = useState<Errors>({})
  const { change, isBusy } = useKeyCalls(orgId)
  const save = async () => {
    const missing = missingIn(draft)
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    const { name, scopes, networks } = draft
    // A day that nobody touched is not put in the place of the moment that it stands for.
    const expiresAt = draft.expiresAt === day ? of.expiresAt : draft.expiresAt
    const owner = isMine ? { ownerId: id } : {}
    try {
      await change(of, { name, scopes: [...scopes], expiresAt, networks: networksIn(networks), ...owner })
      toast.success(`The key ${name.trim()} was saved.`)
      onClose()
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { name: sentence(error) })
    }
  }
  return (
    <FormDialog
      title={`Edit the key ${of.name}`}
      submitLabel="Save"
      isBusy={isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <KeyFields draft={draft} errors={errors} onChange={setDraft} />
        {of.owner.id !== id && (
          <Checkbox
            label="Answer for it yourself"
            description={
              of.isStopped
                ? /* text */ 'It works again then. Whoever answered for it may not sign in any more, or administers this no more.'
                : `In place of ${of.owner.name ?? /* text */ 'whoever does now'}. It stops when you may no longer sign in here.`
            }
            checked={isMine}
            onChange={(event) => setIsMine(event.currentTarget.checked)}
            error={errors['ownerId']}
          />
        )}
      </Stack>
    </FormDialog>
  )
}
