import { barReasons, type BarReason } from './barred-addresses.ts'

const labels: Record<BarReason, string> = {
  no_such_mailbox: 'The mail server says that there is no such mailbox.',
  complained: 'Its reader called a mail unwanted.',
  unsubscribed: 'Its reader unsubscribed. What they owe is sent all the same.',
}

/** Why the product bars an address by itself; null where a person barred it in words of their own. */
export function barWords({ by, reason }: { by: string | null; reason: string }): string | null {
  const known = barReasons.find((one) => one === reason)
  return by === null && known ? labels[known] : null
}
