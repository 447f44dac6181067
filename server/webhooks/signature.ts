import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

/** 256 random bits, as https://www.standardwebhooks.com writes them. */
export const newSecret = () => `${prefix}${randomBytes(32).toString('base64')}`

export type Signed = { id: string; body: string; at: Date }

/** The headers by which whoever gets a message knows that it is ours, and when it was sent: HMAC-SHA-256 over id, seconds and body, once for each secret. */
export function signedHeaders(secrets: readonly string[], { id, body, at }: Signed): Record<string, string> {
  const seconds = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}
