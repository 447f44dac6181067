import { Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { replaceVideo, type VideoChange } from '#contract/videos/replacements.ts'
import { listVideos, readVideo, type Video } from '#contract/videos/videos.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { formatBytes } from '#web/ui/format.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { lengthOfFile, stretchesIn, toTheEnd } from './stretches.ts'
import { refusalOf } from './uploads/refusal.ts'
import { continueWith, nameOf, videoFiles } from './uploads/uploading.ts'
import { itemOf } from './uploads/uploadStore.ts'

const choices = [
  {
    value: 'whole',
    label: 'They watch all of the new video',
    means: 'What they have seen of the present one counts no more.',
  },
  {
    value: 'parts',
    label: 'They watch what has changed',
    means: 'What they have seen of the rest counts, and reminders play the changed parts.',
  },
  { value: 'nothing', label: 'Nothing', means: 'The change does not matter: what they have seen counts.' },
]

type Chosen = { matters: string; stretches: string; alsoDone: boolean }

function changeOf(
  { matters, stretches, alsoDone }: Chosen,
  lengthMs: number | null,
): VideoChange | undefined {
  if (matters === 'nothing') return { matters }
  if (matters === 'whole') return { matters, alsoDone }
  const parts = stretchesIn(stretches)
  return parts && { matters: 'parts', parts: toTheEnd(parts, lengthMs), alsoDone }
}

type Props = { video: Video; onClose: () => void }

/** Another file in place of a video: its links and what was watched stay, and its author says what that means for whoever owes it. */
export function ReplaceVideo({ video, onClose }: Props) {
  const [file, setFile] = useState<File | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [lengthMs, setLength] = useState<number | null>(null)
  const [chosen, setChosen] = useState<Chosen>({ matters: 'whole', stretches: '', alsoDone: false })
  const [isTried, setTried] = useState(false)
  const announce = useChange(replaceVideo, [readVideo, listVideos])
  const change = changeOf(chosen, lengthMs)
  const take = (taken: File | undefined) => {
    if (!taken) return
    setFile(taken)
    setLength(null)
    setRefusal(null)
    void refusalOf(taken).then(setRefusal)
    void lengthOfFile(taken).then(setLength)
  }
  const submit = async () => {
    setTried(true)
    if (!file || (await refusalOf(file)) !== null || !change) return
    const [fileName, size] = [nameOf(file), file.size]
    const isBegun = await attempt(async () => {
      const { uploadUrl } = await announce.mutateAsync({
        params: { videoId: video.id },
        body: { fileName, size, change },
      })
      // Without the id of the video: giving this upload up leaves the video as it is.
      await continueWith(
        { ...itemOf(video), key: uploadUrl, fileName, size, videoId: null, uploadUrl, sent: 0 },
        file,
      )
    }, 'The new file is on its way. The present one plays until it is ready.')
    if (isBegun) onClose()
  }
  const patch = (some: Partial<Chosen>) => setChosen({ ...chosen, ...some })
  return (
    <FormDialog
      title={`Replace “${video.title}”`}
      submitLabel="Replace video"
      isBusy={announce.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap={16}>
        <p>
          Its links, its questions and what people have watched stay. The present file plays until the new one
          is ready.
        </p>
        <div className={shapes.row}>
          <FileButton accept={videoFiles} variant="default" onFiles={([taken]) => take(taken)}>
            Choose the new file
          </FileButton>
          {file && (
            <span>
              {file.name}, {formatBytes(file.size)}
            </span>
          )}
        </div>
        {isTried && !file && <p role="alert">Please choose the new file.</p>}
        {refusal !== null && <p role="alert">{refusal}</p>}
        <RadioChoices
          label="What does it mean for those who owe it?"
          value={chosen.matters}
          choices={choices}
          onChange={(matters) => patch({ matters })}
        />
        {chosen.matters === 'parts' && (
          <TextInput
            label="What has changed, in the new video"
            description="In minutes and seconds, such as “0:42 to 1:10, 2:00 to 2:05”."
            error={isTried && !change ? 'Write times such as “0:42 to 1:10”.' : null}
            value={chosen.stretches}
            onChange={(event) => patch({ stretches: event.currentTarget.value })}
          />
        )}
        <Mapping change={change} beforeMs={video.durationMs} afterMs={lengthMs} />
        {chosen.matters !== 'nothing' && (
          <label className={shapes.row} style={{ minHeight: 24 }}>
            <input
              type="checkbox"
              checked={chosen.alsoDone}
              onChange={(event) => patch({ alsoDone: event.currentTarget.checked })}
            />
            Whoever has completed it watches it as well
          </label>
        )}
      </Stack>
    </FormDialog>
  )
}

type MappingProps = { change: VideoChange | undefined; beforeMs: number | null; afterMs: number | null }

/** Where it cannot be told what stayed, nobody should learn that from a reminder. */
function Mapping({ change, beforeMs, afterMs }: MappingProps) {
  if (change?.matters !== 'parts') return null
  const isOther = beforeMs !== null && afterMs !== null && Math.abs(afterMs - beforeMs) > 100
  if (isOther && change.parts.length > 1)
    return (
      <Notice tone="warning" role="status">
        The new video is longer or shorter. With more than one changed part nobody can tell where the rest has
        moved to, so everybody watches all of it. Name one part that holds all changes instead.
      </Notice>
    )
  return (
    <p className={shapes.hint}>
      If the new video is longer or shorter, name one part: what comes after it is found again. With several
      parts everybody watches all of it.
    </p>
  )
}
