import { barReasons, type BarReason } from './barred-addresses.ts'

export const barLabels: Record<BarReason, string> = {
  no_such_mailbox: 'The mail server says that there is no such mailbox.',
  complained: 'Its reader called a mail unwanted.',
  unsubscribed: 'Its reader unsubscribed. What they owe is sent all the same.',
}

/** Says why an address is barred, in words. */
export function barWords({ reason }: { reason: string }): string {
  const known = barReasons.find((one) => one === reason)
  return known ? barLabels[known] : reason
}

/** Says the same in a word or two. */
export function barShort({ reason }: { reason: string }): string {
  const known = barReasons.find((one) => one === reason)
  return known ? barFilterWords[known] : reason
}

/** Returns the reason that a person gives, as our lists say it too; undefined when it is in their own words. */
export const barReasonIn = (words: string): BarReason | undefined =>
  barReasons.find((one) => one === words || barLabels[one] === words)

/** A list is narrowed by it in these words. */
export const barFilterWords: Record<BarReason | 'other', string> = {
  no_such_mailbox: 'No such mailbox',
  complained: 'Called unwanted',
  unsubscribed: 'Unsubscribed',
  other: 'Barred by a person',
}
