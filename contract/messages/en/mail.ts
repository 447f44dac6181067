/** The mail that brings a personal link to a video. */
export const mail = {
  subject: '{sender} sent you a video: {title}',
  test: 'Test: {subject}',
  ownLink: 'This link is yours alone. Please do not pass it on.',
  ownLinkUntil: 'This link is yours alone, and works until {end}. Please do not pass it on.',
  signIn: 'Before it plays, you are asked to sign in to {organization}.',
  /** For a message on a phone, where each sign counts. */
  signInShort: 'You will be asked to sign in.',
  due: 'Please watch it by {day}.',
  dueAgain:
    'Please watch it by {day}. You owe it once more by {days}; what you watch now counts for that as well.',
  step: 'It is video {step} of {of}.',
  stillOwed: 'This video is still waiting for you.',
  missing: 'You have seen {share}. Missing: {parts} ({seconds, plural, one {# second} other {# seconds}}).',
  missingMuch: 'You have seen {share}. Missing: {seconds, plural, one {# second} other {# seconds}}.',
  notHeard: 'You have not heard: “{text}”',
  toConfirm: 'You have seen the video. Please confirm below it: “{statement}”',
  missingPart: '{start} to {end}',
  watch: 'Watch the video',
  watchTitle: 'Watch the video: {title}',
  watchTitleLong: 'Watch the video: {title} ({length})',
  video: 'Video',
  videoLong: 'Video, {length}',
  byHand: 'If the button does not work, open this address:',
  from: '{sender}, with {product}',
  unsubscribe: 'Unsubscribe from messages like this',
} as const
