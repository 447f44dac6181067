import type { certificate as english } from '../en/certificate.ts'
import type { Translation } from '../../platform/text/say.ts'

export const certificate: Translation<typeof english> = {
  documentTitle: 'Zertifikat Nr. {number}: {person}, {video}',
  subject: 'Signierte Angabe, was angesehen wurde, Fingerabdruck {hash}',
  attachment: 'Der signierte Text dieses Zertifikats',
  title: 'Zertifikat über die Wiedergabe',
  issued: 'Nr. {number}, ausgestellt am {at}',
  completionsOnly:
    'Diese Organisation bewahrt nur auf, ob ein Video abgeschlossen wurde: keine Teile, keine Zeiten, keine Geräte.',
  version: 'Version {version}, Dauer {length}',
  confirmed: 'Bestätigt am {at}: „{statement}“',
  certifies:
    '{organization} bescheinigt, was darüber aufgezeichnet ist, wie diese Person dieses Video angesehen hat.',
  watchedTime: 'angesehen: {time}',
  completed: 'Abgeschlossen',
  notCompleted: 'Nicht abgeschlossen',
  needed: 'gilt ab {share} als abgeschlossen',
  neededQuestions: 'gilt ab {share} und bestandenen Fragen als abgeschlossen',
  notGraded: 'Fragen: nicht bewertet',
  passed: 'Fragen bestanden',
  notPassed: 'Fragen nicht bestanden',
  whatWasWatched: 'Was angesehen wurde',
  recorded:
    'Aufgezeichnet: {time} von {length} in {count, plural, one {einem Teil} other {# Teilen}}, jeder Moment einmal gezählt. Das Video gilt ab {share} als abgeschlossen.',
  checked: 'Abgleich mit dem, was der Server ausgeliefert hat: {state}',
  sourceSum: '{state}, {time}: {reason}.',
  nothingMissing: 'Es fehlt nichts.',
  missing: 'Nicht angesehen: {parts}.',
  missingMore: 'Nicht angesehen: {parts} und {count} weitere im beigefügten Text.',
  first: 'Das erste Zertifikat dieser Organisation',
  before: 'Vorheriges Zertifikat {hash}',
  seal: 'Siegel, Zeichen {signs}. {parts}',
  isGenuine: 'Ist es echt?',
  verify:
    'Öffnen Sie {address} und wählen Sie diese Datei aus. Sie wird in Ihrem Browser geprüft; nichts wird versendet.',
  fingerprint: 'Fingerabdruck {hash}',
  key: 'Schlüssel {key}, Ed25519. Der signierte Text ist diesem Dokument als {file} beigefügt.',
  letters:
    'Eckige Klammern stehen für Buchstaben, die in der Schrift dieser Seite fehlen; im beigefügten Text stehen sie unverändert.',
  sessions: 'Sitzungen ({count}), Zeiten in UTC',
  continued: 'Zertifikat Nr. {number}, Fortsetzung',
  sessionsLeft:
    '{count, plural, one {# weitere Sitzung steht im beigefügten Text.} other {# weitere Sitzungen stehen im beigefügten Text.}}',
  speed: 'Tempo',
  reports: 'Berichte',
  watched: 'Gesehen',
  remarks: 'Anmerkungen',
  noRemarks: 'keine',
  notCounted: '{time} nicht gezählt: {reasons}',
  muted: 'stummgeschaltet',
  pictureInPicture: 'Bild im Bild',
  replayed: 'später gemeldet',
  capped: 'zu viele Teile',
}
