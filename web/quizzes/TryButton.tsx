import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { finishedOf } from '#contract/quizzes/quiz-check.ts'
import { tryQuiz, type QuizDraft } from '#contract/quizzes/quizzes.ts'
import { sentence } from '#web/api/errors.ts'
import { useChange } from '#web/api/query.ts'
import { toast } from '#web/ui/toasts.ts'
import { normalised } from './draft.ts'
import type { Editor } from './editor.ts'
import { cannot, tip } from '#web/ui/tips.ts'

type Props = {
  draft: QuizDraft
  editor: Editor
  videoId: string
  durationMs: number | null
  isReady: boolean
}

/** Opens the page of the video as a viewer sees it, with the finished questions of the draft; nothing of it is kept. */
export function TryButton({ draft, editor, videoId, durationMs, isReady }: Props) {
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
