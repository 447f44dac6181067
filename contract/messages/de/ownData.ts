import type { ownData as english } from '../en/ownData.ts'
import type { Translation } from '../../platform/text/say.ts'

export const ownData: Translation<typeof english> = {
  title: 'Ihre Daten',
  close: 'Schließen',
  mailCode: 'Code per E-Mail anfordern',
  mailAnother: 'Neuen Code anfordern',
  code: 'Code',
  download: 'Ihre Daten herunterladen',
  wrongCode:
    'Dieser Code stimmt nicht. Sehen Sie in der neuesten E-Mail nach, und geben Sie ihn noch einmal ein.',
  tooOld: 'Diese Seite ist nicht mehr gültig. Laden Sie sie neu, und versuchen Sie es noch einmal.',
  ended:
    'Der Code ist zu alt, oder dieser Link ist abgelaufen. Fordern Sie einen neuen Code an, oder bitten Sie die Person um Ihre Daten, die Ihnen das Video geschickt hat.',
  tooOften:
    'Sie haben es gerade schon einige Male versucht. Bitte versuchen Sie es in einigen Minuten noch einmal.',
  failed: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  rests:
    'Diese Installation versendet noch keine E-Mails, Ihr Code bleibt deshalb bei ihr. Bitte fragen Sie {organization} danach; er gilt zehn Minuten.',
  sent: 'Ein Code wurde an {address} geschickt. Er gilt zehn Minuten.',
  whatOfPerson:
    'Sie können herunterladen, was {organization} aus den Videos über Sie aufbewahrt, die Ihnen geschickt wurden: die Nachrichten, was Sie wann angesehen haben, Ihre Antworten, Ihre Zertifikate und die Texte, die über dem Video standen. Ein Code an Ihre E-Mail-Adresse zeigt, dass Sie es sind.',
  whatOfVisit:
    'Sie sind ohne persönlichen Link gekommen, {organization} kennt also Ihren Namen nicht. Sie können herunterladen, was von diesem Besuch aufbewahrt wird: was Sie wann angesehen haben, und Ihre Antworten.',
  file: 'Es ist eine einzige Textdatei (JSON), die jeder Editor öffnet.',
  keepIt:
    'Dass Sie sie heruntergeladen haben, wird festgehalten. Geben Sie die Datei ebenso wenig weiter wie Ihren persönlichen Link.',
  visitEnds: 'Sobald Sie diese Seite schließen, kann niemand mehr sagen, welcher Besuch Ihrer war.',
  gathering: 'Ihre Daten werden zusammengestellt…',
  fileName: 'ihre-daten',
  downloaded: 'Heruntergeladen. Was Sie gerade angesehen haben, steht einige Sekunden später darin.',
}
