import { useState } from 'react'
import type { Explanation } from '#web/api/errors.ts'

/** One press that asks the browser for a passkey: once at a time, and what went wrong in plain words. */
export function usePasskeyPress() {
  const [problem, setProblem] = useState<Explanation | null>(null)
  const [isBusy, setBusy] = useState(false)
  const fail = async (error: unknown) => {
    const { explainPasskey } = await import('#web/api/passkeys.ts')
    setProblem(explainPasskey(error))
  }
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      await fail(error)
    } finally {
      setBusy(false)
    }
  }
  const run = (work: () => Promise<void>) => {
    if (!isBusy) void attempt(work)
  }
  return { run, problem, isBusy, fail }
}
