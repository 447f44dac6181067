import { Stack } from '@mantine/core'
import { useState } from 'react'
import {
  captionTypes,
  largestCaptions,
  putCaption,
  readCaptions,
  type Caption,
} from '#contract/videos/captions.ts'
import type { CaptionKind } from '#contract/videos/shown-captions.ts'
import { plural } from '#contract/platform/text/format.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { useChange } from '#web/api/query.ts'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { formatBytes } from '#web/ui/format.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { nameOf } from '../uploads/uploading.ts'
import { chosenTag, LanguageChoice } from './LanguageChoice.tsx'
import {
  captionFiles,
  formatOfFile,
  isCaptionFile,
  kindLabels,
  languageOfFile,
  nameOfLanguage,
  refusalText,
  tooLarge,
} from './words.ts'

/** What the form begins with: a file that was dropped, or the captions that it takes the place of. */
export type Adding = { file?: File; replaces?: Caption }

type Props = { videoId: string; adding: Adding; present: readonly Caption[]; onClose: () => void }

/** A file of captions, what language it is in, and what it is for. */
export function AddCaptions({ videoId, adding, present, onClose }: Props) {
  const { replaces } = adding
  const [file, setFile] = useState(adding.file)
  const [chosen, setChosen] = useState(
    () => replaces?.language ?? (adding.file && languageOfFile(adding.file)) ?? '',
  )
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState<CaptionKind>(replaces?.kind ?? 'captions')
  const [isTried, setTried] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const put = useChange(putCaption, [readCaptions, readVideo])
  const language = chosenTag(chosen, typed)
  const before = present.find((one) => one.language === language && one.kind === kind)
  const fileFault = faultOf(file)
  const take = (taken: File | undefined) => {
    if (!taken) return
    setFile(taken)
    setRefusal(undefined)
    if (chosen === '') setChosen(languageOfFile(taken) ?? '')
  }
  const submit = async () => {
    setTried(true)
    if (!file || fileFault !== undefined || !language) return
    setRefusal(undefined)
    try {
      const { cues } = await put.mutateAsync({
        params: { videoId, language },
        query: { kind, fileName: nameOf(file) },
        body: new Uint8Array(await file.arrayBuffer()),
        bodyType: captionTypes[formatOfFile(file)],
        timeout: 120_000,
      })
      toast.success(`${nameOfLanguage(language)}: ${plural(cues, 'caption')} in place.`)
      onClose()
    } catch (error) {
      setRefusal(refusalText(error))
    }
  }
  return (
    <FormDialog
      title={
        replaces ? `Replace ${nameOfLanguage(replaces.language)}, ${kindLabels[kind].label}` : 'Add captions'
      }
      submitLabel={before ? 'Replace' : 'Add'}
      isBusy={put.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <div className={shapes.row}>
          <FileButton accept={captionFiles} variant="default" onFiles={([taken]) => take(taken)}>
            Choose a VTT or SRT file
          </FileButton>
          {file && (
            <span>
              {file.name}, {formatBytes(file.size)}
            </span>
          )}
        </div>
        {isTried && !file && <p role="alert">Please choose the file.</p>}
        {fileFault !== undefined && <p role="alert">{fileFault}</p>}
        {refusal !== undefined && (
          <Notice tone="danger" role="alert">
            {refusal} Nothing was changed.
          </Notice>
        )}
        {!replaces && (
          <>
            <LanguageChoice {...{ chosen, typed, isTried }} onChoose={setChosen} onType={setTyped} />
            <RadioChoices
              label="What is it?"
              value={kind}
              choices={choicesOf(kindLabels)}
              onChange={(value) => setKind(value as CaptionKind)}
            />
          </>
        )}
        {before && !replaces && (
          <p className={shapes.hint}>
            This takes the place of the {before.cues} that are there in this language.
          </p>
        )}
      </Stack>
    </FormDialog>
  )
}

function faultOf(file: File | undefined): string | undefined {
  if (!file) return undefined
  if (!isCaptionFile(file))
    return 'Only files that end in .vtt or .srt are taken. Save the captions as one of these.'
  return file.size > largestCaptions ? tooLarge : undefined
}
