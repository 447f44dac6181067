import type { watch as english } from '../en/watch.ts'
import type { Translation } from '../../say.ts'

export const watch: Translation<typeof english> = {
  missing: 'Dieses Video gibt es nicht',
  missingText:
    'Vielleicht wurde es entfernt, oder die Adresse ist nicht vollständig. Bitte wenden Sie sich an die Person, die es Ihnen geschickt hat.',
  soon: 'Dieses Video wird vorbereitet',
  soonText: 'Es ist gleich bereit. Diese Seite sieht von selbst wieder nach.',
  busy: 'Zu viele Aufrufe auf einmal',
  busyText:
    'Dieses Video wurde aus Ihrem Netz sehr oft geöffnet. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  personal: 'Für dieses Video brauchen Sie Ihren persönlichen Link',
  personalText:
    'Bitte öffnen Sie es mit dem Link aus der Nachricht, die Sie erhalten haben. Wenn Sie keinen haben, wenden Sie sich an die Person, die sie geschickt hat.',
  gone: 'Dieses Video ist nicht mehr verfügbar',
  goneText:
    'Es wurde von seinem Besitzer zurückgezogen. Bitte wenden Sie sich an die Person, die es Ihnen geschickt hat.',
  failed: 'Dieses Video kann nicht abgespielt werden',
  failedText:
    'Es konnte nicht umgewandelt werden. Bitte geben Sie der Person Bescheid, die es Ihnen geschickt hat.',
  revoked: 'Dieser Link wurde zurückgenommen',
  revokedText:
    '{organization} hat diesen persönlichen Link zurückgenommen: „{reason}“ Wenn Sie das Video trotzdem ansehen sollen, wenden Sie sich bitte an die Person, die es Ihnen geschickt hat.',
  linkEnded: 'Dieser Link ist abgelaufen',
  stoppedText:
    'Die Person, für die er erstellt wurde, ist nicht mehr aktiv. Wenn das ein Irrtum ist, wenden Sie sich bitte an die Person, die ihn Ihnen geschickt hat.',
  endedText:
    'Die Zeit, in der er galt, ist vorbei. Wenn Sie das Video trotzdem ansehen sollen, wenden Sie sich bitte an die Person, die es Ihnen geschickt hat.',
}
