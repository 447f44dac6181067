import type { transcript as english } from '../en/transcript.ts'
import type { Translation } from '../../platform/text/say.ts'

export const transcript: Translation<typeof english> = {
  title: 'Wortlaut',
  language: 'Sprache',
  find: 'Im Wortlaut suchen',
  places: 'Stellen mit diesen Wörtern: {count}',
  copy: 'Kopieren',
  copied: 'Der Wortlaut ist kopiert.',
  selected: 'Der Wortlaut ist ausgewählt. Bitte kopieren Sie ihn mit der Tastatur.',
  print: 'Drucken',
  close: 'Wortlaut schließen',
  loading: 'Der Wortlaut wird geladen.',
  failed: 'Der Wortlaut konnte nicht geladen werden.',
  again: 'Erneut versuchen',
}
