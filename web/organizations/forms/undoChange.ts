import { isContested, sentence } from '../../api/errors.ts'
import { toast, type ToastAction } from '../../ui/feedback/toasts.ts'

/** For the message after a change; `restore` sends what was there before, on the condition that nobody has changed it since. */
export function undoChange(name: string, restore: () => Promise<unknown>): ToastAction {
  const run = async () => {
    try {
      await restore()
      toast.success(`${name} is as before.`)
    } catch (error) {
      toast.failure(
        isContested(error) ? `${name} was changed again meanwhile, and stays as it is now.` : sentence(error),
      )
    }
  }
  return { label: 'Undo', run: () => void run() }
}
