import { useEffect, useState, useSyncExternalStore } from 'react'
import * as z from 'zod/mini'
import { QuizDraft, readQuiz, saveQuiz, type Quiz } from '#contract/quizzes/quizzes.ts'
import { call } from '#web/api/client.ts'
import { fetchFresh } from '#web/api/query.ts'
import { useDraft } from '#web/api/useDraft.ts'
import { toast } from '#web/ui/toasts.ts'
import { openEditor, type Editor, type EditorState, type StoredDraft } from './editor.ts'

const KeptDraft = z.object({ base: QuizDraft, version: z.nullable(z.string()), draft: QuizDraft })

/** What an earlier page has left in storage, which may hold anything. */
const keptFrom = (content: unknown): StoredDraft | null => KeptDraft.safeParse(content).data ?? null

/** The editor of the questions of one video. `quiz` is read again now and then; what others have saved comes in from it. */
export function useEditor(quiz: Quiz): { editor: Editor; state: EditorState } {
  const params = { videoId: quiz.videoId }
  const draft = useDraft(`quiz:${quiz.videoId}`)
  const [editor] = useState(() =>
    openEditor(
      quiz,
      {
        save: (body, ifMatch) => call(saveQuiz, { params, body, ifMatch }),
        read: () => fetchFresh(readQuiz, { params }),
        keep: (kept) => (kept ? draft.keep(kept) : draft.forget()),
      },
      keptFrom(draft.found?.content),
    ),
  )
  useEffect(() => editor.hear(quiz), [editor, quiz])
  useEffect(() => {
    const save = () => void editor.flush()
    document.addEventListener('visibilitychange', save)
    addEventListener('online', save)
    return () => {
      document.removeEventListener('visibilitychange', save)
      removeEventListener('online', save)
      if (editor.isDirty() && !editor.isHeld()) void saveLast(editor)
    }
  }, [editor])
  return { editor, state: useSyncExternalStore(editor.subscribe, editor.read) }
}

/** The page is being left for another one of the console. */
async function saveLast(editor: Editor): Promise<void> {
  if (!(await editor.flush()))
    toast.failure('Your last changes of the questions could not be saved. They wait for you on their page.')
}
