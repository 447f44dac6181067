import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { plural } from '#web/ui/format.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { indexOf, shiftCues, timeText, type Cues } from './cues.ts'

type Props = {
  cues: Cues
  /** The first that is moved, where not all are. */
  from: string | null
  onTake: (cues: Cues) => void
  onClose: () => void
}

const ways = {
  later: { label: 'Later', means: 'They come before what is said.' },
  earlier: { label: 'Earlier', means: 'They come after what is said.' },
} as const

/** Moves captions in time, all of them or those from one on. */
export function ShiftDialog({ cues, from, onTake, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [way, setWay] = useState<keyof typeof ways>('later')
  const [isTried, setTried] = useState(false)
  const seconds = Number(typed.trim().replace(',', '.'))
  const ms = Math.round(seconds * 1_000)
  const isTyped = typed.trim() !== '' && Number.isFinite(seconds) && ms > 0
  const first = cues[Math.max(0, from === null ? 0 : indexOf(cues, from))]
  const moved = isTyped ? shiftCues(cues, way === 'later' ? ms : -ms, from) : undefined
  const count = from === null ? cues.length : cues.length - indexOf(cues, from)
  const fault = !isTyped
    ? 'Write how many seconds, such as 1.5.'
    : moved === null
      ? 'Then one of them would begin before the video does, or end much too late. Write a smaller number.'
      : null
  return (
    <FormDialog
      title={from === null ? 'Shift all captions' : `Shift captions from ${timeText(first?.startMs ?? 0)} on`}
      submitLabel={`Shift ${plural(count, 'caption')}`}
      isBusy={false}
      onSubmit={async () => {
        setTried(true)
        if (!moved) return
        onTake(moved)
        onClose()
      }}
      onClose={onClose}
    >
      <Stack gap={16}>
        <TextInput
          label="Seconds"
          inputMode="decimal"
          value={typed}
          error={isTried ? fault : null}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <RadioChoices
          label="Which way?"
          value={way}
          choices={choicesOf(ways)}
          onChange={(value) => setWay(value === 'earlier' ? 'earlier' : 'later')}
        />
      </Stack>
    </FormDialog>
  )
}
