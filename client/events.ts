import { SendreelError } from './send.ts'

export type Signed = {
  /** `whsec_…`; several while one is replaced by another. */
  secret: string | readonly string[]
  /** Of the request, by their names in lower case. */
  headers: Headers | Record<string, string | string[] | undefined>
  /** As it came, byte by byte. */
  body: string
}

/** How old an event may be, and how far ahead the clock of the sender, in seconds. */
const tolerance = 300

/** The event of a request that is signed as https://www.standardwebhooks.com says. Throws `SendreelError` where it is not genuine. */
export async function readEvent({ secret, headers, body }: Signed): Promise<unknown> {
  const read = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '')
  const id = read('webhook-id')
  const seconds = read('webhook-timestamp')
  const isInTime = Math.abs(Date.now() / 1_000 - Number(seconds || Number.NaN)) < tolerance
  if (!isInTime) throw new SendreelError('The event is too old, or from the future.')
  const signatures = read('webhook-signature')
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [one.slice('v1,'.length)] : []))
  for (const one of [secret].flat())
    for (const signature of signatures)
      if (await isSigned(one, signature, `${id}.${seconds}.${body}`)) return JSON.parse(body)
  throw new SendreelError('The event is not signed by one of these secrets.')
}

async function isSigned(secret: string, signature: string, text: string): Promise<boolean> {
  const method = { name: 'HMAC', hash: 'SHA-256' }
  const [keyBytes, signed] = [bytesOf(secret.replace(/^whsec_/, '')), bytesOf(signature)]
  if (!keyBytes || !signed) return false
  const key = await crypto.subtle.importKey('raw', keyBytes, method, false, ['verify'])
  // It takes the same time whatever differs.
  return crypto.subtle.verify(method, key, signed, new TextEncoder().encode(text))
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.codePointAt(0) ?? 0)
  } catch {
    return undefined
  }
}
