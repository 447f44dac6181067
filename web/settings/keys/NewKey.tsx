import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { KeyWithToken } from '#contract/service-accounts.ts'
import { sentence } from '#web/api/errors.ts'
import { serverFieldErrors } from '#web/api/forms/fieldErrors.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { useKeyCalls } from './calls.ts'
import { daysAhead } from './days.ts'
import { KeyFields, missingIn, networksIn, type Errors, type KeyDraft } from './KeyFields.tsx'

type Props = {
  /** Null: of the installation. */
  orgId: string | null
  onMade: (key: KeyWithToken) => void
  onClose: () => void
}

/** Asks what a key is for before it is made. */
export function NewKey({ orgId, onMade, onClose }: Props) {
  const [draft, setDraft] = useState<KeyDraft>(() => ({
    name: '',
    scopes: [],
    expiresAt: daysAhead(365),
    networks: '',
  }))
  const [errors, setErrors] = useState<Errors>({})
  const { make, isBusy } = useKeyCalls(orgId)
  const save = async () => {
    const missing = missingIn(draft)
    setErrors(missing)
    if (Object.keys(missing).length > 0) return
    const { name, scopes, expiresAt, networks } = draft
    try {
      onMade(await make({ name, scopes: [...scopes], expiresAt, networks: networksIn(networks) }))
    } catch (error) {
      const found = serverFieldErrors(error)
      setErrors(Object.keys(found).length > 0 ? found : { name: sentence(error) })
    }
  }
  return (
    <FormDialog
      title={orgId === null ? 'Make a key of the installation' : 'Make a key'}
      submitLabel="Make key"
      isBusy={isBusy}
      onSubmit={save}
      onClose={onClose}
    >
      <Stack gap={16}>
        <p className={shapes.hint}>
          You answer for this key: it stops when you may no longer sign in here or administer nothing here any
          more. {orgId === null ? 'It acts in every organization.' : 'It acts in this organization alone.'}
        </p>
        <KeyFields draft={draft} errors={errors} onChange={setDraft} />
      </Stack>
    </FormDialog>
  )
}
