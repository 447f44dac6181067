import { useBlocker } from '@tanstack/react-router'
import { draftDays } from '#web/api/forms/drafts.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { sideOf } from './side.ts'

type Props = {
  isDirty: () => boolean
  /** Whether closing the tab would lose something, where that is not the same. */
  isHeld?: () => boolean
  /** Whether what was typed is kept as a draft. */
  isKept?: boolean
}

/** Asks before leaving a page with unsaved changes, inside the console and when closing the tab. */
export function UnsavedGuard({ isDirty, isHeld = isDirty, isKept = false }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || sideOf(current.search) !== sideOf(next.search)) && isDirty(),
    enableBeforeUnload: isHeld,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title="Leave without saving?"
      cancelLabel="Stay"
      confirmLabel="Leave without saving"
      isDangerous={!isKept}
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      {isKept
        ? `Your changes stay as a draft on this browser for ${draftDays} days.`
        : 'What you changed on this page is lost.'}
    </ConfirmDialog>
  )
}
