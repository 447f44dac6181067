import type { verify as english } from '../en/verify.ts'
import type { Translation } from '../../platform/text/say.ts'

export const verify: Translation<typeof english> = {
  description: 'Ein Zertifikat von {product} im eigenen Browser prüfen',
  title: 'Zertifikat prüfen',
  heading: 'Ist dieses Zertifikat echt?',
  lead: 'Wählen Sie Zertifikate von {product} aus, als PDF oder als JSON. Sie werden hier geprüft, in Ihrem Browser. Diese Seite kann nichts versenden: Das verbieten ihre eigenen Sicherheitsregeln.',
  choose: 'Zertifikate auswählen',
  drop: 'oder hier ablegen',
  noScript: 'Zum Prüfen ist JavaScript nötig, das hier ausgeschaltet ist.',
  known: 'Wessen Zertifikate diese Seite kennt',
  installation: 'Installation',
  key: 'Schlüssel',
  save: '<save>Diese Seite speichern</save>, als eine Datei, die den Schlüssel enthält. Sie prüft Zertifikate ohne diesen Server und ohne Netz.',
  byHand: 'Ohne diese Seite prüfen',
  byHandText:
    'Ein Zertifikat ist der JSON-Text, der seinem PDF beigefügt ist. Sein Fingerabdruck <code>hash</code> ist SHA-256 über die Bytes von <code>body.previous</code>, gefolgt vom SHA-256 des <code>body</code> in kanonischem JSON (RFC 8785). Seine Signatur <code>signature</code> ist Ed25519 über sein Format <code>format</code> (<code>{format}</code> oder ein früheres), ein Leerzeichen und den Fingerabdruck. Mit Format, Fingerabdruck und Signatur eines Zertifikats:',
  formatAndFingerprint: 'FORMAT FINGERABDRUCK',
  fingerprint: 'Fingerabdruck',
  signature: 'SIGNATUR',
  language: 'Sprache',

  tooLarge: 'Diese Datei ist viel größer als jedes Zertifikat.',
  otherKind: 'Das ist weder eine PDF- noch eine JSON-Datei.',
  noCertificate:
    'In diesem PDF steht kein Zertifikat. Vielleicht hat es ein Programm weggelassen, als es das PDF neu gespeichert oder gedruckt hat: Verwenden Sie die Datei so, wie sie heruntergeladen wurde.',
  moreThanOne: 'In diesem PDF steht mehr als ein Zertifikat: Es wurde etwas hinzugefügt.',
  damagedPdf: 'Der signierte Text in diesem PDF ist nicht lesbar: Er ist beschädigt oder wurde verändert.',
  damaged: 'Der signierte Text in dieser Datei ist nicht lesbar: Er ist beschädigt oder wurde verändert.',
  broken:
    'Der Text passt nicht zu seinem Fingerabdruck. Nach dem Signieren wurde etwas daran verändert; was hier steht, ist nicht vertrauenswürdig.',
  notSigned: 'Die Signatur passt nicht zum Fingerabdruck: Diese Installation hat das nicht signiert.',
  twice:
    'Es gibt zwei verschiedene Zertifikate mit der Nr. {number}: Eines davon gehört nicht zu dieser Folge.',
  between: 'Zwischen Nr. {before} und Nr. {after} wurden weitere ausgestellt, die hier nicht vorliegen.',
  follows: 'Nr. {after} folgt auf Nr. {before}.',
  followsNot:
    'Nr. {after} folgt nicht auf diese Nr. {before}: Als Vorgänger wird ein anderes Zertifikat genannt.',
  chainBroken: 'Diese Zertifikate folgen nicht aufeinander',
  chain: 'Die Folge dieser Zertifikate',

  unreadable: 'Kein lesbares Zertifikat',
  altered: 'Verändert',
  foreign: 'Von einer anderen Installation',
  foreignText:
    'Es wurde mit dem Schlüssel {key} signiert, den diese Seite nicht kennt. Ob es echt ist, kann nur die Seite der Installation sagen, die es ausgestellt hat.',
  unchecked: 'Hier nicht prüfbar',
  uncheckedBrowser:
    'Dieser Browser kennt keine Ed25519-Signaturen. Verwenden Sie einen neueren, oder gehen Sie so vor, wie es unten unter „Ohne diese Seite prüfen“ steht.',
  uncheckedHttp:
    'Auf Seiten, die über einfaches http kommen, prüfen Browser nichts. Speichern Sie diese Seite und öffnen Sie die gespeicherte Datei, oder gehen Sie so vor, wie es unten unter „Ohne diese Seite prüfen“ steht.',
  genuine: 'Echt',
  genuineChanged: 'Echter Text in einem veränderten PDF',
  genuineForged: 'Echter Text unter einem veränderten Siegel',
  issuedFor: 'Ausgestellt für {person} von {organization}, {address}, am {at}.',
  pagesSealed: 'Auch die Seiten des PDFs sind so, wie sie ausgestellt wurden.',
  pagesChanged:
    'Die Seiten darum herum sind nicht so, wie sie ausgestellt wurden: Ein Programm hat sie neu gespeichert, oder jemand hat sie verändert. Maßgeblich ist, was hier steht, nicht, was dort gedruckt ist.',
  resaved: 'Die Datei wurde von einem Programm neu gespeichert; ihr Inhalt ist derselbe.',
  unvouched: 'Was die Datei über sich selbst sagt und wofür niemand einsteht:',

  seal: 'Siegel',
  sealLocked:
    'Das Siegel, das in dieser Datei gezeichnet ist, entspricht auf die Millisekunde dem, was signiert wurde. Auf Papier vergleichen Sie den Streifen und die Zeichen darunter mit diesen.',
  sealDiffers:
    'Das Siegel, das in dieser Datei gezeichnet ist (oben), passt nicht zu ihrem Text (unten): Eines von beiden wurde verändert.',
  sealMore: 'Als angesehen gezeichnet, aber nicht im Text: {parts}.',
  sealLess: 'Laut Text angesehen, aber nicht gezeichnet: {parts}.',
  sealRest: '{count} weitere',
  sealOtherwise: 'Die Sekunden sind dieselben; es ist anders gezeichnet.',
  sealMoved:
    'Das Siegel, das in dieser Datei gezeichnet ist, entspricht dem, was signiert wurde. Ob ihre Seiten diese Zeichnung zeigen, ist nicht sicher: Sie sind nicht so, wie sie ausgestellt wurden.',
  sealUnvouched:
    'Das Siegel, das in dieser Datei gezeichnet ist, passt zu ihrem Text. Das beweist nichts, denn für den Text steht niemand ein.',
  sealAlone:
    'Hier aus dem Text gezeichnet: Diese Datei hat kein eigenes Siegel, das darübergelegt werden könnte.',
  sealNone:
    'Hier werden nur Abschlüsse aufgezeichnet: Es gibt keine Sekunden, aus denen ein Siegel gezeichnet werden könnte.',

  person: 'Person',
  organization: 'Organisation',
  video: 'Video',
  videoVersion: '{title}, Version {version}',
  watchedShare: '{share} ({watched} von {length})',
  evidence: 'Nachweis',
  handedOut: 'Vom Server ausgeliefert',
  handedOutShort: 'Ausgeliefert',
  confirmed: 'Bestätigt',
  confirmedAt: '{at}: „{statement}“',
  completed: 'Abgeschlossen',
  neededShare: 'Nein; gilt ab {share} als abgeschlossen',
  neededQuestions: 'Nein; gilt ab {share} und bestandenen Fragen als abgeschlossen',
  quiz: 'Fragen',
  passed: 'Bestanden, {attempts}',
  notPassed: 'Nicht bestanden, {attempts}',
  issued: 'Ausgestellt',
  issuedNumber: 'Nr. {number}, {at}',
  sourceSum: '{state}, {time}: {reason}',
  part: '{part}: {state}',
  parts: 'Angesehene Teile',
  sessions: 'Sitzungen',
  sessionsCount: 'Sitzungen ({count})',
  rawFacts: 'Rohdaten: {count, plural, one {# Abschnitt} other {# Abschnitte}}, SHA-256',
  notCounted: 'Nicht gezählt',
  muted: '{device}, stummgeschaltet',
  ofReports: '{seen} von {expected}',
  notStated: 'nicht angegeben',
  nothing: 'nichts',
}
