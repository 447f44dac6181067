import type { receipt as english } from '../en/receipt.ts'
import type { Translation } from '../../platform/text/say.ts'

export const receipt: Translation<typeof english> = {
  left: 'Noch {time}.',
  allOf: 'Alle {time} gesehen.',
  nothingLeft: 'Es ist nichts mehr zu tun.',
  next: 'Als Nächstes: „{title}“.',
  watchAgain: 'Noch einmal ansehen',
  seconds: '{count} Sek.',
  lengthToEnd: '{time}, bis zum Ende',
  atEnd: 'am Ende',
  atTime: 'bei {time}',
  playAll: 'Abspielen, was fehlt',
  playPart: '{part} abspielen',
  recordOfViewing: 'Aufzeichnung Ihrer Wiedergabe herunterladen',
  certificate: 'Ihr Zertifikat herunterladen',
  failed: 'Das hat nicht geklappt. Noch einmal versuchen',
  part: '{from} bis {to}',
  completedBefore:
    'Sie haben es am {at} abgeschlossen, bevor die Fragen bestanden werden mussten. Dabei bleibt es.',
  completed: 'Abgeschlossen am {at}.',
  recorded: 'Sie haben {share} gesehen.',
  pleaseConfirm: 'Bitte bestätigen Sie noch den Satz weiter unten.',
  openQuestions: '{count, plural, one {Eine Frage ist noch offen.} other {# Fragen sind noch offen.}}',
  notCompleted: 'Noch nicht abgeschlossen.',
  failedForGood:
    'Die Fragen wurden nicht bestanden, und es ist kein Versuch mehr übrig. Deshalb gilt das Video nicht als abgeschlossen. Bitte wenden Sie sich an die Person, die es Ihnen geschickt hat.',
  failedSoFar:
    'Es gilt als abgeschlossen, wenn die Fragen bestanden sind: Bitte versuchen Sie es noch einmal.',
  haveToBePassed: 'Die Fragen müssen noch bestanden werden.',
  checking:
    'Es wird mit dem abgeglichen, was der Server an Sie ausgeliefert hat; das dauert einige Sekunden.',
  contradicted: 'Ein Teil davon wurde nie vom Server an Sie ausgeliefert und zählt nicht.',
  doubted:
    'Ihr Browser gibt sich als Programm aus, und was er meldet, zählt nicht. Bitte nehmen Sie einen anderen.',
  missingParts: 'Es fehlt: {parts} ({seconds, plural, one {# Sekunde} other {# Sekunden}}).',
  missingMuch: 'Es {seconds, plural, one {fehlt # Sekunde} other {fehlen # Sekunden}}.',
  missingSeen: 'Sie haben jetzt alles gesehen, was gefehlt hat.',
  wholeVideo: 'Das ganze Video ansehen',
  tooFast: 'Was schneller abgespielt wird, zählt nicht: Dem kann niemand folgen.',
  missingMoments: 'Es fehlen nur Momente von weniger als einer Sekunde.',
}
