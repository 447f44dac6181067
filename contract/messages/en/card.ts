/** What somebody gets on paper whom no mail reaches. */
export const card = {
  documentTitle: 'Cards: {title}',
  forPerson: 'for {person}',
  hello: 'Hello {person},',
  watch: 'Please watch “{title}”.',
  watchBy: 'Please watch “{title}” by {day}.',
  scan: 'Scan this code with the camera of a phone. No account is needed.',
  scanAndSignIn:
    'Scan this code with the camera of a phone. Before the video plays, you are asked to sign in.',
  code: 'Code that opens the video',
  pin: 'PIN',
  pinText:
    'The PIN opens “Your training” there: what you are asked to watch, what you have completed, and your certificates.',
  keep: 'It is yours alone: do not pass it on, and do not photograph it. If it is lost, ask for another one.',
  number: 'Card {number}, {organization}',
} as const
