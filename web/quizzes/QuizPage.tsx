import { Button } from '@mantine/core'
import { IconCopy, IconForms, IconPlayerPlay } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { faultsOf, finishedOf } from '#contract/quizzes/quiz-check.ts'
import { readQuiz, type Quiz, QuizDraft, saveQuiz, tryQuiz } from '#contract/quizzes/quizzes.ts'
import { readVideo, type VideoDetail } from '#contract/videos/videos.ts'
import { fetchFresh, prefetch, useEndpoint, useChange } from '#web/api/query.ts'
import { usePageSearch, usePathParams, type LoadInput } from '#web/layout/page.ts'
import { usePageKeys } from '#web/layout/shortcuts/pageKeys.ts'
import { useUser } from '#web/session/useSession.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import type { FrameProps } from '#web/ui/PageFrame.tsx'
import { paths } from '#web/paths.ts'
import columns from '#web/ui/table/columns.module.css'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { VideoFrame, VideoHead } from '../content/VideoHead.tsx'
import { addQuestion, newQuestion, normalised, within } from './draft.ts'
import { wordAt } from './versions/mergeDrafts.ts'
import { openPlayhead } from './playhead.ts'
import { QuestionList, questionsId, removeWithUndo } from './QuestionList.tsx'
import { SettingsCard } from './SettingsCard.tsx'
import { Stage } from './Stage.tsx'
import { Versions } from './versions/Versions.tsx'
import classes from './QuizPage.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { call } from '#web/api/client.ts'
import { useDraft } from '#web/api/forms/useDraft.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { openEditor, quizDrafts, type Editor, type EditorState } from './editor.ts'
import { IncomingNote } from '#web/api/forms/selfSaving/IncomingNote.tsx'
import { SaveLine } from '#web/api/forms/selfSaving/SaveLine.tsx'
import type { StoredDraft } from '#web/api/forms/selfSaving/selfSaving.ts'
import { useSelfSaving } from '#web/api/forms/selfSaving/useSelfSaving.ts'
import { sentence } from '#web/api/errors.ts'
import { cannot, tip } from '#web/ui/overlays/tips.ts'

/** Key of the question that is open at first. */
const search = z.object({ question: z.catch(z.optional(z.string()), undefined) })

export async function load({ params: { videoId } }: LoadInput<'/content/$videoId/quiz'>) {
  const params = { videoId }
  await Promise.all([prefetch(readVideo, { params }), fetchFresh(readQuiz, { params })])
}

const PublishDialog = dialogOnDemand(async () => (await import('./versions/PublishDialog.tsx')).PublishDialog)
const CopyDialog = dialogOnDemand(async () => (await import('./CopyDialog.tsx')).CopyDialog)

/** Milliseconds until the page looks whether somebody else has changed the questions. */
const lookEvery = 8_000

/** Its head and tabs, while the video is not there; below them, its picture beside its questions. */
export function Frame({ lost }: FrameProps) {
  return (
    <VideoFrame
      lost={lost}
      hasAction
      bones={
        <div className={columns.even}>
          <Bone height={400} />
          <Bone height={320} />
        </div>
      }
    />
  )
}

export function QuizPage() {
  const { videoId } = usePathParams('/content/$videoId/quiz')
  const params = { videoId }
  const video = useEndpoint(readVideo, { params })
  const quiz = useEndpoint(readQuiz, { params }, { every: lookEvery })
  return <Author key={videoId} video={video} quiz={quiz} />
}

const KeptDraft = z.object({ base: QuizDraft, version: z.nullable(z.string()), draft: QuizDraft })

/** What an earlier page has left in storage, which may hold anything. */
const keptFrom = (content: unknown): StoredDraft<QuizDraft> | null =>
  KeptDraft.safeParse(content).data ?? null

