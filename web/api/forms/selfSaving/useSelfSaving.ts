import { useEffect, useSyncExternalStore } from 'react'
import { toast } from '../../../ui/feedback/toasts.ts'
import type { Drafted, SelfSaving, SelfSavingState } from './selfSaving.ts'

type Given<R> = {
  /** As it was read last: what others have saved comes in from it. */
  heard: R
  /** What is said where the last changes could not be saved when the page was left. */
  lost: string
}

/** Follows an editor that saves by itself, and has it save when the page is hidden or left. */
export function useSelfSaving<R extends Drafted<D>, D, P>(
  editor: SelfSaving<R, D, P>,
  { heard, lost }: Given<R>,
): SelfSavingState<R, D, P> {
  useEffect(() => editor.hear(heard), [editor, heard])
  useEffect(() => {
    const save = () => void editor.flush()
    document.addEventListener('visibilitychange', save)
    addEventListener('online', save)
    return () => {
      document.removeEventListener('visibilitychange', save)
      removeEventListener('online', save)
      if (editor.isDirty() && !editor.isHeld())
        void editor.flush().then((isSaved) => isSaved || toast.failure(lost))
    }
  }, [editor, lost])
  return useSyncExternalStore(editor.subscribe, editor.read)
}
