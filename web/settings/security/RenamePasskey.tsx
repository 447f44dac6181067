import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { readFactors, renamePasskey, type Passkey } from '#contract/factors.ts'
import { sentence } from '#web/api/errors.ts'
import { fieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  const [error, setError] = useState<string | null>(null)
  const rename = useChange(renamePasskey, [readFactors])
  const save = async () => {
    const found = fieldErrors(renamePasskey.body, { name })['name']
    if (found) return setError(found)
    try {
      await rename.mutateAsync({ params: { passkeyId: passkey.id }, body: { name } })
      onClose()
    } catch (reason) {
      setError(sentence(reason))
    }
  }
  return (
    <FormDialog
      title="Rename the passkey"
      submitLabel="Save name"
      isBusy={rename.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="So that you know which device it is on."
        value={name}
        error={error}
        maxLength={100}
        autoComplete="off"
        onChange={(event) => {
          setName(event.currentTarget.value)
          setError(null)
        }}
      />
    </FormDialog>
  )
}
