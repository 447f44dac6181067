import { Button, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { readFactors, renamePasskey, type Passkey } from '#contract/factors.ts'
import { sentence } from '#web/api/errors.ts'
import { fieldErrors } from '#web/api/fieldErrors.ts'
import { useChange } from '#web/api/query.ts'
import { Dialog } from '#web/ui/Dialog.tsx'

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name)
  const [error, setError] = useState<string | null>(null)
  const rename = useChange(renamePasskey, [readFactors])
  const save = async (event: FormEvent) => {
    event.preventDefault()
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
    <Dialog
      title="Rename the passkey"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form="rename-passkey" loading={rename.isPending}>
            Save name
          </Button>
        </>
      }
    >
      <form id="rename-passkey" noValidate onSubmit={(event) => void save(event)}>
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
      </form>
    </Dialog>
  )
}
