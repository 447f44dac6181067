import { TextInput } from '@mantine/core'
import { readFactors, renamePasskey, type Passkey } from '#contract/identity/factors.ts'
import { useOneField } from '#web/api/oneField.ts'
import { useChange } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/FormDialog.tsx'

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useChange(renamePasskey, [readFactors])
  const { field, submit, isBusy } = useOneField('name', passkey.name, async (name) => {
    await rename.mutateAsync({ params: { passkeyId: passkey.id }, body: { name } })
    onClose()
  })
  return (
    <FormDialog
      title="Rename the passkey"
      submitLabel="Save name"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        {...field}
        label="Name"
        description="So that you know which device it is on."
        maxLength={100}
        autoComplete="off"
      />
    </FormDialog>
  )
}
