import type { watch as english } from '../en/watch.ts'
import type { Translation } from '../../platform/text/say.ts'

export const watch: Translation<typeof english> = {
  sentWith: 'Gesendet mit {product}',
  forPerson: 'für {person}',
  toYou: 'an Sie',
  aboutVideo: 'Über dieses Video',
  message: 'Nachricht',
  withQuestions: '{count, plural, one {mit einer Frage} other {mit # Fragen}}',
  step: 'Video {step} von {of}',
  description: '{title}, ein Video auf {product}',
  due: 'bis {day}',
  beforeYouWatch: 'Bevor Sie das Video ansehen',
  play: 'Abspielen: {title}',
  recorded: 'Was Sie gesehen haben',
  noScript:
    'Bitte erlauben Sie JavaScript für diese Seite: Ohne JavaScript kann das Video nicht abgespielt werden.',
  ownData: 'Ihre Daten',
  ownTraining: 'Ihre Schulungen',
  ownDataAgain: 'Ihre Daten: noch einmal versuchen',
  language: 'Sprache',
  notCountedTitle: 'Wessen Link das ist',
  notCounted: 'Das ist der persönliche Link von {person}.',
  notCountedText:
    'Sie sind in der Konsole als jemand anderes angemeldet, deshalb zählt hier nichts von dem, was Sie tun.',
  iAm: 'Ich bin {person}: zählen, was ich ansehe',
  noteTrial: 'Sie probieren das Video aus: Nichts von dem, was Sie hier tun, wird aufbewahrt.',
  noteCompletions:
    '{organization} kann sehen, ob dieses Video abgeschlossen wurde und an welchem Tag, sonst nichts: Teile und Zeiten werden niemandem gezeigt und bald gelöscht.',
  noteCompletionsBoth:
    '{sender} und {organization} können sehen, ob dieses Video abgeschlossen wurde und an welchem Tag, sonst nichts: Teile und Zeiten werden niemandem gezeigt und bald gelöscht.',
  noteParts: '{organization} kann sehen, welche Teile dieses Videos angesehen wurden.',
  notePartsBoth: '{sender} und {organization} können sehen, welche Teile dieses Videos angesehen wurden.',
  noteAnswers:
    '{organization} kann sehen, welche Teile dieses Videos angesehen und wie seine Fragen beantwortet wurden.',
  noteAnswersBoth:
    '{sender} und {organization} können sehen, welche Teile dieses Videos angesehen und wie seine Fragen beantwortet wurden.',
  notStarted: 'Das Video konnte nicht gestartet werden. Bitte versuchen Sie es noch einmal.',
  linkStopped: 'So geht dieser Link nicht mehr. Laden Sie die Seite neu, um zu sehen, warum.',
  lost: 'Die Verbindung ist unterbrochen. Das Video geht weiter, sobald sie wieder da ist.',
  tryAgain: 'Noch einmal versuchen',
  cannotPlay: 'Das Video kann im Moment nicht abgespielt werden.',
  reload: 'Seite neu laden',
  continuing: 'Es geht bei {time} weiter, wo Sie aufgehört haben.',
  fromBeginning: 'Von vorn beginnen',
  signInTitle: 'Bitte melden Sie sich an',
  signInText:
    '{organization} zeigt seine Videos nur Personen, die angemeldet sind. Dieser Link ist für {person}: Bitte melden Sie sich als {person} an, dann kommen Sie hierher zurück.',
  signInButton: 'Anmelden',
  signInOther:
    'Sie sind als {name} angemeldet, und dieser Link ist für {person}. Für niemand anderen öffnet er sich.',
  signInChange: 'Abmelden und als {person} anmelden',
  signInCookies:
    'Sie sind angemeldet, aber Ihr Browser behält kein Cookie dieser Seite. Bitte erlauben Sie ihr Cookies und laden Sie sie neu.',
  signInFailed: 'Ob Sie angemeldet sind, ließ sich nicht feststellen. Bitte laden Sie die Seite neu.',
  signInHelp: 'Wenn Sie sich nicht anmelden können, fragen Sie bitte {organization}.',
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
  confirmTitle: 'Bitte bestätigen Sie',
  confirmLater: 'Sie können dies hier bestätigen, sobald alles andere erledigt ist.',
  confirmButton: 'Das bestätige ich',
  confirmed: 'Das haben Sie am {day} bestätigt.',
  confirmEarly: 'Bitte sehen Sie zuerst das Video an',
  confirmEarlyText:
    'Bestätigen können Sie, sobald das Video angesehen ist und seine Fragen bestanden sind, wo das verlangt wird. Was Sie eben angesehen haben, zählt nach wenigen Sekunden.',
  confirmNothing: 'Es gibt nichts zu bestätigen',
  confirmNothingText: 'Das wird von Ihnen nicht mehr verlangt, oder der Link gehört jemand anderem.',
  trainingNeedsLink: 'Diese Seite braucht Ihren persönlichen Link',
  trainingNeedsLinkText:
    'Öffnen Sie „Ihre Schulungen“ auf der Seite eines Videos, das Ihnen geschickt wurde. Auf einem Gerät, auf dem Sie sie schon geöffnet haben, genügt diese Adresse.',
}
