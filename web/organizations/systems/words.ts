import type { EventPostState } from '#contract/events/event-addresses.ts'
import { plural } from '#contract/platform/text/format.ts'

export const postStateWords: Record<EventPostState, string> = {
  waiting: 'Waiting',
  taken: 'Taken',
  aside: 'Set aside',
}

export const eventsText = (n: number) => (n > 1_000 ? 'more than 1,000 events' : plural(n, 'event', 'events'))
