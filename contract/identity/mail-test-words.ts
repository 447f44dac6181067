import type { MailTestResult } from './mail-server.ts'

/** How far a try to hand over a mail came, and what to do about it. */
export const mailTestWords: Record<MailTestResult, string> = {
  accepted: 'The mail server has taken the mail. Look into your mailbox, and among unwanted mails too.',
  no_server: 'There is no mail server. Save one first.',
  unknown_host: 'No server has this name. Check how it is written.',
  no_connection:
    'Nothing answers there. Check the server and the port, and whether a firewall lets this installation through.',
  timeout:
    'The server did not answer in time. Check the server and the port, and whether a firewall lets this installation through.',
  no_mail_server:
    'Something answers there, but not as a mail server does. Check the port and the encryption.',
  no_encryption:
    'The connection could not be encrypted in this way. Choose the other encryption, or another port.',
  certificate:
    'The certificate of the server is not valid, or not for this name. Use the name for which it was issued.',
  login_refused: 'The mail server refuses the login. Check the login name, and type the password again.',
  sender_refused:
    'The mail server lets nobody send from this address. Check the address of the sender (and the one for returns), and whether a login is needed.',
  recipient_refused: 'The mail server does not pass mails on to your address. Perhaps it asks for a login.',
  mail_refused: 'The mail server has refused the mail.',
  broken_off: 'The mail server broke the conversation off. Check the encryption, and try again in a moment.',
}
