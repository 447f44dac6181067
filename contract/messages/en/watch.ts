/** The page of a video, and what stands there where none can be shown. */
export const watch = {
  sentWith: 'Sent with {product}',
  forPerson: 'for {person}',
  toYou: 'to you',
  aboutVideo: 'About this video',
  message: 'Message',
  withQuestions: '{count, plural, one {with one question} other {with # questions}}',
  step: 'Video {step} of {of}',
  description: '{title}, a video on {product}',
  due: 'by {day}',
  beforeYouWatch: 'Before you watch',
  play: 'Play: {title}',
  recorded: 'What you have seen',
  noScript: 'Please allow JavaScript for this page: without it the video cannot play.',
  ownData: 'Your data',
  ownTraining: 'Your training',
  ownDataAgain: 'Your data: try again',
  language: 'Language',
  notCountedTitle: 'Whose link this is',
  notCounted: 'This is the personal link of {person}.',
  notCountedText:
    'You are signed in to the console as somebody else, so nothing that you do here is counted.',
  iAm: 'I am {person}: count what I watch',
  noteTrial: 'You are trying it out: nothing that you do here is kept.',
  noteCompletions:
    '{organization} can see whether this video was completed, and on which day, and nothing else: parts and times are not shown to anybody and are deleted soon.',
  noteCompletionsBoth:
    '{sender} and {organization} can see whether this video was completed, and on which day, and nothing else: parts and times are not shown to anybody and are deleted soon.',
  noteParts: '{organization} can see which parts of this video have been watched.',
  notePartsBoth: '{sender} and {organization} can see which parts of this video have been watched.',
  noteAnswers:
    '{organization} can see which parts of this video have been watched, and how its questions are answered.',
  noteAnswersBoth:
    '{sender} and {organization} can see which parts of this video have been watched, and how its questions are answered.',
  notStarted: 'The video could not be started. Please try again.',
  linkStopped: 'This link does not work any more as it is. Reload the page to see why.',
  lost: 'The connection is lost. The video goes on as soon as it is back.',
  tryAgain: 'Try again',
  cannotPlay: 'The video cannot be played right now.',
  reload: 'Reload the page',
  continuing: 'Continuing at {time}, where you stopped.',
  fromBeginning: 'Start from the beginning',
  signInTitle: 'Please sign in to watch',
  signInText:
    '{organization} shows its videos to people who are signed in. This link was made for {person}: please sign in as {person}, and you come back here.',
  signInButton: 'Sign in',
  signInOther: 'You are signed in as {name}, and this link was made for {person}. It opens for nobody else.',
  signInChange: 'Sign out, and sign in as {person}',
  signInCookies:
    'You are signed in, but your browser keeps no cookie of this page. Please allow cookies for it, and load it again.',
  signInFailed: 'Whether you are signed in could not be found out. Please load the page again.',
  signInHelp: 'If you cannot sign in, please ask {organization}.',
  missing: 'This video does not exist',
  missingText:
    'Perhaps it has been removed, or the address is not complete. Please ask the person who sent it to you.',
  soon: 'This video is being prepared',
  soonText: 'It will be ready in a moment. This page looks again by itself.',
  busy: 'Too many people at once',
  busyText: 'This video has been opened very often from your network. Please try again in a few minutes.',
  personal: 'This video needs your personal link',
  personalText:
    'Please open it with the link in the message that was sent to you. If you have none, ask the sender.',
  gone: 'This video is not available any more',
  goneText: 'It has been put away by its owner. Please ask the person who sent it to you.',
  failed: 'This video cannot be played',
  failedText: 'It could not be converted. Please tell the person who sent it to you.',
  revoked: 'This link was taken back',
  revokedText:
    '{organization} has taken this personal link back: “{reason}” If you should still watch the video, please ask the person who sent it to you.',
  linkEnded: 'This link has ended',
  stoppedText:
    'The person for whom it was made is not active any more. If that is a mistake, please ask the person who sent it to you.',
  endedText:
    'The time for which it worked is over. If you should still watch the video, please ask the person who sent it to you.',
  confirmTitle: 'Please confirm',
  confirmLater: 'You can confirm this here as soon as the rest is done.',
  confirmButton: 'I confirm this',
  confirmed: 'You confirmed this on {day}.',
  confirmEarly: 'Please watch the video first',
  confirmEarlyText:
    'This can be confirmed once the video was watched and its questions are passed, where that is asked. What you have just watched is counted within seconds.',
  confirmNothing: 'Nothing is to be confirmed',
  confirmNothingText: 'This is not asked of you any more, or the link is that of somebody else.',
  trainingNeedsLink: 'This page needs your personal link',
  trainingNeedsLinkText:
    'Open “Your training” on the page of a video that was sent to you. On a device that you have opened it on before, this address is enough.',
} as const
