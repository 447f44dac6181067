import { useState } from 'react'
import { toast } from '../ui/feedback/toasts.ts'
import { sentence } from './errors.ts'

type Done<Answer> = string | ((answer: Answer) => string)

/** Does it and says `done`, or why it failed, in a toast. True when it is done. */
export async function attempt<Answer>(work: () => Promise<Answer>, done?: Done<Answer>): Promise<boolean> {
  try {
    const answer = await work()
    if (done !== undefined) toast.success(typeof done === 'string' ? done : done(answer))
    return true
  } catch (error) {
    toast.failure(sentence(error))
    return false
  }
}

/** The same, with whether it is going on: for the button that begins it. */
export function useBusy() {
  const [isBusy, setBusy] = useState(false)
  const run: typeof attempt = async (work, done) => {
    setBusy(true)
    const isDone = await attempt(work, done)
    setBusy(false)
    return isDone
  }
  return [isBusy, run] as const
}