/** The editor of the questions of one video. `quiz` is read again now and then; what others have saved comes in from it. */
function useEditor(quiz: Quiz): { editor: Editor; state: EditorState } {
  const params = { videoId: quiz.videoId }
  const draft = useDraft(`quiz:${quiz.videoId}`)
  const [editor] = useState(() =>
    openEditor(
      quiz,
      {
        save: (body, ifMatch) => call(saveQuiz, { params, body, ifMatch }),
        read: () => fetchFresh(readQuiz, { params }),
        keep: (edit) => (edit ? draft.keep(edit) : draft.forget()),
      },
      keptFrom(draft.found?.content),
    ),
  )
  const state = useSelfSaving(editor, {
    heard: quiz,
    lost: 'Your last changes of the questions could not be saved. They wait for you on their page.',
  })
  return { editor, state }
}

/** Writing the questions of a video on its time line. */
function Author({ video, quiz }: { video: VideoDetail; quiz: Quiz }) {
  const { editor, state } = useEditor(quiz)
  const [{ question: first }] = usePageSearch(search)
  const [playhead] = useState(openPlayhead)
  const [chosen, setChosen] = useState<string | null>(first ?? null)
  const [fresh, setFresh] = useState<string | null>(null)
  const [dialog, setDialog] = useState<'publish' | 'copy' | null>(null)
  const { draft } = state.history
  const { durationMs } = video
  const isReady = video.playback !== null && durationMs !== null
  const faults = useMemo(() => faultsOf(normalised(draft), durationMs), [draft, durationMs])

  const choose = (key: string | null) => {
    setChosen(key)
    setFresh(null)
  }
  const add = (atMs: number | null) => {
    playhead.pause()
    const question = newQuestion(atMs)
    editor.edit((one) => addQuestion(one, question))
    setChosen(question.key)
    setFresh(question.key)
  }
  const addHere = () => add(isReady ? within(playhead.read(), durationMs) : null)
  usePageKeys([
    { keys: 'q', label: 'Add a question at the present moment of the video', run: addHere },
    { keys: 'Ctrl+Z', label: 'Undo', run: editor.undo },
    { keys: 'Ctrl+Shift+Z', label: 'Redo', run: editor.redo },
    { keys: '←→', label: 'On a marker: move it by a second, with Shift by ten' },
    { keys: 'Del', label: 'On a marker: remove the question' },
  ])
  const close = () => setDialog(null)
  return (
    <>
      <VideoHead
        video={video}
        part="Questions"
        lead={<Standing quiz={state.base} />}
        more={
          <>
            <TryButton
              draft={draft}
              editor={editor}
              videoId={video.id}
              durationMs={durationMs}
              isReady={isReady}
            />
            <Button
              variant="default"
              leftSection={<IconCopy size={16} aria-hidden />}
              onClick={() => setDialog('copy')}
            >
              Copy from a video
            </Button>
          </>
        }
        actions={
          <Button
            variant={draft.questions.length === 0 ? 'default' : 'filled'}
            onClick={() => setDialog('publish')}
          >
            Publish
          </Button>
        }
      />
      {state.base.asksNothing && <AsksNothing orgId={video.organizationId} />}
      <div className={`${classes.page} ${columns.even}`}>
        <Stage
          video={video}
          draft={draft}
          editor={editor}
          playhead={playhead}
          chosen={chosen}
          onChoose={choose}
          onRemove={(question) => removeWithUndo({ editor, question, onChoose: choose })}
          onAdd={addHere}
        />
        <div className={shapes.stack}>
          <SaveLine editor={editor} state={state} />
          <IncomingNote
            what="these questions"
            editor={editor}
            state={state}
            kind={quizDrafts}
            wordAt={wordAt}
          />
          <section id={questionsId} aria-label="Questions" tabIndex={-1} className={shapes.stack}>
            {draft.questions.length === 0 ? (
              <Nothing isReady={isReady} onAddAtEnd={() => add(null)} />
            ) : (
              <QuestionList
                draft={draft}
                editor={editor}
                faults={faults}
                durationMs={durationMs}
                playhead={playhead}
                chosen={chosen}
                fresh={fresh}
                onChoose={choose}
                onAddAtEnd={() => add(null)}
              />
            )}
          </section>
          <SettingsCard draft={draft} editor={editor} />
          <Versions quiz={state.base} editor={editor} />
        </div>
      </div>
      {dialog === 'publish' && (
        <Suspense>
          <PublishDialog
            editor={editor}
            state={state}
            faults={faults}
            isReady={isReady}
            onChoose={choose}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog === 'copy' && (
        <Suspense>
          <CopyDialog video={video} editor={editor} onClose={close} />
        </Suspense>
      )}
      <UnsavedGuard isDirty={editor.isHeld} isKept />
    </>
  )
}

type Props = {
  draft: QuizDraft
  editor: Editor
  videoId: string
  durationMs: number | null
  isReady: boolean
}

/** Opens the page of the video as a viewer sees it, with the finished questions of the draft; nothing of it is kept. */
function TryButton({ draft, editor, videoId, durationMs, isReady }: Props) {
  const { mutateAsync, isPending } = useChange(tryQuiz)
  const blockedReason = isReady
    ? finishedOf(normalised(draft), durationMs).length === 0 &&
      'Finish a question first; then you can try it.'
    : 'The questions can be tried when the video can be played.'
  const open = async () => {
    if (blockedReason) return toast.info(blockedReason)
    // At once: later a browser would take it for a window that nobody asked for.
    const tab = window.open('', '_blank')
    try {
      if (!(await editor.flush())) throw new Error('The last changes are not saved.')
      const { address } = await mutateAsync({ params: { videoId } })
      if (tab) tab.location.href = address
      else
        toast.info('Your browser has kept the new window from opening. Allow it for this site and try again.')
    } catch (error) {
      tab?.close()
      toast.failure(editor.isDirty() ? 'Your last changes are not saved yet.' : sentence(error))
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      loading={isPending}
      {...(blockedReason
        ? cannot(blockedReason)
        : tip('Opens the page of the video; nothing that you do there is kept'))}
      onClick={() => void open()}
    >
      Try it
    </Button>
  )
}

/** Whoever may write questions may change the setting that stands in their way, each on a page of their own. */
function AsksNothing({ orgId }: { orgId: string }) {
  const { organizationId } = useUser()
  return (
    <Notice tone="warning" role="status">
      <strong>Nobody is asked these questions.</strong> This organization records only who completed a video,
      and answers would tell more. You can write and try them; viewers are asked once the organization records
      which parts were watched.{' '}
      {organizationId === null ? (
        <Link to={paths.organizationEdit(orgId)}>Change what is recorded</Link>
      ) : (
        <Link to={paths.settings()} search={{ tab: 'organization' }}>
          Change what is recorded
        </Link>
      )}
    </Notice>
  )
}

/** What viewers are asked at present. */
function Standing({ quiz: { versions, isChanged, asksNothing } }: { quiz: Quiz }) {
  const current = versions.find(({ isCurrent }) => isCurrent)
  if (!current)
    return (
      <StatusBadge tone="neutral" title="Viewers are asked nothing until you publish.">
        {versions.length === 0 ? 'Not published' : 'Withdrawn'}
      </StatusBadge>
    )
  if (asksNothing)
    return (
      <StatusBadge tone="warning" title="This organization records only who completed a video.">
        {`Version ${current.number} is not asked`}
      </StatusBadge>
    )
  return isChanged ? (
    <StatusBadge
      tone="warning"
      title={`Viewers are asked version ${current.number} until you publish again.`}
    >
      {`Changed since version ${current.number}`}
    </StatusBadge>
  ) : (
    <StatusBadge tone="success" title="Viewers are asked just these questions.">
      {`Published, version ${current.number}`}
    </StatusBadge>
  )
}

type NothingProps = { isReady: boolean; onAddAtEnd: () => void }

function Nothing({ isReady, onAddAtEnd }: NothingProps) {
  return (
    <div className={shapes.card}>
      <EmptyState
        title="No questions yet"
        icon={<IconForms size={24} />}
        action={
          <Button variant="default" onClick={onAddAtEnd}>
            Add a question at the end
          </Button>
        }
      >
        {isReady
          ? 'Play the video to the moment that you want to ask about and press Q. What you write is saved by itself; nobody is asked before you publish.'
          : 'The video cannot be played yet, but questions for its end can be written already. Nobody is asked before you publish.'}
      </EmptyState>
    </div>
  )
}
