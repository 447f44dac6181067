import type { training as english } from '../en/training.ts'
import type { Translation } from '../../platform/text/say.ts'

export const training: Translation<typeof english> = {
  title: 'Ihre Schulungen',
  thisVideo: 'Das Video zu diesem Link',
  watch: 'Video ansehen',
  watchTitle: 'Video ansehen: {title}',
  signIn: 'Bevor ein Video läuft, bittet {organization} Sie, sich anzumelden.',
  by: 'bis {day}',
  late: 'war fällig am {day}',
  rest: 'Alles, was für Sie da ist',
  restText:
    'Dieser Link öffnet ein einziges Video. Was sonst für Sie da ist und was erledigt ist, zeigt dieses Gerät, sobald Sie einen Code eingegeben haben, den {organization} Ihnen per E-Mail schickt. Wer sonst den Link hat, sieht nichts davon.',
  pinText:
    'Diese Karte öffnet ein einziges Video. Was sonst für Sie da ist und was erledigt ist, zeigt dieses Gerät, sobald Sie die PIN eingegeben haben, die auf der Karte steht.',
  pin: 'Ihre PIN',
  wrongPin:
    'Diese PIN stimmt nicht. Bitte sehen Sie auf Ihrer Karte nach, und geben Sie sie noch einmal ein.',
  pinOver: 'Diese Karte öffnet kein weiteres Gerät. Bitte bitten Sie {organization} um eine neue.',
  mailCode: 'Code per E-Mail anfordern',
  mailAnother: 'Neuen Code anfordern',
  sent: 'Ein Code wurde an {address} geschickt. Er gilt zehn Minuten.',
  rests:
    'Diese Installation versendet noch keine E-Mails, Ihr Code bleibt deshalb bei ihr. Bitte fragen Sie {organization} danach; er gilt zehn Minuten.',
  code: 'Code',
  open: 'Ihre Schulungen öffnen',
  wrongCode:
    'Dieser Code stimmt nicht. Sehen Sie in der neuesten E-Mail nach, und geben Sie ihn noch einmal ein.',
  noTries: 'Das war der letzte Versuch mit diesem Code. Bitte fordern Sie einen neuen an.',
  codeEnded:
    'Der Code ist zu alt, oder es wurde seitdem ein anderer angefordert. Bitte fordern Sie einen neuen an.',
  tooOften:
    'Sie haben es gerade schon einige Male versucht. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  waiting: 'Offen',
  nothingWaiting: 'Für Sie ist nichts offen.',
  next: 'Danach: {title}, nach {after}',
  seen: 'Sie haben {share} gesehen.',
  toPass: 'Die Fragen müssen bestanden werden.',
  toConfirm: 'Bitte bestätigen Sie:',
  confirmAfter: 'Bestätigen Sie danach bitte: „{statement}“',
  confirmed: 'Sie haben bestätigt: „{statement}“',
  confirm: 'Das bestätige ich',
  notSent: 'Die Nachricht dazu kommt noch.',
  excused: 'Sie müssen es nicht ansehen.',
  excusedUntil: 'Sie müssen es bis {day} nicht ansehen.',
  done: 'Erledigt',
  nothingDone: 'Noch nichts.',
  doneOn: 'Erledigt am {day}.',
  validUntil: 'Gültig bis {day}.',
  expired: 'Es war bis {day} gültig.',
  certificate: 'Zertifikat',
  certificateOf: 'Zertifikat: {title}',
  certificates: 'Zertifikate',
  numbered: 'Nr. {number}, {day}',
  download: 'Herunterladen',
  downloadNumber: 'Zertifikat Nr. {number} herunterladen',
  noCertificate:
    'Dafür lässt sich noch kein Zertifikat ausstellen. Bitte versuchen Sie es in einer Minute noch einmal, oder wenden Sie sich an den Absender.',
  yourData: 'Ihre Daten',
  yourDataText:
    'Was {organization} aus den Videos, die Ihnen geschickt wurden, über Sie aufbewahrt, in einer einzigen Textdatei (JSON). Dass Sie sie heruntergeladen haben, wird festgehalten.',
  downloadData: 'Ihre Daten herunterladen',
  device: 'Dieses Gerät',
  deviceText:
    'Hier bleibt die Seite bis {day} für Sie offen, sofern Ihr Link nicht vorher zurückgezogen wird.',
  forget: 'Auf diesem Gerät schließen',
  messagesOf: 'Nachrichten von {organization}',
  unsubscribeAsk:
    'Möchten Sie keine weiteren Nachrichten mit Videos von {organization}? Was Sie ansehen müssen, wird Ihnen weiterhin geschickt.',
  unsubscribe: 'Abbestellen',
  unsubscribed: 'Sie haben die Nachrichten von {organization} abbestellt.',
  unsubscribedBut: 'Was Sie für {organization} ansehen müssen, wird Ihnen weiterhin geschickt.',
  subscribeAgain: 'Wieder erhalten',
  subscribed: 'Sie erhalten die Nachrichten von {organization} wieder.',
}
