/** What the audit log says of how mails leave and come back: words and sentence, as in `audit-actions.ts`. */
export const mailActions = {
  'mail_server.set': ['Set the mail server', '{actor} set the mail server to {after.host}'],
  'mail_server.removed': ['Removed the mail server', '{actor} removed the mail server {before.host}'],
  'sender.set': ['Set the address of the sender', '{actor} set the address of the sender to {after.address}'],
  'sender.removed': [
    'Removed the address of the sender',
    '{actor} removed the address of the sender {before.address}',
  ],
  'sender.code_sent': [
    'Mailed a code for the address of the sender',
    '{actor} had a code mailed to {after.address}, to confirm it as the address of the sender',
  ],
  'sender.verified': [
    'Confirmed the address of the sender',
    '{actor} confirmed {after.address} as the address of the sender',
  ],
  'sender.checked': [
    'Checked the domain of the sender',
    '{actor} had the DNS asked about the domain of {after.address}',
  ],
  'webhook.set': [
    'Set the address for SMS and chat',
    '{actor} set that messages for SMS and chat are posted to {after.host}',
  ],
  'webhook.removed': [
    'Removed the address for SMS and chat',
    '{actor} removed the address for SMS and chat at {before.host}',
  ],
  'webhook.secret_replaced': [
    'Replaced the secret for SMS and chat',
    '{actor} replaced the secret by which {after.host} knows messages for SMS and chat',
  ],
  'webhook.tested': ['Tested the address for SMS and chat', '{actor} posted a test message to {after.host}'],
  'event_address.created': [
    'Added an address for events',
    '{actor} set that events are posted to {after.host}',
  ],
  'event_address.changed': [
    'Changed an address for events',
    '{actor} changed where and which events are posted: {after.host}',
  ],
  'event_address.removed': [
    'Removed an address for events',
    '{actor} set that events are not posted to {before.host} any more',
  ],
  'event_address.secret_rotated': [
    'Rotated the secret of an address for events',
    '{actor} rotated the secret by which {after.host} knows events',
  ],
  'event_address.tested': ['Tested an address for events', '{actor} posted a test event to {after.host}'],
  'event_address.replayed': [
    'Replayed events',
    '{actor} had events from {after.from} to {after.to} posted to {after.host} once more',
  ],
  'mail_returns.set': [
    'Set the mailbox for mails that come back',
    '{actor} set that mails come back to {after.address}, at {after.host}',
  ],
  'mail_returns.removed': [
    'Removed the mailbox for mails that come back',
    '{actor} removed the mailbox {before.address} for mails that come back',
  ],
  'mail_returns.tested': [
    'Tested the mailbox for mails that come back',
    '{actor} tested the mailbox for mails that come back, at {after.host}',
  ],
  'mail_signing.set': [
    'Set how mails are signed',
    '{actor} set that mails are signed for {after.domain}, with the key {after.selector}',
  ],
  'mail_server.tested': ['Sent a test mail', '{actor} sent a test mail to {after.to}'],
  'address.barred': ['Barred an address', '{actor} barred the address {after.address}: “{after.reason}”'],
  'addresses.barred': [
    'Barred the addresses of a list',
    '{actor} barred addresses of {target} from a list ({after.added})',
  ],
  'addresses.exported': [
    'Exported the barred addresses',
    '{actor} exported the barred addresses of {target}',
  ],
  'address.bar_lifted': [
    'Lifted the bar on an address',
    '{actor} lifted the bar on the address {before.address}',
  ],
} as const satisfies Record<string, readonly [words: string, sentence: string]>
