import { useEffect, useState } from 'react'
import type { readConfig } from '#contract/platform/system.ts'
import { call } from '#web/api/client.ts'

/** Whether signing in with a mailed code is switched on; undefined until the server, once somebody wants to know, has said so. */
export function useSignInCode(isWanted = true): boolean | undefined {
  const [isOn, setOn] = useState<boolean>()
  useEffect(() => {
    if (!isWanted) return
    const leaving = new AbortController()
    call<typeof readConfig>({ method: 'GET', path: '/config' }, { signal: leaving.signal }).then(
      ({ signInCode }) => setOn(signInCode),
      // The way with the password is open in any case.
      () => undefined,
    )
    return () => leaving.abort()
  }, [isWanted])
  return isOn
}
