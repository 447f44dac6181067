import type { MailReturnFault } from './mail-returns.ts'

/** Why a mailbox cannot be read, and what to do about it. */
export const mailReturnWords: Record<MailReturnFault, string> = {
  unknown_host: 'No server has this name. Check how it is written.',
  no_connection:
    'Nothing answers there. Check the server and the port, and whether a firewall lets this installation through.',
  timeout:
    'The server did not answer in time. Check the server and the port, and whether a firewall lets this installation through.',
  no_mailbox_server:
    'Something answers there, but not as a server for mailboxes does (IMAP). Check the port and the encryption.',
  no_encryption:
    'The connection could not be encrypted in this way. Choose the other encryption, or another port.',
  certificate:
    'The certificate of the server is not valid, or not for this name. Use the name for which it was issued.',
  login_refused: 'The server refuses the login. Check the login name, and type the password again.',
  no_folder: 'The mailbox has no place of this name. INBOX is where mails arrive.',
  broken_off: 'The server broke the conversation off. Try again in a moment.',
}
