import { Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Caption } from '#contract/videos/captions.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import { paths } from '#web/paths.ts'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { chosenTag, LanguageChoice } from './LanguageChoice.tsx'
import { kindLabels } from './words.ts'

type Props = { videoId: string; present: readonly Caption[]; onClose: () => void }

/** What captions are to be written in and for; then the page on which they are. */
export function WriteCaptions({ videoId, present, onClose }: Props) {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState('')
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState<CaptionKind>('captions')
  const [isTried, setTried] = useState(false)
  const language = chosenTag(chosen, typed)
  const isThere = present.some((one) => one.language === language && one.kind === kind)
  return (
    <FormDialog
      title="Write captions"
      submitLabel={isThere ? 'Edit them' : 'Begin'}
      isBusy={false}
      onSubmit={async () => {
        setTried(true)
        if (language) await navigate({ to: paths.videoCaptions(videoId, language), search: { kind } })
      }}
      onClose={onClose}
    >
      <Stack gap={16}>
        <LanguageChoice {...{ chosen, typed, isTried }} onChoose={setChosen} onType={setTyped} />
        <RadioChoices
          label="What is it?"
          value={kind}
          choices={choicesOf(kindLabels)}
          onChange={(value) => setKind(value as CaptionKind)}
        />
        {isThere && <p className={shapes.hint}>These are there already, and can be changed.</p>}
      </Stack>
    </FormDialog>
  )
}
