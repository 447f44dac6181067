import { useEffect, useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { domainFingerprint } from '#contract/identity/domain-fingerprint.ts'
import type { readConfig } from '#contract/platform/system.ts'
import { call } from '#web/api/client.ts'

type Offers = Reply<typeof readConfig>

let asked: Promise<Offers> | undefined

/** What this installation offers whoever signs in: asked once, when somebody wants to know. */
function offers(): Promise<Offers> {
  asked ??= call<typeof readConfig>({ method: 'GET', path: '/config' }, {}).catch((error: unknown) => {
    asked = undefined
    throw error
  })
  return asked
}

/** Whether signing in with a mailed code is switched on; undefined until the server, once somebody wants to know, has said so. */
export function useSignInCode(isWanted = true): boolean | undefined {
  const [isOn, setOn] = useState<boolean>()
  useEffect(() => {
    if (isWanted)
      offers().then(
        ({ signInCode }) => setOn(signInCode),
        // The way with the password is open in any case.
        () => undefined,
      )
  }, [isWanted])
  return isOn
}

/** Whether addresses of this domain are led to a company's own sign-in. No address leaves the page for it. */
export async function isClaimed(address: string): Promise<boolean> {
  const domain = address.trim().toLowerCase().replace(/^.*@/, '')
  const written = URL.parse(`http://${domain}`)?.hostname ?? domain
  return offers().then(
    ({ claimedDomains }) => claimedDomains.includes(domainFingerprint(written)),
    () => false,
  )
}
