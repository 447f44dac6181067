/** The video page shares this plain data with the server; it stands apart from the schemas, so that the page carries no validator. */

/** These bits are a span's flags, and say how it was watched. */
export const spanFlags = {
  hidden: 1,
  muted: 2,
  pictureInPicture: 4,
  fullscreen: 8,
  autoplay: 16,
  replayed: 32,
  assistive: 64,
  /** A report that bears the sign of a program brought it. */
  program: 128,
} as const

/** These bits are a session's flags, above those of its spans. */
export const sessionFlags = {
  /** The player was seen: an `impression` arrived. */
  impressed: 1 << 16,
  /** At least one millisecond was played that counts. */
  played: 1 << 17,
  /** Wall time that another session of the same viewer had used already earned nothing here. */
  concurrent: 1 << 18,
  /** It had more spans or events than a session may have, and the surplus was dropped. */
  capped: 1 << 19,
  /** Some span is refused; its reason stands beside it. */
  refused: 1 << 20,
  /** No report of it came from a person, and nobody decided that one watched: it counts in no figure. */
  bot: 1 << 21,
  /** Some reports of it bear the sign of a program, and others do not. */
  mixed: 1 << 22,
} as const

/**
 * A span earns no credit for one of these reasons: it lies outside of the video, was faster than the organization allows, took another time
 * than it says, says more than can have been played since the page was made, was not visible, was watched in another window as well, or
 * came in a report that bears the sign of a program.
 */
export type SpanRefusal = 'range' | 'rate' | 'mismatch' | 'faster' | 'hidden' | 'concurrent' | 'program'

export const trackLimits = {
  bytes: 16 * 1024,
  spansPerBatch: 64,
  eventsPerBatch: 64,
  spansPerSession: 2_000,
  eventsPerSession: 5_000,
  /** The length is in milliseconds; a span that grows longer is continued by the next. */
  spanMs: 600_000,
  /** A playing client reports at this interval in milliseconds, which the server chooses in `next`. */
  heartbeat: { usual: 5_000, most: 60_000 },
  /** A spooled session may be handed in during this number of hours. */
  replayHours: 24,
} as const

/**
 * One server process takes this number of batches from the viewers of one organization: every second, and in a sudden rush. No page needs
 * it.
 */
export const organizationPace = { perSecond: 1_000, burst: 10_000 } as const

export const eventTypes = [
  'impression',
  'play',
  'pause',
  'seek',
  'rate',
  'stall',
  'quality',
  'cc',
  'fs',
  'error',
  'ended',
  'chapter',
  'cta',
  'download',
  'reply',
  'quiz.shown',
  'quiz.answered',
  'ack',
  'sleep',
] as const
export type EventType = (typeof eventTypes)[number]
