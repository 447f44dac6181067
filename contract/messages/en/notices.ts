/** What a person is told by mail when it happens to their account: a subject, paragraphs, and what to do if it was not them. */
export const notices = {
  notYou:
    'If it was not you, choose a new password with “Forgot your password?” on the sign-in page at once, and tell your administrator.',
  app_added_subject: 'An authenticator app was added',
  app_added: 'An authenticator app was just set up. From now on, signing in asks for a code from it.',
  app_removed_subject: 'Your authenticator app was removed',
  app_removed: 'The authenticator app was just removed. Its codes no longer work.',
  passkey_added_subject: 'A passkey was added',
  passkey_added: 'The passkey “{what}” was just added. Whoever holds that device can sign in with it.',
  passkey_removed_subject: 'A passkey was removed',
  passkey_removed: 'The passkey “{what}” was just removed. It no longer signs in.',
  passkey_refused_subject: 'A passkey was refused',
  passkey_refused:
    'Somebody tried to use the passkey “{what}”, and it looked like a copy of it. Nobody was let in.',
  passkey_refused_otherwise:
    'If you used that passkey yourself just now, remove it in your settings and add it anew. If not, remove it and tell your administrator.',
  recovery_renewed_subject: 'You have new recovery codes',
  recovery_renewed: 'Ten new recovery codes were just made. The former ones no longer work.',
  recovery_used_subject: 'A recovery code was used',
  recovery_used: 'Somebody just signed in to your account with a recovery code. Codes that are left: {what}.',
  factors_reset_subject: 'Your second step was reset',
  factors_reset:
    'An administrator has removed your authenticator app, your passkeys and your recovery codes, and has signed you out everywhere. Reason: {what}',
  factors_reset_otherwise:
    'If you did not ask for it, tell your administrator. Your password still works; after signing in you can set up a new second step.',
  new_device_subject: 'New sign-in',
  new_device:
    'Somebody signed in to your {product} account with a browser that was not used for it before. If it was you, there is nothing to do.\n\nTime: {at}\n\nBrowser: {browser}\n\nNetwork: {network}',
  password_changed_subject: 'Your password was changed',
  password_changed:
    'The password of your {product} account was just changed, and you were signed out everywhere else. Sign in with the new one: {origin}/auth-1/sign-in',
  password_changed_otherwise:
    'If it was not you, somebody else can read your mailbox or knew your password. Secure your mailbox first, then ask for a new password on the sign-in page, and tell your administrator.',
  too_many_tries_subject: 'Many wrong passwords for your account',
  too_many_tries:
    'Somebody is trying passwords for your {product} account, at {at} for the twentieth time within an hour. Nobody got in with them.\n\nFor up to an hour your password works only in browsers that you have used before. In another one, use a passkey, or set a new password with “Forgot your password?”.',
  too_many_tries_otherwise:
    'If your password is long and used nowhere else, there is nothing to do. Otherwise choose another one now.',
  password_disabled_subject: 'Your password was switched off for new browsers',
  password_disabled:
    'There were a hundred wrong passwords in a row for your {product} account. Nobody got in with them. So that it stays like this, the password is refused from now on in browsers that were not used for your account before.\n\nTo use it everywhere again, set a new one with “Forgot your password?”: {origin}/auth-1/reset-password',
  password_disabled_otherwise:
    'A passkey, where you have one, still works. Your administrator can help as well.',
  email_changed_subject: 'Your email address was changed',
  email_changed:
    'You have changed the email address of your {product} account from {from} to {to}.\n\nFrom now on you sign in with the new address, and mails go there. This mail goes to both.',
  email_changed_otherwise: 'If it was not you, tell your administrator at once.',
  email_changed_by_admin_subject: 'Your email address was changed',
  email_changed_by_admin:
    '{by} has changed the email address of your {product} account to {to}. This address no longer signs in, and you were signed out everywhere.\n\nThe invitation that goes to the new address leads back to the same account, with a new password.',
  email_changed_by_admin_otherwise: 'If this is not what you wanted, tell your administrator at once.',
  deletion_asked_subject: 'Your account will be deleted',
  deletion_asked:
    'You asked for your {product} account to be deleted. You are signed out everywhere, and on {day} the account goes for good.\n\nTo keep it, sign in before that day: {origin}/auth-1/sign-in',
  deletion_asked_otherwise:
    'If you did not ask for it, sign in now, choose a new password, and tell your administrator.',
  deletion_cancelled_subject: 'Your account stays',
  deletion_cancelled:
    'You signed in to your {product} account, so it will not be deleted. Everything is as it was.',
  deletion_done_subject: 'Your account was deleted',
  deletion_done:
    'Your {product} account is gone: its password, its second steps, its role and its groups. What you have watched stays with your organization as evidence.',
  deletion_done_otherwise:
    'This is the last mail about it. To come back, ask an administrator to invite you.',
  key_expires_subject: 'A key expires soon',
  key_expires:
    'The key “{what}”, by which another system acts in {place}, expires on {day}. From then on that system is refused.\n\nGive the key a new token before, or withdraw it if nobody needs it any more: {address}',
  key_expires_otherwise:
    'This mail comes to whoever answers for the key, two weeks and one day before its end.',
  key_without_owner_expires_subject: 'A key expires soon',
  key_without_owner_expires:
    'The key “{what}”, by which another system acts in {place}, expires on {day}. It stands still already: {owner}, who answers for it, may not sign in any more, or does not administer this any more.\n\nIf the system is still needed, let somebody else answer for the key and give it a new token; otherwise withdraw it: {address}',
  key_without_owner_expires_otherwise:
    'This mail comes to all administrators, because nobody else answers for the key.',
  reset_by_admin_subject: 'Please choose a new password',
  reset_by_admin:
    '{by} asks you to choose a new password for your {product} account. You were signed out everywhere.\n\nChoose one with “Forgot your password?”: {origin}/auth-1/reset-password',
  reset_by_admin_otherwise:
    'Nobody but you learns the new password, and nobody ever asks you for it by mail.',
} as const
