/** The product itself paused a transmission or gave it up for one of these reasons, or a scheduled one waits for it. */
export const transmissionReasons = [
  'no_recipients',
  'many_rejected',
  'many_returned',
  'sender_refused',
  'wave_troubled',
  'organization_closed',
  'audience_grown',
  'audience_changed',
  'time_passed',
  'restored',
  'video_not_ready',
  'video_failed',
  'video_removed',
  'sender_unverified',
  'webhook_missing',
] as const
export type TransmissionReason = (typeof transmissionReasons)[number]

/** A transmission that is held for one of these reasons waits until a person has looked at it and releases it. */
export const releasableReasons: readonly TransmissionReason[] = [
  'time_passed',
  'restored',
  'video_failed',
  'video_removed',
  'sender_unverified',
  'webhook_missing',
]
