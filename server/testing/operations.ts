import { readOperation, undoOperation, type Operation } from '#contract/operations.ts'
import { startOperations } from '../operations/run.ts'
import { kinds } from '../worker.ts'
import type { Person, TestServer } from './server.ts'

/** Works on operations as the product does. */
export function workOnOperations({ services }: TestServer): Promise<{ stop(): Promise<void> }> {
  return startOperations(services, kinds)
}

const ended: ReadonlySet<string> = new Set(['cancelled', 'done', 'failed', 'undone'])

/** The operation when it has ended. */
export async function endOf(person: Person, operationId: string, seconds = 30): Promise<Operation> {
  for (const began = Date.now(); ;) {
    const { body } = await person.call(readOperation, { params: { operationId } })
    if (ended.has(body.state)) return body
    if (Date.now() - began > seconds * 1_000) throw new Error(`still ${body.state} after ${seconds} s`)
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
}

/** Takes it back, and waits for the end of that. */
export async function takeOperationBack(person: Person, operationId: string): Promise<Operation> {
  const asked = await person.call(undoOperation, { params: { operationId } })
  if (asked.status !== 200) throw new Error(`${asked.status} ${asked.problem?.detail}`)
  return endOf(person, operationId)
}
