import { toast, type ToastAction } from '#web/ui/toasts.ts'

/** For the message after a removal. What it needs is fetched when somebody presses it. */
export function undoing(operationId: string): ToastAction {
  const run = async () => {
    try {
      const { takeBack } = await import('./takeBack.ts')
      await takeBack(operationId)
    } catch {
      toast.failure('This could not be undone here. Open Recently removed in the settings and try again.')
    }
  }
  return { label: 'Undo', run: () => void run() }
}
