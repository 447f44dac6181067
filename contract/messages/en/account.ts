/** The mails with which accounts begin and prove themselves: codes and invitations, and the one that tries the mail server. */
export const account = {
  hello: 'Hello {name},',
  helloNobody: 'Hello,',
  reset_password_subject: 'Your code for a new password',
  reset_password: 'You asked for a new password. Type this code into the page that you came from:',
  confirm_email_subject: 'Confirm your email address',
  confirm_email:
    'Please confirm that this is your email address. Type this code into the page that you came from:',
  login_subject: 'Your code for signing in',
  login:
    'You asked to sign in with a code. Type it into the page that you came from; your second step comes after it:',
  step_up_subject: 'Your confirmation code',
  step_up: 'You are about to change something important. Type this code into the page that you came from:',
  own_data_subject: 'Your code for your data',
  own_data:
    'Somebody with your personal link to a video asks for everything that is kept about you from the videos that were sent to you. If it is you, type this code into that page:',
  own_training_subject: 'Your code for your training',
  own_training:
    'Somebody with your personal link to a video asks to see all that you are asked to watch, what you have completed, and your certificates. If it is you, type this code into that page:',
  delete_account_subject: 'Your code for deleting your account',
  delete_account:
    'You asked to delete your account. If you are sure, type this code into the page that you came from:',
  sender_subject: 'Confirm the address of a sender',
  sender:
    'Somebody who administers {organization} on {product} wants to send its videos from this address. If you agree, type this code into the settings of {organization}, or give it to whoever asked you:',
  senderEnd:
    'The code works once, for {minutes} minutes. If you do not agree, or know nothing of it, ignore this mail: without the code nothing is sent from your address.',
  codeEnd:
    'The code works once, for {minutes} minutes. If you did not ask for it, you can ignore this mail: nothing has changed. Never give the code to anybody, not even to us.',
  invites: '{inviter} invites you to {place}',
  place: '{organization} on {product}',
  invitedAs:
    '{inviter} invites you to {place} as {role, select, superadmin {superadmin, so that you can administer the whole installation} admin {administrator, so that you can manage everything in it} other {group administrator, so that you can look after groups and their members}}.',
  groups: 'Groups: {groups}.',
  choosePassword: 'To begin, choose a password of your own.',
  accept: 'Accept the invitation',
  linkEnd:
    'The link works once, until {end} UTC. Please do not pass it on: whoever has it can use it. If you did not expect this, you can ignore this mail: nothing happens without you.',
  endsSoon: 'Your invitation to {place} ends soon',
  notAccepted: 'You have not accepted yet. The link works until {end} UTC.',
  onlyReminder:
    'This is the only reminder. If you did not expect this, you can ignore this mail: nothing happens without you.',
  hasAccepted: '{name} has accepted your invitation',
  isNow:
    '{name} ({email}) has accepted your invitation to {place} and is now {role, select, superadmin {superadmin} admin {administrator} other {group administrator}} there.',
  nothingToDo: 'You need not do anything.',
  trial: 'Test mail from {product}',
  trialLeft: 'this mail left {product} by the mail server {host}.',
  trialEnd: 'Nothing else is needed: mails leave from now on.',
} as const
