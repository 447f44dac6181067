import { Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { chapterFaults, chaptersIn, type ReadChapter } from '#contract/videos/chapter-text.ts'
import { chapterLimits } from '#contract/videos/chapter-limits.ts'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { plural } from '#web/ui/format.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = {
  /** The present list, a line for each. */
  text: string
  durationMs: number
  onTake: (chapters: ReadChapter[]) => void
  onClose: () => void
}

/** What is written before a text says how its letters are; without one it is UTF-8, or what Windows wrote before that. */
function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** All chapters at once, from lines as they stand below videos elsewhere, or from a file. */
export function FromText({ text, durationMs, onTake, onClose }: Props) {
  const [typed, setTyped] = useState(text)
  const [isTried, setTried] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const found = chaptersIn(typed, durationMs)
  const fault = 'line' in found ? `Line ${found.line}: ${chapterFaults[found.fault]}` : null
  const read = async (file: File) => {
    if (file.size > 4 * chapterLimits.text)
      return setRefusal('This file is too large for a list of chapters.')
    setRefusal(null)
    setTried(true)
    return setTyped(textOf(new Uint8Array(await file.arrayBuffer())))
  }
  return (
    <FormDialog
      title="Chapters from text or a file"
      submitLabel="Take these chapters"
      isBusy={false}
      onSubmit={async () => {
        setTried(true)
        if ('chapters' in found) onTake(found.chapters)
      }}
      onClose={onClose}
    >
      <Stack gap={16}>
        <Textarea
          label="A line for each chapter"
          description="A time and a title, such as “3:10 Lock out”; or a WebVTT file as it is. They take the place of the present list."
          rows={10}
          value={typed}
          maxLength={chapterLimits.text}
          error={isTried ? fault : null}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
        />
        <div className={shapes.row}>
          <FileButton
            accept=".vtt,.txt,text/vtt,text/plain"
            variant="default"
            onFiles={([file]) => file && void read(file)}
          >
            Choose a file
          </FileButton>
          <span role="status" className={shapes.hint}>
            {'chapters' in found && plural(found.chapters.length, 'chapter')}
          </span>
        </div>
        {refusal !== null && <p role="alert">{refusal}</p>}
      </Stack>
    </FormDialog>
  )
}
