import { undoOperation } from '#contract/operations.ts'
import { attempt } from '#web/api/attempt.ts'
import { call } from '#web/api/client.ts'
import type { ToastAction } from '#web/ui/feedback/toasts.ts'
import { started } from './started.ts'

/** Has an operation taken back; its progress stands at the edge of the page. */
export async function takeBack(operationId: string): Promise<void> {
  await attempt(async () => {
    await call(undoOperation, { params: { operationId } })
    started.add(operationId)
  })
}

/** For the message after a removal. */
export const undoing = (operationId: string): ToastAction => ({
  label: 'Undo',
  run: () => void takeBack(operationId),
})
