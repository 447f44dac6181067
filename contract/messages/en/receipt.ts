/** Below the player: what has been recorded of a viewer, and what is missing. */
export const receipt = {
  playAll: 'Play all that is missing',
  playPart: 'Play {part}',
  recordOfViewing: 'Download what is recorded of your viewing',
  certificate: 'Download your certificate',
  fileName: 'viewing-certificate',
  failed: 'That did not work. Try again',
  part: '{from} to {to}',
  completedBefore: 'You completed it on {at}, before its questions had to be passed. That stands.',
  completed: 'Completed on {at}.',
  recorded: 'Recorded at {share}.',
  openQuestions: '{count, plural, one {One question is still open.} other {# questions are still open.}}',
  notCompleted: 'Not completed yet.',
  failedForGood:
    'Its questions were not passed and no attempt is left, so it does not count as completed. Please ask whoever sent you this video.',
  failedSoFar: 'It counts as completed when its questions are passed: please try them again.',
  theyHaveToBePassed: 'They have to be passed.',
  haveToBePassed: 'Its questions still have to be passed.',
  checking: 'It is being checked against what the server sent you; this takes a few seconds.',
  contradicted:
    'Part of it was never sent to you by the server, and does not count. Please watch it again on this page.',
  contradictedButDone: 'Part of what was reported was never sent to you by the server, and does not count.',
  missingMoments: 'Only moments of less than a second are missing.',
  missing: 'Missing {parts}.',
  moreParts: '{count, plural, one {one more part} other {# more parts}}',
} as const
