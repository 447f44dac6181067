import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { plural } from '#web/ui/format.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { findAll, replaceAll, type Cues } from './cues.ts'

type Props = {
  cues: Cues
  onTake: (cues: Cues, count: number) => void
  onClose: () => void
}

/** Finds text in all captions, and puts other text in its place; one step to take back. */
export function ReplaceDialog({ cues, onTake, onClose }: Props) {
  const [find, setFind] = useState('')
  const [replacement, setReplacement] = useState('')
  const [isExact, setExact] = useState(false)
  const [isTried, setTried] = useState(false)
  const { keys, count } = findAll(cues, { find, isExact })
  const replaced = count > 0 ? replaceAll(cues, { find, replacement, isExact }) : undefined
  const fault =
    find === ''
      ? 'Write what is to be found.'
      : count === 0
        ? 'It is in none of the captions.'
        : replaced === null
          ? 'A caption would become too long. Write a shorter text.'
          : null
  return (
    <FormDialog
      title="Find and replace"
      submitLabel="Replace all"
      isBusy={false}
      onSubmit={async () => {
        setTried(true)
        if (!replaced) return
        onTake(replaced, count)
        onClose()
      }}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Find"
          value={find}
          error={isTried ? fault : null}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
        <TextInput
          label="Replace by"
          value={replacement}
          onChange={(event) => setReplacement(event.currentTarget.value)}
        />
        <Checkbox
          label="Tell capital letters from small ones"
          checked={isExact}
          onChange={(event) => setExact(event.currentTarget.checked)}
        />
        <p role="status">
          {find === ''
            ? 'Nothing is looked for yet.'
            : `Found ${plural(count, 'time')} in ${plural(keys.length, 'caption')}.`}
        </p>
      </Stack>
    </FormDialog>
  )
}
