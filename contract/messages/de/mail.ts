import type { mail as english } from '../en/mail.ts'
import type { Translation } from '../../platform/text/say.ts'

export const mail: Translation<typeof english> = {
  subject: '{sender} hat Ihnen ein Video geschickt: {title}',
  test: 'Probe: {subject}',
  ownLink: 'Dieser Link ist nur für Sie. Bitte geben Sie ihn nicht weiter.',
  ownLinkUntil: 'Dieser Link ist nur für Sie und gilt bis {end}. Bitte geben Sie ihn nicht weiter.',
  signIn: 'Bevor es läuft, melden Sie sich bei {organization} an.',
  signInShort: 'Sie werden gebeten, sich anzumelden.',
  due: 'Bitte sehen Sie es bis {day} an.',
  dueAgain:
    'Bitte sehen Sie es bis {day} an. Es ist noch einmal bis {days} fällig; was Sie jetzt ansehen, zählt auch dafür.',
  step: 'Es ist Video {step} von {of}.',
  stillOwed: 'Dieses Video wartet noch auf Sie.',
  missing:
    'Sie haben {share} gesehen. Es fehlen: {parts} ({seconds, plural, one {# Sekunde} other {# Sekunden}}).',
  missingMuch:
    'Sie haben {share} gesehen. Es fehlen noch {seconds, plural, one {# Sekunde} other {# Sekunden}}.',
  notHeard: 'Sie haben nicht gehört: „{text}“',
  toConfirm: 'Sie haben das Video angesehen. Bitte bestätigen Sie noch darunter: „{statement}“',
  missingPart: '{start} bis {end}',
  watch: 'Video ansehen',
  watchTitle: 'Video ansehen: {title}',
  watchTitleLong: 'Video ansehen: {title} ({length})',
  video: 'Video',
  videoLong: 'Video, {length}',
  byHand: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  from: '{sender}, mit {product}',
  unsubscribe: 'Solche Nachrichten abbestellen',
}
