import { Button } from '@mantine/core'
import { IconMicrophone } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { readCaptions, type Caption } from '#contract/videos/captions.ts'
import { recognitionSentences } from '#contract/videos/speech-failures.ts'
import {
  anyLanguage,
  cancelRecognition,
  readSpeech,
  recogniseSpeech,
  spokenOf,
  type Recognition,
} from '#contract/videos/speech.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { useBusy } from '#web/api/attempt.ts'
import { refreshAll, useChange, useEndpoint } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { Progress } from '../uploads/Progress.tsx'
import { languageChoices, nameOfLanguage } from './words.ts'

type Props = { videoId: string; present: readonly Caption[] }

const lookEveryMs = 2_000
const source = /* no text */ 'https://huggingface.co/ggerganov/whisper.cpp'

const isOpen = (one: Recognition | null) => one !== null && ['waiting', 'working'].includes(one.state)

/** Captions that this installation makes of what is said: the way to them, how far they are, and why there are none. */
export function Speech({ videoId, present }: Props) {
  const params = { videoId }
  const every = ({ last }: { last: Recognition | null }) => isOpen(last) && lookEveryMs
  const { model, last } = useEndpoint(readSpeech, { params }, { every })
  const [isAsking, setAsking] = useState(false)
  const [isBusy, run] = useBusy()
  const cancel = useChange(cancelRecognition, [readSpeech])
  const client = useQueryClient()
  const state = last?.state
  const before = useRef(state)
  useEffect(() => {
    // It came into the list without a press of anybody.
    if (state === 'done' && before.current !== state) void refreshAll([readCaptions, readVideo], client)
    before.current = state
  }, [state, client])
  if (model === null) return <WithoutModel />
  return (
    <div className={shapes.stack} aria-live="polite">
      {last && isOpen(last) && (
        <>
          <p>
            {last.state === 'waiting' ? 'Speech is recognised as soon as it is its turn.' : workingOn(last)}
          </p>
          <Progress name="Recognising speech" share={last.progress} isIdle={last.progress === 0} />
        </>
      )}
      {last?.state === 'failed' && last.failure !== null && (
        <Notice tone="danger">Speech was not recognised. {recognitionSentences[last.failure]}</Notice>
      )}
      <div className={shapes.row}>
        {isOpen(last) ? (
          <Button
            variant="default"
            loading={isBusy}
            onClick={() => void run(() => cancel.mutateAsync({ params }), 'Recognition is stopped.')}
          >
            Stop recognising
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconMicrophone size={16} aria-hidden />}
            onClick={() => setAsking(true)}
          >
            {last?.state === 'failed' ? 'Try again' : 'Recognise speech'}
          </Button>
        )}
      </div>
      {isAsking && (
        <AskForSpeech
          videoId={videoId}
          present={present}
          first={last?.language}
          model={model.name}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

const workingOn = ({ language }: Recognition) =>
  language === anyLanguage
    ? 'Speech is being recognised. You may leave this page.'
    : `Speech in ${nameOfLanguage(language)} is being recognised. You may leave this page.`

type AskProps = Props & { first: string | undefined; model: string; onClose: () => void }

function AskForSpeech({ videoId, present, first = anyLanguage, model, onClose }: AskProps) {
  const [language, setLanguage] = useState(first)
  const [replaces, setReplaces] = useState(false)
  const [isBusy, run] = useBusy()
  const recognise = useChange(recogniseSpeech, [readSpeech])
  const there = present.filter(
    (one) => one.kind === 'captions' && (language === anyLanguage || one.language === language),
  )
  const choices = languageChoices().filter(({ value }) => spokenOf(value) !== undefined)
  const submit = async () => {
    const begun = await run(() =>
      recognise.mutateAsync({ params: { videoId, language }, body: { replace: replaces } }),
    )
    if (begun) onClose()
  }
  return (
    <FormDialog
      title="Recognise speech"
      submitLabel="Recognise"
      isBusy={isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={shapes.stack}>
        <p>
          This installation writes down what is said, with the model {model}. Nothing leaves it. Read the
          captions before people rely on them: a machine mishears names, numbers and words of your trade.
        </p>
        <NativeChoice
          label="Language that is spoken"
          value={language}
          onChange={(event) => setLanguage(event.currentTarget.value)}
          data={[
            { value: anyLanguage, label: 'Have it found out' },
            ...(choices.some(({ value }) => value === language) || language === anyLanguage
              ? []
              : [{ value: language, label: nameOfLanguage(language) }]),
            ...choices,
          ]}
        />
        {there.length > 0 && (
          <label>
            <input
              type="checkbox"
              checked={replaces}
              onChange={(event) => setReplaces(event.currentTarget.checked)}
            />{' '}
            Replace the captions that are there in this language
          </label>
        )}
      </div>
    </FormDialog>
  )
}

/** How an installation gets a model, what it is, and what it costs. */
function WithoutModel() {
  const { role } = useUser()
  return (
    <div className={shapes.stack}>
      <p className={shapes.hint}>
        This installation can also write down what is said by itself, without sending anything away, as soon
        as a superadmin has added a model for that under Settings, Speech. Models are had from{' '}
        <a href={source} target="_blank" rel="noreferrer">
          huggingface.co/ggerganov/whisper.cpp
        </a>
        , from ggml-tiny.bin (78 MB) to ggml-large-v3-turbo.bin (1.6 GB). The smallest takes up to 12 seconds
        of a processor and 270 MB of memory for half a minute of speech, others take more.
      </p>
      {role === 'superadmin' && (
        <p>
          <Link to={paths.settings()} search={{ tab: 'speech' }}>
            Add a model for recognising speech
          </Link>
        </p>
      )}
    </div>
  )
}
