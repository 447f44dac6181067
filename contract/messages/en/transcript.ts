/** What is said in a video, as text beside it. */
export const transcript = {
  title: 'Transcript',
  language: 'Language',
  find: 'Find in the transcript',
  places: 'Places with these words: {count}',
  copy: 'Copy',
  copied: 'The transcript is copied.',
  selected: 'The transcript is selected. Please copy it with your keyboard.',
  print: 'Print',
  close: 'Close the transcript',
  loading: 'The transcript is being loaded.',
  failed: 'The transcript could not be loaded.',
  again: 'Try again',
} as const
