import { Button, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import {
  beginSpeechModel,
  deleteSpeechModel,
  largestModel,
  modelPiece,
  modelType,
  readSpeechModel,
  sendSpeechModel,
  type SpeechModel,
} from '#contract/videos/speech-model.ts'
import { useBusy } from '#web/api/attempt.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { refreshAll, useChange, useList } from '#web/api/query.ts'
import { optional, Facts } from '#web/ui/fields/Field.tsx'
import { FileButton } from '#web/ui/fields/FileButton.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { formatBytes, formatShare } from '#web/ui/format.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'

/** Names of files as they are published, and their bytes. */
const models =
  /* no text */
  [
    { name: 'ggml-tiny.bin', bytes: 77_691_713 },
    { name: 'ggml-base.bin', bytes: 147_951_465 },
    { name: 'ggml-small.bin', bytes: 487_601_967 },
    { name: 'ggml-medium.bin', bytes: 1_533_763_059 },
    { name: 'ggml-large-v3-turbo.bin', bytes: 1_624_555_275 },
  ]
const source = /* no text */ 'https://huggingface.co/ggerganov/whisper.cpp'

/** The model by which speech is recognised, how it is put in, and where one is had. */
export function Speech() {
  const { page, error, retry } = useList(readSpeechModel, {})
  if (error)
    return (
      <div className={shapes.card}>
        <NotRead error={error} retry={retry} />
      </div>
    )
  if (!page) return <Bone height={320} />
  const { model, upload } = page
  return (
    <div className={shapes.stack}>
      <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="speech-model">
        <h2 id="speech-model">Model for recognising speech</h2>
        {model ? (
          <Present model={model} />
        ) : (
          <p>
            There is none yet. With one, captions of a video can be made of what is said in it, on this
            machine and without sending anything away.
          </p>
        )}
        {model?.source !== 'operator' && <AddModel upload={upload} hasModel={model !== null} />}
      </section>
      <Offered />
    </div>
  )
}

function Present({ model }: { model: NonNullable<SpeechModel['model']> }) {
  const [isLeaving, setLeaving] = useState(false)
  const remove = useChange(deleteSpeechModel, [readSpeechModel])
  const [, run] = useBusy()
  const isOwn = model.source === 'uploaded'
  return (
    <>
      {!isOwn && <p>Named by the operator of this installation in WHISPER_MODEL, and changed there.</p>}
      {model.isThere === false && (
        <Notice tone="danger">
          {isOwn
            ? 'The file is not there, as after a restore: backups leave it out. Send it once more.'
            : 'The file is not there. Put it back, or name another one in WHISPER_MODEL.'}
        </Notice>
      )}
      <Facts
        facts={[
          { label: 'Model', value: model.name },
          ...(model.file === null ? [] : [{ label: 'File', value: <Long text={model.file} /> }]),
          { label: 'SHA-256', value: <Long text={model.sha256} /> },
        ]}
      />
      {isOwn && (
        <div className={shapes.row}>
          <Button variant="default" onClick={() => setLeaving(true)}>
            Remove the model
          </Button>
        </div>
      )}
      <ConfirmDialog
        isOpen={isLeaving}
        title="Remove the model?"
        confirmLabel="Remove the model"
        onConfirm={() => run(() => remove.mutateAsync({}), 'The model is removed.')}
        onClose={() => setLeaving(false)}
      >
        <p>Speech is not recognised any more until there is another one. Captions stay.</p>
      </ConfirmDialog>
    </>
  )
}

const Long = ({ text }: { text: string }) => <span style={{ overflowWrap: 'anywhere' }}>{text}</span>

type AddProps = { upload: SpeechModel['upload']; hasModel: boolean }

/** Sends the file piece by piece; one whose sending broke off goes on where it ended. */
function AddModel({ upload, hasModel }: AddProps) {
  const [file, setFile] = useState<File>()
  const [sha256, setSha256] = useState('')
  const [sent, setSent] = useState<number>()
  const [refusal, setRefusal] = useState<string>()
  const stop = useRef<AbortController>(undefined)
  const isSending = sent !== undefined
  const fault = file && file.size > largestModel ? 'This file is larger than a model may be.' : undefined
  const send = async () => {
    if (!file || fault !== undefined) return
    setRefusal(undefined)
    stop.current = new AbortController()
    try {
      await sendModel(file, { sha256, upload, onSent: setSent, signal: stop.current.signal })
      setFile(undefined)
      toast.success('The model is in place. Speech can be recognised now.')
    } catch (error) {
      if (!stop.current.signal.aborted) setRefusal(sentence(error))
    }
    setSent(undefined)
    await refreshAll([readSpeechModel])
  }
  return (
    <>
      {upload && !isSending && (
        <Notice tone="info">
          {formatBytes(upload.arrived)} of {formatBytes(upload.size)} of {upload.name} have arrived. Choose
          the same file again to go on.
        </Notice>
      )}
      <div className={shapes.row}>
        <FileButton accept=".bin" variant="default" onFiles={([taken]) => setFile(taken)}>
          {hasModel ? 'Choose another model' : 'Choose a model'}
        </FileButton>
        {file && (
          <span>
            {file.name}, {formatBytes(file.size)}
          </span>
        )}
      </div>
      {fault !== undefined && <p role="alert">{fault}</p>}
      {refusal !== undefined && (
        <Notice tone="danger" role="alert">
          {refusal}
        </Notice>
      )}
      {file && (
        <TextInput
          label={optional('SHA-256')}
          description="As it is published beside the file. What arrives with another one is not used."
          value={sha256}
          disabled={isSending}
          onChange={(event) => setSha256(event.currentTarget.value.trim())}
        />
      )}
      {file && isSending && (
        <>
          <progress value={sent} max={file.size} aria-label="Sending the model" />
          <p aria-live="polite">
            {formatShare(sent / file.size)} of {formatBytes(file.size)} sent.
          </p>
        </>
      )}
      {file && (
        <div className={shapes.row}>
          {isSending ? (
            <Button variant="default" onClick={() => stop.current?.abort()}>
              Stop sending
            </Button>
          ) : (
            <Button onClick={() => void send()}>Send the model</Button>
          )}
        </div>
      )}
    </>
  )
}

type Sending = {
  sha256: string
  upload: SpeechModel['upload']
  onSent: (bytes: number) => void
  signal: AbortSignal
}

async function sendModel(file: File, { sha256, upload, onSent, signal }: Sending): Promise<void> {
  const isSame = upload !== null && upload.name === file.name && upload.size === file.size
  // Where all has arrived and nothing has become of it, the last piece is sent once more.
  const last = Math.floor((file.size - 1) / modelPiece) * modelPiece
  const body = { name: file.name, size: file.size, ...(sha256 !== '' && { sha256 }) }
  let offset = isSame ? Math.min(upload.arrived, last) : 0
  if (!isSame) await call(beginSpeechModel, { body })
  while (offset < file.size) {
    signal.throwIfAborted()
    onSent(offset)
    const piece = new Uint8Array(await file.slice(offset, offset + modelPiece).arrayBuffer())
    const query = { offset: String(offset) }
    await call(sendSpeechModel, { query, body: piece, bodyType: modelType, timeout: 300_000 })
    offset += piece.length
  }
}

/** Where models are had, and what they cost. */
function Offered() {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="speech-models">
      <h2 id="speech-models">Models to choose from</h2>
      <p>
        Models in the format of whisper.cpp are had from{' '}
        <a href={source} target="_blank" rel="noreferrer">
          huggingface.co/ggerganov/whisper.cpp
        </a>
        . Larger ones mishear less, and take more time and memory.
      </p>
      <PlainTable name="Models" heads={['Model', 'Size']}>
        {models.map(({ name, bytes }) => (
          <tr key={name}>
            <td data-label="Model">{name}</td>
            <td data-label="Size">{formatBytes(bytes)}</td>
          </tr>
        ))}
      </PlainTable>
      <p className={shapes.hint}>
        The smallest takes up to 12 seconds of a processor and 270 MB of memory for half a minute of speech.
        Others take more, about as their size grows. Names that end in “.en” know English alone.
      </p>
    </section>
  )
}
