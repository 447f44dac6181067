import { undoOperation } from '#contract/operations.ts'
import { call } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { toast } from '#web/ui/toasts.ts'
import { started } from './started.ts'

/** Has an operation taken back; its progress stands at the edge of the page. */
export async function takeBack(operationId: string): Promise<void> {
  try {
    await call(undoOperation, { params: { operationId } })
    started.add(operationId)
  } catch (error) {
    toast.failure(sentence(error))
  }
}
