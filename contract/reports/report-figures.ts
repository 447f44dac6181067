/** What a figure is called, and exactly what it counts. The one place where the figures of reports are defined. */
export type FigureMeaning = { label: string; value: string }

const threshold = 'the threshold of the organization (95% unless it chose another)'

export const figureMeanings = {
  active: {
    label: 'Active people',
    value:
      'People of today who opened a video, signed in to the console or changed something there. Each counts once in a day (in the plot) and once in the period. Narrowed to videos: who opened one of these.',
  },
  lastActive: {
    label: 'Last active',
    value: 'The last visit to the console or to a video, whichever came later, also outside the period.',
  },
  received: {
    label: 'Received',
    value:
      'Messages of the period that the mail server took. A message belongs to the day of its transmission.',
  },
  openedOfReceived: {
    label: 'Opened',
    value: 'Of these messages, those whose video page was opened by the personal link, until now.',
  },
  completedOfReceived: {
    label: 'Completed messages',
    value: `Of these messages, those whose video was seen through the personal link up to ${threshold}, and whose required questions were answered, and passed where they have to be. It never falls back.`,
  },
  watched: {
    label: 'Time watched',
    value:
      'Media time played in the period, repeats counted, by everybody: also visitors without a name and people who have been removed since. A viewing session counts on the day on which it began. Narrowed to people, it is theirs alone.',
  },
  viewers: {
    label: 'Viewers',
    value:
      'Different people who played some of a video in the period. Somebody without a personal link counts by their browser. Whose name has been deleted by the retention of the organization counts once for each day and video.',
  },
  viewings: {
    label: 'Viewings',
    value: 'Each viewer once for each video that they played in the period.',
  },
  covered: {
    label: 'Seen',
    value:
      'The share of the video that a viewer of the period has seen up to now, repeats counted once; the mean over these viewers. Each version of a video is measured by its own length. Parts that are kept no longer are left out.',
  },
  completed: {
    label: 'Completed',
    value: `Viewings whose viewer has seen the video up to ${threshold}, with all required questions answered, and passed where they have to be, and did so for the first time in the period. It never falls back.`,
  },
  finished: {
    label: 'Completed by now',
    value: 'The part of the viewings of the period that are completed by now, whenever that was.',
  },
  rewatched: {
    label: 'Rewatched',
    value:
      'The part of the time watched that repeated what the same viewer had seen before. Of the viewers of the period, in all that they have watched of these videos up to now.',
  },
  actions: {
    label: 'Actions',
    value:
      'Entries of the audit log: every sign-in and every change in the organization, written together with the change itself. Looking at something is not an action.',
  },
  actors: {
    label: 'People',
    value: 'Different people who did something. What the product did by itself counts for nobody.',
  },
  signIns: {
    label: 'Sign-ins',
    value: 'Sessions that were opened in the console by somebody of the organization.',
  },
  failedSignIns: {
    label: 'Failed sign-ins',
    value: 'Tries with a wrong password for an address of the organization. Who tried is not known.',
  },
  recipients: {
    label: 'Recipients',
    value:
      'People whom a transmission of the period set out to reach, each once. Who was left out from the start, being disabled or without an address, is not among them.',
  },
  sent: {
    label: 'Sent',
    value: 'The mail server has taken the mail. A message belongs to the day of its transmission.',
  },
  failed: { label: 'Failed', value: 'The mail was refused, came back, or could not be sent within a day.' },
  uncertain: {
    label: 'Uncertain',
    value: 'The line broke while the mail left; it may have arrived or not.',
  },
  opened: {
    label: 'Opened',
    value: 'The video page was opened by the personal link. Shares are of those sent.',
  },
  started: {
    label: 'Started',
    value: 'At least some of the video was played through the personal link. Shares are of those sent.',
  },
  completedMessage: {
    label: 'Completed',
    value: `The video was seen through the personal link up to ${threshold}, and its required questions were answered, and passed where they have to be. It never falls back. Shares are of those sent.`,
  },
  attempts: {
    label: 'Attempts',
    value:
      'Attempts with the questions of a video that were completed in the period, on the day of their end.',
  },
  takers: {
    label: 'People',
    value:
      'Different people who completed an attempt in the period. Somebody without a personal link counts by their session. In the list and in shares, each counts once for each version of the questions.',
  },
  passed: { label: 'Passed', value: 'People who reached the pass mark in an attempt of the period.' },
  firstPassed: {
    label: 'Passed at first',
    value:
      'Of people whose first completed attempt with this version of the questions lies in the period, those who passed in it.',
  },
  medianScore: {
    label: 'Median score',
    value:
      'The score that half of these people reached at their first attempt, as a share of the full score.',
  },
  hardest: {
    label: 'Hardest question',
    value:
      'The question that the smallest share of people got right, in the first attempts of everybody since the version was published. Given from 20 people on.',
  },
  fewPeople: {
    label: 'Few people',
    value:
      'Figures about fewer people than the smallest group of the organization (5 unless it chose another) are not shown.',
  },
  period: {
    label: 'Period',
    value:
      'Days and months are those of UTC, both ends included. Today and this month are not over yet. The period before has as many days: those right before, and for the last 12 months the same days a year earlier.',
  },
  narrowed: {
    label: 'Filters',
    value:
      'A group stands for the people who are in it now, a project for its videos and those of projects within it, a transmission for its messages, its recipients and its video.',
  },
} as const satisfies Record<string, FigureMeaning>

export type FigureName = keyof typeof figureMeanings
