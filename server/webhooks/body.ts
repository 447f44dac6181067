/** What is handed over: who is to be told what, and by which link they watch. */
export type WebhookMessage = {
  /** `message.test` goes to nobody. */
  type: 'message.send' | 'message.test'
  deliveryId: string
  organization: { id: string; name: string }
  /** `phone`: as it is kept of the person; null: none is. */
  person: { id: string; name: string; email: string; phone: string | null }
  subject: string
  text: string
  link: string
  /** A few words (GSM 7-bit, 40 signs at most) that signing in is asked before the video; null: the link is enough. */
  signIn: string | null
}

export function bodyOf({ type, ...data }: WebhookMessage): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), data })
}
