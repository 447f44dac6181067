import type { account as english } from '../en/account.ts'
import type { Translation } from '../../platform/text/say.ts'

export const account: Translation<typeof english> = {
  hello: 'Guten Tag {name},',
  helloNobody: 'Guten Tag,',
  reset_password_subject: 'Ihr Code für ein neues Passwort',
  reset_password:
    'Sie haben ein neues Passwort angefordert. Geben Sie diesen Code auf der Seite ein, von der Sie kommen:',
  confirm_email_subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
  confirm_email:
    'Bitte bestätigen Sie, dass dies Ihre E-Mail-Adresse ist. Geben Sie diesen Code auf der Seite ein, von der Sie kommen:',
  login_subject: 'Ihr Code für die Anmeldung',
  login:
    'Sie wollen sich mit einem Code anmelden. Geben Sie ihn auf der Seite ein, von der Sie kommen; danach kommt Ihr zweiter Schritt:',
  step_up_subject: 'Ihr Bestätigungscode',
  step_up:
    'Sie sind dabei, etwas Wichtiges zu ändern. Geben Sie diesen Code auf der Seite ein, von der Sie kommen:',
  own_data_subject: 'Ihr Code für Ihre Daten',
  own_data:
    'Jemand mit Ihrem persönlichen Link zu einem Video fragt nach allem, was über Sie aus den an Sie gesendeten Videos aufbewahrt wird. Wenn Sie das sind, geben Sie diesen Code auf jener Seite ein:',
  own_training_subject: 'Ihr Code für Ihre Schulungen',
  own_training:
    'Jemand mit Ihrem persönlichen Link zu einem Video möchte alles sehen, was Sie ansehen sollen, was erledigt ist, und Ihre Zertifikate. Wenn Sie das sind, geben Sie diesen Code auf jener Seite ein:',
  delete_account_subject: 'Ihr Code zum Löschen Ihres Kontos',
  delete_account:
    'Sie wollen Ihr Konto löschen. Wenn Sie sicher sind, geben Sie diesen Code auf der Seite ein, von der Sie kommen:',
  sender_subject: 'Bestätigen Sie die Adresse eines Absenders',
  sender:
    'Jemand, der {organization} in {product} verwaltet, will Videos von dieser Adresse aus senden. Wenn Sie einverstanden sind, geben Sie diesen Code in den Einstellungen von {organization} ein, oder geben Sie ihn der Person, die Sie darum gebeten hat:',
  senderEnd:
    'Der Code gilt einmal und {minutes} Minuten lang. Wenn Sie nicht einverstanden sind oder nichts davon wissen, ignorieren Sie diese Mail: Ohne den Code wird nichts von Ihrer Adresse aus gesendet.',
  codeEnd:
    'Der Code gilt einmal und {minutes} Minuten lang. Wenn Sie ihn nicht angefordert haben, können Sie diese Mail ignorieren: Es hat sich nichts geändert. Geben Sie den Code niemandem, auch nicht uns.',
  invites: '{inviter} lädt Sie ein: {place}',
  place: '{organization} in {product}',
  invitedAs:
    '{inviter} lädt Sie zu {place} ein, {role, select, superadmin {als Superadministrator: Sie verwalten dann die ganze Installation} admin {als Administrator: Sie verwalten dann alles darin} other {als Gruppenadministrator: Sie betreuen dann Gruppen und ihre Mitglieder}}.',
  groups: 'Gruppen: {groups}.',
  choosePassword: 'Wählen Sie zu Beginn ein eigenes Passwort.',
  accept: 'Einladung annehmen',
  linkEnd:
    'Der Link gilt einmal, bis {end} UTC. Bitte geben Sie ihn nicht weiter: Wer ihn hat, kann ihn verwenden. Wenn Sie das nicht erwartet haben, können Sie diese Mail ignorieren: Ohne Sie geschieht nichts.',
  endsSoon: 'Ihre Einladung läuft bald ab: {place}',
  notAccepted: 'Sie haben sie noch nicht angenommen. Der Link gilt bis {end} UTC.',
  onlyReminder:
    'Das ist die einzige Erinnerung. Wenn Sie das nicht erwartet haben, können Sie diese Mail ignorieren: Ohne Sie geschieht nichts.',
  hasAccepted: '{name} hat Ihre Einladung angenommen',
  isNow:
    '{name} ({email}) hat Ihre Einladung zu {place} angenommen und ist dort nun {role, select, superadmin {Superadministrator} admin {Administrator} other {Gruppenadministrator}}.',
  nothingToDo: 'Sie müssen nichts tun.',
  trial: 'Testmail von {product}',
  trialLeft: 'diese Mail hat {product} über den Mailserver {host} verlassen.',
  trialEnd: 'Mehr ist nicht nötig: Ab jetzt gehen Mails hinaus.',
}
