/** Not on plain http, where the browser has none, and not at an address of numbers: a passkey belongs to a name. */
export function passkeysWork(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && !/^(\[|[\d.]+$)/.test(location.hostname)
}

/** Whether the browser offers passkeys in the list that it opens below the field of the address. */
export async function passkeysFillIn(): Promise<boolean> {
  if (!passkeysWork() || !('isConditionalMediationAvailable' in PublicKeyCredential)) return false
  return PublicKeyCredential.isConditionalMediationAvailable()
}
