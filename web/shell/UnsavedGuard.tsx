import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx'

/** Asks before leaving a page with unsaved changes, inside the console and when closing the tab. */
export function UnsavedGuard({ isDirty }: { isDirty: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title="Leave without saving?"
      confirmLabel="Leave"
      onConfirm={() => blocker.proceed?.()}
      onClose={() => blocker.reset?.()}
    >
      What you changed on this page is lost.
    </ConfirmDialog>
  )
}
