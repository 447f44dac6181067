import type { DomainFinding } from './sign-in-domains.ts'
import type { SignInFault, TrialFault, TrialStep } from './sso-faults.ts'

/** Why a sign-in was refused, for the person who wanted in; only the pages of these sign-ins load it. */
export const signInFaultWords: Record<SignInFault, string> = {
  connection_off:
    'This way to sign in does not exist, or it is switched off. Please go back to the sign-in page.',
  flow_unknown:
    'This sign-in took more than ten minutes, was completed before, or was not begun here. Please sign in again.',
  other_browser:
    'This sign-in was begun in another browser or in another window that is closed by now. Please sign in again here.',
  limit: 'Too many sign-ins came from your network. Please wait ten minutes and try again.',
  provider_refused:
    'Your company’s sign-in did not let you in, or you stopped it. Please try again, or ask those who look after it.',
  provider_fault:
    'Your company’s sign-in answered something that we cannot read. Please try again, and tell your administrator if it stays so.',
  issuer_wrong:
    'The answer came from another sign-in than the one that was asked. You were not signed in. Please tell your administrator.',
  unreachable: 'Your company’s sign-in does not answer at the moment. Please try again in a few minutes.',
  client_refused:
    'Your company’s sign-in does not accept us any more: its secret has changed or has ended. Please tell your administrator.',
  code_refused:
    'Your company’s sign-in did not recognize its own answer: it was used before, or took too long. Please sign in again.',
  token_invalid:
    'What your company’s sign-in says about you is incomplete. You were not signed in. Please tell your administrator.',
  signature:
    'What your company’s sign-in says about you is not signed with one of its keys. You were not signed in. Please tell your administrator.',
  algorithm:
    'What your company’s sign-in says about you is signed in a way that is not safe. You were not signed in. Please tell your administrator.',
  audience:
    'What your company’s sign-in says about you is meant for another application. You were not signed in. Please tell your administrator.',
  nonce: 'What your company’s sign-in says about you belongs to another sign-in. Please sign in again.',
  expired:
    'What your company’s sign-in says about you has expired already. If it happens again, one of the clocks is wrong: please tell your administrator.',
  from_future:
    'What your company’s sign-in says about you comes from the future: one of the clocks is wrong. Please tell your administrator.',
  proof_too_old:
    'Your company’s sign-in did not ask you again who you are, so this does not count as proof. Please try again and type your password there.',
  email_missing:
    'Your company’s sign-in does not say which address you have. Please ask your administrator to have the email sent along.',
  email_unverified:
    'Your company’s sign-in has not verified your address, so it cannot tell us who you are. Please tell your administrator.',
  domain_unproved:
    'Your address is not of a domain that your organization has proved. Please tell your administrator.',
  nobody: 'Nobody has created an account for your address here yet. Please ask your administrator.',
  superadmin:
    'This account belongs to the installation, and no organization’s sign-in opens it. Please sign in with your password or a passkey.',
  elsewhere:
    'Your address signs in to another organization already, and an address belongs to one only. Please tell your administrator.',
  linked_otherwise:
    'Your address belongs to another account of your company’s sign-in here. Please ask your administrator to forget that one.',
  above_grant:
    'Your role is higher than what this way to sign in may give. Please sign in another way, or ask your administrator.',
  no_role: 'You have no role here that lets you in. Please ask your administrator.',
  disabled: 'Your account is switched off. Please ask your administrator.',
  organization_closed: 'Your organization is suspended or archived, so nobody can sign in.',
  other_person:
    'Your company’s sign-in named another person than the one who is signed in here. Please choose your own account there.',
}

/** What the administrators are told about their connection; `told` stands behind it. */
export const trialFaultWords: Record<TrialFault, string> = {
  issuer_unreachable:
    'Nothing answers at the issuer. Check its address for typing errors, and whether it can be reached from the internet.',
  issuer_not_found:
    'The issuer answers, but describes no sign-in there (/.well-known/openid-configuration is missing). Copy the issuer from your provider, without a part too much.',
  issuer_no_provider: 'What the issuer answers is no description of a sign-in by OpenID Connect.',
  issuer_differs:
    'The provider calls itself otherwise than the issuer that you typed. Take over what it calls itself, letter by letter.',
  issuer_private:
    'The issuer leads into a private network. Whoever runs this installation has to allow it (WEBHOOK_HOSTS).',
  issuer_template:
    'This issuer stands for all tenants. Take that of your own tenant, with its number in the address.',
  flow_unsupported: 'The provider does not offer the authorization code flow, which is the one used here.',
  pkce_unsupported: 'The provider does not offer PKCE with S256, without which a sign-in can be stolen.',
  algorithm_unsupported: 'The provider signs with none of the ways that are accepted here.',
  keys_missing: 'The keys of the provider cannot be read.',
  clock_off:
    'The clock of the provider and that of this installation differ by more than a minute. One of them has to be set.',
  client_unknown:
    'The provider does not know this client, or not with this secret. Copy both again; of the secret it is the value, not its number.',
  secret_wrong: 'The secret is not right, or has ended at the provider. Make another there and type it here.',
  secret_lost: 'The secret cannot be read any more. Please type it again.',
  redirect_unknown:
    'The provider does not know the redirect address. Enter the one above there, letter by letter.',
}

export const trialStepWords: Record<TrialStep, string> = {
  issuer: 'Issuer',
  clock: 'Clock',
  client: 'Client and secret',
  redirect: 'Redirect address',
  sign_in: 'Sign-in for trial',
  claims: 'Claims',
}

export const domainFindingWords: Record<DomainFinding, string> = {
  proved: 'The record is there. Addresses of this domain are led to your connections.',
  missing: 'There is no such record yet. New records can take an hour to be seen everywhere.',
  other: 'There are records of this name, but none has this value. Copy the value again, all of it.',
  no_answer: 'The DNS does not answer at the moment. Please try again in a few minutes.',
}
