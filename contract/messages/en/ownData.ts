/** On the page of a video: what is kept about whoever sits in front of it. */
export const ownData = {
  title: 'Your data',
  close: 'Close',
  mailCode: 'Mail me a code',
  mailAnother: 'Mail me another code',
  code: 'Code',
  download: 'Download your data',
  wrongCode: 'This code is not right. Look at the newest mail, and type it again.',
  tooOld: 'This page is not valid any more. Reload it, then try again.',
  ended:
    'The code is too old, or this link has ended. Ask for another code, or ask the sender for your data.',
  tooOften: 'You have just tried this a few times. Please try again in a few minutes.',
  failed: 'That did not work. Please try again.',
  rests:
    'This installation sends no mail yet, so your code stays with it. Please ask {organization} for it; it is good for ten minutes.',
  sent: 'A code was written to {address}. It is good for ten minutes.',
  whatOfPerson:
    'You can download what {organization} keeps about you from the videos that were sent to you: the messages, what you watched and when, your answers, your certificates, and the texts that stood above the player. A code for your email address shows that it is you.',
  whatOfVisit:
    'You came without a personal link, so {organization} does not know your name. You can download what is kept of this visit: what you watched and when, and your answers.',
  file: 'It is one file of text (JSON), which every editor opens.',
  keepIt: 'That you have downloaded it is written down. Keep the file to yourself, like your personal link.',
  visitEnds: 'Once you close this page, nobody can tell any more which visit was yours.',
  gathering: 'Your data is being put together…',
  fileName: 'your-data',
  downloaded: 'Downloaded. What you have just watched is in it a few seconds later.',
} as const
