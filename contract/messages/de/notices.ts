import type { notices as english } from '../en/notices.ts'
import type { Translation } from '../../platform/text/say.ts'

export const notices: Translation<typeof english> = {
  notYou:
    'Wenn Sie das nicht waren, wählen Sie sofort über „Forgot your password?“ auf der Anmeldeseite ein neues Passwort und sagen Sie es Ihrem Administrator.',
  app_added_subject: 'Eine Authenticator-App wurde hinzugefügt',
  app_added:
    'Gerade wurde eine Authenticator-App eingerichtet. Ab jetzt wird bei der Anmeldung ein Code daraus verlangt.',
  app_removed_subject: 'Ihre Authenticator-App wurde entfernt',
  app_removed: 'Die Authenticator-App wurde gerade entfernt. Ihre Codes gelten nicht mehr.',
  passkey_added_subject: 'Ein Passkey wurde hinzugefügt',
  passkey_added:
    'Der Passkey „{what}“ wurde gerade hinzugefügt. Wer dieses Gerät in der Hand hat, kann sich damit anmelden.',
  passkey_removed_subject: 'Ein Passkey wurde entfernt',
  passkey_removed: 'Der Passkey „{what}“ wurde gerade entfernt. Er meldet niemanden mehr an.',
  passkey_refused_subject: 'Ein Passkey wurde abgewiesen',
  passkey_refused:
    'Jemand wollte den Passkey „{what}“ verwenden, und er sah wie eine Kopie davon aus. Niemand wurde eingelassen.',
  passkey_refused_otherwise:
    'Wenn Sie diesen Passkey gerade selbst verwendet haben, entfernen Sie ihn in Ihren Einstellungen und fügen Sie ihn neu hinzu. Wenn nicht, entfernen Sie ihn und sagen Sie es Ihrem Administrator.',
  recovery_renewed_subject: 'Sie haben neue Wiederherstellungscodes',
  recovery_renewed:
    'Gerade wurden zehn neue Wiederherstellungscodes erzeugt. Die bisherigen gelten nicht mehr.',
  recovery_used_subject: 'Ein Wiederherstellungscode wurde verwendet',
  recovery_used:
    'Jemand hat sich gerade mit einem Wiederherstellungscode bei Ihrem Konto angemeldet. So viele Codes sind noch übrig: {what}.',
  factors_reset_subject: 'Ihr zweiter Schritt wurde zurückgesetzt',
  factors_reset:
    'Ein Administrator hat Ihre Authenticator-App, Ihre Passkeys und Ihre Wiederherstellungscodes entfernt und Sie überall abgemeldet. Grund: {what}',
  factors_reset_otherwise:
    'Wenn Sie nicht darum gebeten haben, sagen Sie es Ihrem Administrator. Ihr Passwort gilt weiterhin; nach der Anmeldung können Sie einen neuen zweiten Schritt einrichten.',
  new_device_subject: 'Neue Anmeldung',
  new_device:
    'Jemand hat sich bei Ihrem Konto in {product} mit einem Browser angemeldet, der dafür noch nicht verwendet wurde. Wenn Sie das waren, ist nichts zu tun.\n\nZeit: {at}\n\nBrowser: {browser}\n\nNetz: {network}',
  password_changed_subject: 'Ihr Passwort wurde geändert',
  password_changed:
    'Das Passwort Ihres Kontos in {product} wurde gerade geändert, und Sie wurden überall sonst abgemeldet. Melden Sie sich mit dem neuen an: {origin}/auth-1/sign-in',
  password_changed_otherwise:
    'Wenn Sie das nicht waren, kann jemand anderes Ihre Mails lesen oder kannte Ihr Passwort. Sichern Sie zuerst Ihr Postfach, fordern Sie dann auf der Anmeldeseite ein neues Passwort an und sagen Sie es Ihrem Administrator.',
  too_many_tries_subject: 'Viele falsche Passwörter für Ihr Konto',
  too_many_tries:
    'Jemand probiert Passwörter für Ihr Konto in {product} aus, um {at} zum zwanzigsten Mal innerhalb einer Stunde. Niemand kam damit hinein.\n\nBis zu eine Stunde lang gilt Ihr Passwort nur in Browsern, die Sie schon verwendet haben. In einem anderen nehmen Sie einen Passkey oder wählen Sie über „Forgot your password?“ ein neues Passwort.',
  too_many_tries_otherwise:
    'Wenn Ihr Passwort lang ist und nirgends sonst verwendet wird, ist nichts zu tun. Sonst wählen Sie jetzt ein anderes.',
  password_disabled_subject: 'Ihr Passwort gilt nicht mehr in neuen Browsern',
  password_disabled:
    'Für Ihr Konto in {product} gab es hundert falsche Passwörter hintereinander. Niemand kam damit hinein. Damit das so bleibt, wird das Passwort ab jetzt in Browsern abgewiesen, die für Ihr Konto noch nicht verwendet wurden.\n\nDamit es wieder überall gilt, wählen Sie über „Forgot your password?“ ein neues: {origin}/auth-1/reset-password',
  password_disabled_otherwise:
    'Ein Passkey, falls Sie einen haben, gilt weiterhin. Auch Ihr Administrator kann helfen.',
  email_changed_subject: 'Ihre E-Mail-Adresse wurde geändert',
  email_changed:
    'Sie haben die E-Mail-Adresse Ihres Kontos in {product} von {from} in {to} geändert.\n\nAb jetzt melden Sie sich mit der neuen Adresse an, und Mails gehen dorthin. Diese Mail geht an beide.',
  email_changed_otherwise: 'Wenn Sie das nicht waren, sagen Sie es sofort Ihrem Administrator.',
  email_changed_by_admin_subject: 'Ihre E-Mail-Adresse wurde geändert',
  email_changed_by_admin:
    '{by} hat die E-Mail-Adresse Ihres Kontos in {product} in {to} geändert. Diese Adresse meldet niemanden mehr an, und Sie wurden überall abgemeldet.\n\nDie Einladung, die an die neue Adresse geht, führt zu demselben Konto zurück, mit einem neuen Passwort.',
  email_changed_by_admin_otherwise: 'Wenn Sie das nicht wollten, sagen Sie es sofort Ihrem Administrator.',
  deletion_asked_subject: 'Ihr Konto wird gelöscht',
  deletion_asked:
    'Sie haben darum gebeten, Ihr Konto in {product} zu löschen. Sie sind überall abgemeldet, und am {day} wird das Konto endgültig gelöscht.\n\nUm es zu behalten, melden Sie sich vor diesem Tag an: {origin}/auth-1/sign-in',
  deletion_asked_otherwise:
    'Wenn Sie nicht darum gebeten haben, melden Sie sich jetzt an, wählen Sie ein neues Passwort und sagen Sie es Ihrem Administrator.',
  deletion_cancelled_subject: 'Ihr Konto bleibt',
  deletion_cancelled:
    'Sie haben sich bei Ihrem Konto in {product} angemeldet, also wird es nicht gelöscht. Alles ist wie zuvor.',
  deletion_done_subject: 'Ihr Konto wurde gelöscht',
  deletion_done:
    'Ihr Konto in {product} ist gelöscht: das Passwort, die zweiten Schritte, die Rolle und die Gruppen. Was Sie angesehen haben, bleibt bei Ihrer Organisation als Nachweis.',
  deletion_done_otherwise:
    'Das ist die letzte Mail dazu. Um zurückzukommen, bitten Sie einen Administrator um eine Einladung.',
  key_expires_subject: 'Ein Schlüssel läuft bald ab',
  key_expires:
    'Der Schlüssel „{what}“, mit dem ein anderes System in {place} handelt, läuft am {day} ab. Von da an wird dieses System abgewiesen.\n\nGeben Sie dem Schlüssel vorher ein neues Token, oder ziehen Sie ihn zurück, wenn ihn niemand mehr braucht: {address}',
  key_expires_otherwise:
    'Diese Mail geht an die Person, die für den Schlüssel einsteht, zwei Wochen und einen Tag vor seinem Ende.',
  key_without_owner_expires_subject: 'Ein Schlüssel läuft bald ab',
  key_without_owner_expires:
    'Der Schlüssel „{what}“, mit dem ein anderes System in {place} handelt, läuft am {day} ab. Er steht schon still: {owner} steht für ihn ein, darf sich aber nicht mehr anmelden oder verwaltet das nicht mehr.\n\nWenn das System noch gebraucht wird, lassen Sie jemand anderen für den Schlüssel einstehen und geben Sie ihm ein neues Token; sonst ziehen Sie ihn zurück: {address}',
  key_without_owner_expires_otherwise:
    'Diese Mail geht an alle Administratoren, weil sonst niemand für den Schlüssel einsteht.',
  reset_by_admin_subject: 'Bitte wählen Sie ein neues Passwort',
  reset_by_admin:
    '{by} bittet Sie, für Ihr Konto in {product} ein neues Passwort zu wählen. Sie wurden überall abgemeldet.\n\nWählen Sie es über „Forgot your password?“: {origin}/auth-1/reset-password',
  reset_by_admin_otherwise:
    'Niemand außer Ihnen erfährt das neue Passwort, und niemand fragt Sie jemals per Mail danach.',
}
