import { useEffect, useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import type { beginProof, readProof } from '#contract/identity/sso-sign-in.ts'
import { call } from '#web/api/client.ts'
import { journey } from './journey.ts'

/** By what a locked session is opened; the password until the server has said otherwise. */
export function useProof(isWanted: boolean): Reply<typeof readProof> {
  const [ways, setWays] = useState<Reply<typeof readProof>>({ own: true, connections: [] })
  useEffect(() => {
    if (isWanted)
      call<typeof readProof>({ method: 'GET', path: '/auth/proof' }, {}).then(setWays, () => undefined)
  }, [isWanted])
  return ways
}

/** Leaves for the provider; back from there, the session is open and goes on where it was. */
export async function unlockAtProvider(connectionId: string, back: string): Promise<void> {
  const { url } = await call<typeof beginProof>(
    { method: 'POST', path: '/auth/proof' },
    { body: { connectionId } },
  )
  journey.begin({ back, isWindow: false })
  location.assign(url)
}
